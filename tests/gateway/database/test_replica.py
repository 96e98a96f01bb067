"""Lists and pages are read from a replica, but nobody ever sees less than on the primary."""

import shutil
import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connections, transaction
from django.test import Client
from environ import Env

from accounts.base.counters import REPLICA_READS
from accounts.base.rows import execute, first
from accounts.models import Merchant
from gateway.database import addresses
from gateway.database.replica import REPLICA, RESTS_S, elsewhere
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.people import a_member
from tests.support.standby import Standby

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module")
def server(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Standby]:
    found = Standby(tmp_path_factory.mktemp("standby") / "postgres", durable=False)
    found.start()
    yield found
    found.stop()
    shutil.rmtree(found.place)  # outside pytest's folders, which the server's user cannot enter


@pytest.fixture
def standby(server: Standby, transactional_db: None, settings: Any) -> Iterator[Standby]:
    """It runs, the service knows it, and has much patience with it on a busy machine."""
    server.start()
    settings.REPLICA_PATIENCE_MS = 20_000
    execute("SET synchronous_commit = on")  # as in production: what is committed is on its way to the replica
    usual = connections["default"].settings_dict
    options = {name: value for name, value in usual["OPTIONS"].items() if name != "pool"}
    replica = connections["default"].copy()  # under that name Django lets tests use it
    replica.settings_dict = usual | {"HOST": str(server.sockets), "OPTIONS": options}
    connections[REPLICA], connections.settings[REPLICA] = replica, replica.settings_dict
    rested()
    yield server
    replica.close()
    execute("RESET synchronous_commit")
    del connections[REPLICA], connections.settings[REPLICA]


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


def rested() -> None:
    time.sleep(RESTS_S + 0.1)


def counted() -> dict[str, float]:
    return {who: REPLICA_READS.labels(who)._value.get() for who in ("replica", "primary")}


def answered_by(read: Any) -> str:
    """Whose answer it was, of one read."""
    before = counted()
    read()
    grown = {who: count - before[who] for who, count in counted().items() if count != before[who]}
    assert sum(grown.values()) <= 1
    return next(iter(grown), "")


def is_replica() -> bool:
    return bool((first("SELECT pg_is_in_recovery()") or (None,))[0])


def on_standby(sql: str) -> None:
    with connections[REPLICA].cursor() as cursor:
        cursor.execute(sql)


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
