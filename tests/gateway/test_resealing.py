"""The encryption key is replaced while the service runs: nothing is lost, and the old key can be dropped."""

import json
from concurrent.futures import ThreadPoolExecutor
from io import StringIO
from threading import Barrier, Event
from typing import Any
from uuid import uuid4

import pytest
from cryptography.fernet import Fernet
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.db import connections
from django.test import Client
from standardwebhooks.webhooks import Webhook

from accounts.base.sealing import fingerprints, unseal
from accounts.models import User
from gateway.providers.models import ProviderAccount
from gateway.requests.models import IdempotencyKey
from gateway.withdrawals.models import Withdrawal
from tests.support import withdrawals as w
from tests.support.api import Api
from tests.support.approvals import an_approver, approve, set_rules, the_owner
from tests.support.companies import Shop
from tests.support.payments import a_payment, pix
from tests.support.people import PASSWORD, a_member, code_of, set_up
from tests.support.providers import active
from tests.support.receiver import Receiver, listening
from tests.support.webhooks import Hook, registered
from webhooks.dispatch import deliver_due
from webhooks.models import Endpoint

OLD, NEW, ANOTHER = (Fernet.generate_key().decode() for _ in range(3))


@pytest.fixture(autouse=True)
def sealed_with_the_old_key(settings: Any) -> None:
    settings.ENCRYPTION_KEYS = [OLD]


def reseal(*options: str) -> str:
    out = StringIO()
    call_command("reseal", *options, stdout=out)
    return out.getvalue()


def signs_in(user: User, secret: str) -> bool:
    cache.clear()  # a code is good once
    browser = Client(headers={"accept-language": "en"})
    browser.post("/accounts/login/", {"login": user.email, "password": PASSWORD})
    answer = browser.post("/accounts/2fa/authenticate/", {"code": code_of(secret)})
    return answer.status_code == 302 and "_auth_user_id" in browser.session


@pytest.mark.django_db(transaction=True)
def test_the_key_is_replaced_under_load(acme: Shop, api: Api, address: str, settings: Any) -> None:
    settings.LOCAL = True
    w.register(acme, address)
    w.fund(api)
    user = a_member(acme.company, email="signs-in@acme.example")
    app = set_up(user)
    account = active()
    with listening() as receiver:
        hook = registered(api, receiver.url)
        key, order = str(uuid4()), pix()
        answered = api.post("/payments", order, key=key)
        made = w.withdrawn(api, acme)
        w.decide(api, made, "COMPLETED")

        settings.ENCRYPTION_KEYS = [NEW, OLD]  # every process was restarted with both
        begun, ended = Barrier(3, timeout=20), Event()

        def pays() -> list[tuple[int, bool]]:
            seen = []
            begun.wait()
            while len(seen) < 5 or not ended.is_set():
                paid = api.post("/payments", pix())
                again = api.post("/payments", order, key=key)
                seen.append((paid.status_code, again.content == answered.content))
            connections.close_all()
            return seen

        def gets_on() -> list[bool]:
            seen = []
            begun.wait()
            while len(seen) < 5 or not ended.is_set():
                a_payment(acme.sandbox, "PAID")
                deliver_due()
                seen.append(signs_in(user, app))
            connections.close_all()
            return seen

        with ThreadPoolExecutor(2) as threads:
            load, people = threads.submit(pays), threads.submit(gets_on)
            try:
                begun.wait()
                told = _until_done()
            finally:
                ended.set()
            assert set(load.result()) == {(201, True)}
            assert set(people.result()) == {True}
        assert "older keys can be dropped" in told

        settings.ENCRYPTION_KEYS = [NEW]
        assert "sealed again" not in reseal()
        assert api.post("/payments", order, key=key).content == answered.content
        assert signs_in(user, app)
        opened = json.loads(unseal(bytes(ProviderAccount.objects.get(pk=account.pk).sealed_credentials)))
        assert opened["password"] == "the bank's own password"
        assert json.loads(unseal(bytes(Withdrawal.objects.get(pk=made["id"]).sealed_destination)))
        assert _signs(hook, acme, receiver)


def _until_done() -> str:
    """As an operator does: again, while rows in use were passed over."""
    for _ in range(20):
        try:
            return reseal()
        except CommandError as error:
            if "run it again" not in str(error):
                raise
    raise AssertionError("it never ends")


def _signs(hook: Hook, shop: Shop, receiver: Receiver) -> bool:
    receiver.received.clear()
    a_payment(shop.sandbox, "PAID")
    deliver_due()
    [one] = receiver.received
    return bool(Webhook(hook.secret).verify(one.body, one.headers))


@pytest.mark.django_db
def test_a_report_names_keys_by_fingerprints_and_changes_nothing(acme: Shop, api: Api, settings: Any) -> None:
    api.post("/payments", pix())
    settings.ENCRYPTION_KEYS = [NEW, OLD]
    before = IdempotencyKey.objects.values_list("sealed_body", flat=True)[0]

    out = StringIO()
    with pytest.raises(CommandError, match="still under an older key"):
        call_command("reseal", "--count", stdout=out)

    assert f"gateway_idempotencykey.sealed_body: 1 under {fingerprints()[1]}" in out.getvalue()
    assert OLD not in out.getvalue()
    assert bytes(IdempotencyKey.objects.values_list("sealed_body", flat=True)[0]) == bytes(before)


@pytest.mark.django_db
def test_what_no_key_opens_is_named_and_stays(acme: Shop, api: Api, settings: Any) -> None:
    api.post("/webhooks", {"url": "https://acme.example/hooks", "events": ["*"]})
    endpoint = Endpoint.objects.get()
    settings.ENCRYPTION_KEYS = [ANOTHER]

    with pytest.raises(CommandError, match=f"(?s)No key opens these.*{endpoint.pk}"):
        reseal()

    assert bytes(Endpoint.objects.get().sealed_secret) == bytes(endpoint.sealed_secret)


@pytest.mark.django_db
def test_what_was_approved_is_paid_as_it_was_approved(acme: Shop, api: Api, address: str, settings: Any) -> None:
    """An approval holds for the sealed bytes: they stay until the withdrawal has ended."""
    w.register(acme, address)
    w.fund(api)
    owner = the_owner(acme)
    approver = an_approver(acme, address, by=owner)
    set_rules(acme.sandbox, owner, people=1, above={"BRL": 100_00})
    made = w.withdrawn(api, acme, amount=150)
    settings.ENCRYPTION_KEYS = [NEW, OLD]

    with pytest.raises(CommandError, match="keep all keys"):
        reseal()
    assert approve(approver, made).status_code == 201
    w.decide(api, made, "COMPLETED")

    assert "older keys can be dropped" in reseal()
