"""What institutions send is verified by their own means, stored as it is, and answered at once."""

from typing import Any
from urllib.parse import quote

import pytest
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.x509 import load_pem_x509_certificate
from django.test import Client
from structlog.testing import capture_logs

from accounts.audit import Actor
from gateway.providers.accounts import close, pause
from gateway.providers.messages import body_of
from gateway.providers.models import ProviderMessage
from gateway.serving.limits import CALLBACKS, largest_body
from tests.support.callbacks import about, sent
from tests.support.certificates import certificate
from tests.support.providers import NOTE, active, confirms, entered
from tests.support.scripted_provider import SIGNATURE, Script, rewritten

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


def test_an_unknown_account_is_not_found_whatever_is_sent() -> None:
    for account in ("pac_00000000000000000000000000", "x", "é" * 300, "pac_%00", "%00"):
        assert sent(account, about("tst_1")) == 404
    assert not ProviderMessage.objects.exists()


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
