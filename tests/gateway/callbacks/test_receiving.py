"""What institutions send is verified by their own means, stored as it is, and answered at once."""

import re
import socket
from typing import Any
from urllib.parse import quote

import pytest
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.x509 import load_pem_x509_certificate
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from structlog.testing import capture_logs

from accounts.audit import Actor
from gateway.providers.accounts import close, pause
from gateway.providers.messages import body_of
from gateway.providers.models import ProviderAccount, ProviderMessage
from gateway.serving.limits import CALLBACKS, largest_body
from tests.support.callbacks import about, sent
from tests.support.certificates import certificate
from tests.support.providers import NOTE, active, confirms, entered
from tests.support.scripted_provider import SIGNATURE, Script, rewritten

REDIS = "django.core.cache.backends.redis.RedisCache"
HEADER, PROXY = "Onpay-Client-Certificate", "10.9.9.9"
OWN = certificate()
FINGERPRINT = load_pem_x509_certificate(OWN.encode()).fingerprint(SHA256()).hex()


@pytest.fixture(autouse=True)
def script(db: None) -> Script:
    return rewritten()


def test_a_signed_message_is_stored_sealed_and_read_later(script: Script) -> None:
    account, body = active(), about("tst_1")

    assert sent(account, body, Cookie="session=1", Authorization="Bearer 123", **{"X-Event": "paid"}) == 200

    [stored] = ProviderMessage.objects.all()
    assert (stored.account, stored.path, body_of(stored)) == (account, "pix", body)
    assert body not in bytes(stored.sealed_body)
    assert stored.read_due_at is not None and script.heard == []
    shown = {name: stored.headers[name] for name in (SIGNATURE, "cookie", "authorization", "x-event")}
    assert shown == {SIGNATURE: "[redacted]", "cookie": "[redacted]", "authorization": "[redacted]", "x-event": "paid"}


def test_a_repetition_is_answered_alike_and_stored_once() -> None:
    account = active()
    assert [sent(account, about("tst_1")) for _ in range(3)] == [200] * 3
    assert ProviderMessage.objects.get().repeats == 2
    assert sent(account, about("tst_1"), path="other") == 200
    assert sent(account, about("tst_1"), path="") == 200
    assert ProviderMessage.objects.count() == 3


def test_a_wrong_signature_is_refused_counted_and_not_stored() -> None:
    account, other = active(), active("other", password="their own")
    with capture_logs() as logs:
        assert sent(account, about("tst_1"), password="wrong") == 401
        assert sent(other, about("tst_1")) == 401  # signed for another account
        assert sent(account, about("tst_1"), **{SIGNATURE: "é"}) == 401
    assert not ProviderMessage.objects.exists()
    refused = [(line["account"], line["times"]) for line in logs if line["event"] == "callback.refused"]
    assert refused == [(account.pk, 1), (other.pk, 1), (account.pk, 2)]


UNKNOWN = ("pac_00000000000000000000000000", "pac_ZZZZZZZZZZZZZZZZZZZZZZZZZZ", "x", "é" * 300, "pac_%00", "%00")


def test_an_unknown_account_is_answered_like_a_wrong_signature() -> None:
    assert sent(UNKNOWN[0], about("tst_1")) == 401, "not even while there is no account at all"
    known = active()
    with capture_logs() as logs:
        assert [sent(account, about("tst_1")) for account in UNKNOWN] == [401] * len(UNKNOWN)
        assert sent(known, about("tst_1"), password="wrong") == 401
    assert not ProviderMessage.objects.exists(), "though it was signed for the only account that there is"
    refused = [line["account"] for line in logs if line["event"] == "callback.refused"]
    assert refused == ["unknown"] * len(UNKNOWN) + [known.pk]


def test_what_is_refused_costs_the_same_whether_the_account_exists() -> None:
    """The same queries, one verification, the same counts: nothing is left out that could be timed."""
    known = [active(f"bank {number}") for number in range(3)]

    def spent(account: ProviderAccount | str) -> tuple[list[str], int]:
        with CaptureQueriesContext(connection) as queries, capture_logs() as logs:
            assert sent(account, about("tst_1"), password="wrong") == 401
        shapes = [re.sub("'[^']*'", "?", one["sql"]) for one in queries]
        return shapes, len(logs)

    assert spent(known[1]) == spent(UNKNOWN[0]) == spent(UNKNOWN[1])


@pytest.mark.parametrize("answers", [True, False], ids=["silent", "gone"])
def test_what_is_refused_while_valkey_is_down_is_refused_all_the_same(settings: Any, answers: bool) -> None:
    account = active()
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        if not answers:
            server.close()
        options = {"socket_timeout": 0.05, "socket_connect_timeout": 0.05}
        redis = {"BACKEND": REDIS, "LOCATION": f"redis://127.0.0.1:{port}/0", "OPTIONS": options}
        settings.CACHES = {"default": redis}
        with capture_logs() as logs:
            assert sent(account, about("tst_1"), password="wrong") == 401
            assert sent(UNKNOWN[0], about("tst_1")) == 401
            assert sent(account, about("tst_1")) == 200
    assert [line["times"] for line in logs if line["event"] == "callback.refused"] == [None, None]
    assert ProviderMessage.objects.count() == 1


def test_a_path_is_kept_as_far_as_a_row_holds_it() -> None:
    account = active()
    assert sent(account, about("tst_1"), path="a%00b/" + "c" * 2000) == 200
    assert ProviderMessage.objects.get().path == ("ab/" + "c" * 2000)[:500]


def test_accounts_that_take_no_new_payments_still_hear_of_old_ones() -> None:
    account = active()
    pause(Actor(confirms()), account.pk, NOTE)
    assert sent(account, about("tst_1")) == 200
    close(Actor(confirms()), account.pk, NOTE)
    assert sent(account, about("tst_2")) == 200
    assert sent(entered("new"), about("tst_3")) == 200


def test_only_posts_of_a_megabyte_at_most_are_taken() -> None:
    account = active()
    assert Client().get(f"/callbacks/{account.pk}/pix").status_code == 405
    assert sent(account, b"[" + b" " * CALLBACKS + b"]") == 413
    assert largest_body("POST", f"/callbacks/{account.pk}") == CALLBACKS == 1024 * 1024
    assert not ProviderMessage.objects.exists()


NAMES = ["whole", "fingerprint", "in capitals"]  # each worker makes another certificate


@pytest.mark.parametrize("value", [quote(OWN), FINGERPRINT, FINGERPRINT.upper()], ids=NAMES)
def test_a_client_certificate_is_believed_from_a_trusted_proxy_only(settings: Any, value: str) -> None:
    settings.TRUSTED_PROXIES = ["10.9.9.0/24"]
    account = active(callback_certificate=FINGERPRINT)

    assert sent(account, about("tst_1"), **{HEADER: value}) == 401
    assert sent(account, about("tst_1"), peer=PROXY) == 401
    assert sent(account, about("tst_1"), peer=PROXY, **{HEADER: quote(certificate(number=7))}) == 401
    assert sent(account, about("tst_1"), peer=PROXY, **{HEADER: "nonsense"}) == 401
    assert not ProviderMessage.objects.exists()

    assert sent(account, about("tst_1"), peer=PROXY, **{HEADER: value}) == 200
    stored = ProviderMessage.objects.get()
    assert stored.certificate == FINGERPRINT
    assert HEADER.lower() not in stored.headers


def test_without_trusted_proxies_no_certificate_is_believed(settings: Any) -> None:
    settings.TRUSTED_PROXIES = []
    account = active(callback_certificate=FINGERPRINT)
    assert sent(account, about("tst_1"), peer=PROXY, **{HEADER: FINGERPRINT}) == 401
