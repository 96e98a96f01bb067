"""Lists and pages are read from a replica, but nobody ever sees less than on the primary."""

from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from environ import Env

from accounts.base.rows import execute
from accounts.models import Merchant
from gateway.database import addresses
from gateway.database.replica import REPLICA, elsewhere
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.people import a_member
from tests.support.standby import Standby, answered_by, is_replica, on_standby, rested

pytestmark = pytest.mark.django_db(transaction=True)


def test_without_a_password_of_its_own_it_gets_that_of_the_service(
    monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    given = {
        "DATABASE_URL": "postgres://onpay_app@pooler/onpay",
        "ONPAY_DATABASE_PASSWORD": "p@ss",
        "ONPAY_REPLICA_URL": "postgres://onpay_app@standby/onpay",
        "ONPAY_REPLICA_PASSWORD": "",
    }
    for name, value in given.items():
        monkeypatch.setenv(name, value)

    def password() -> object:
        return addresses.replica(Env(), settings.DATABASE_LIMITS)[REPLICA]["PASSWORD"]

    assert password() == "p@ss"
    monkeypatch.setenv("ONPAY_REPLICA_PASSWORD", "another")
    assert password() == "another"


def ids(api: Api) -> list[str]:
    return [one["id"] for one in api.get("/payments").json()["data"]]


def test_whoever_reads_sees_what_they_just_did(standby: Standby, acme: Shop, api: Api) -> None:
    made: list[str] = []
    for _ in range(20):
        made.insert(0, a_payment(acme.sandbox).id)
        assert answered_by(lambda: ids(api)[: len(made)] == made or pytest.fail("a payment is missing")) == "replica"
    assert elsewhere(is_replica) and not is_replica()


def test_a_replica_that_lags_is_not_asked_and_rests(standby: Standby, acme: Shop, api: Api, settings: Any) -> None:
    settings.REPLICA_PATIENCE_MS = 30
    on_standby("SELECT pg_wal_replay_pause()")
    made = a_payment(acme.sandbox).id
    assert answered_by(lambda: ids(api) == [made] or pytest.fail("the payment is missing")) == "primary"
    on_standby("SELECT pg_wal_replay_resume()")
    assert answered_by(lambda: ids(api)) == "primary"
    rested()
    settings.REPLICA_PATIENCE_MS = 20_000
    assert answered_by(lambda: ids(api) == [made] or pytest.fail("the payment is missing")) == "replica"


def test_a_replica_that_fails_changes_nothing(standby: Standby, acme: Shop, api: Api) -> None:
    made = a_payment(acme.sandbox).id
    assert answered_by(lambda: ids(api)) == "replica"

    reads = 0

    def read() -> bool:
        nonlocal reads
        reads += 1
        if is_replica():
            standby.stop()
        return is_replica()

    assert elsewhere(read) is False
    assert reads == 2
    assert ids(api) == [made]
    rested()
    assert answered_by(lambda: ids(api) == [made] or pytest.fail("the payment is missing")) == "primary"


def test_a_read_that_writes_after_all_writes_once(standby: Standby, acme: Shop) -> None:
    def grown() -> int:
        return execute("UPDATE accounts_merchant SET clock_offset = clock_offset + interval '1 hour' WHERE id = %s",
                       [acme.sandbox.pk])  # fmt: skip

    before = Merchant.objects.get(pk=acme.sandbox.pk).clock_offset
    assert answered_by(lambda: elsewhere(grown)) == "primary"
    assert answered_by(lambda: elsewhere(lambda: elsewhere(is_replica) or pytest.fail("not there"))) == "replica"
    assert (Merchant.objects.get(pk=acme.sandbox.pk).clock_offset - before).total_seconds() == 3600


def test_what_decides_stays_on_the_primary(standby: Standby, acme: Shop, api: Api) -> None:
    with transaction.atomic():
        assert not elsewhere(is_replica)
    assert answered_by(lambda: api.get("/events")) == ""
    assert answered_by(lambda: api.get(f"/companies/{acme.company.id}/balances")) == ""
    payment = a_payment(acme.sandbox)
    assert answered_by(lambda: api.get(f"/payments/{payment.id}")) == ""
    assert answered_by(lambda: api.post(f"/simulations/payments/{payment.id}", {"status": "PAID"})) == ""


def test_an_error_of_the_read_is_its_answer(standby: Standby, api: Api) -> None:
    assert api.get("/payments", createdFrom="yesterday").status_code == 400
    assert api.get("/payments", after="pay_00000000000000000000000000").status_code == 400
    assert answered_by(lambda: ids(api)) == "replica"


def test_pages_of_the_company_are_read_there(standby: Standby, acme: Shop, client: Client) -> None:
    payment = a_payment(acme.sandbox, "PAID")
    client.force_login(a_member(acme.company))
    page = f"/dashboard/{acme.company.id}/sandbox/payments/"

    def shown() -> None:
        assert payment.reference in client.get(page).content.decode()

    assert answered_by(shown) == "replica"


def test_a_promoted_replica_is_none(standby: Standby, acme: Shop, api: Api, settings: Any) -> None:
    assert answered_by(lambda: ids(api)) == "replica"
    on_standby("SELECT pg_promote()")
    settings.REPLICA_PATIENCE_MS = 30
    made = a_payment(acme.sandbox).id
    assert answered_by(lambda: ids(api) == [made] or pytest.fail("the payment is missing")) == "primary"
