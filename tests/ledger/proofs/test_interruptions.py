"""A proof that is broken off, held up or made twice at once: nothing is taken for proved that was not."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress

import pytest
from django.db import OperationalError, connection, transaction

from gateway.local.processes import wait_until
from ledger.models import Balance, Proof, ProvedAccount, Round
from ledger.proofs.recent import verify_recent
from ledger.proofs.rounds import last_round
from ledger.proofs.services import prove
from ledger.verify import BeingVerified
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)
WAITING = "SELECT pid FROM pg_locks WHERE relation = 'gateway_payment'::regclass AND NOT granted"


@contextmanager
def a_proof_behind_a_migration() -> Iterator["Future[None]"]:
    """It waits for the lock of a table, in the middle of its parts."""
    with ThreadPoolExecutor(1) as other:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("LOCK TABLE gateway_payment IN ACCESS EXCLUSIVE MODE")
            proving = other.submit(_in_a_thread)
            assert wait_until(lambda: bool(_waiting()), 20)
            yield proving
        with suppress(OperationalError):
            proving.result(20)


def test_a_killed_proof_is_begun_again(acme: Shop) -> None:
    """As its process dies: the connection is gone, and with it the lock of the one that proves."""
    a_payment(acme.sandbox, "PAID")
    with a_proof_behind_a_migration() as proving, connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(pid) FROM unnest(%s) pid", [_waiting()])
        with pytest.raises(OperationalError):
            proving.result(20)
    _nothing_was_proved()

    assert prove().holds
    _everything_was_proved()


def test_a_migration_holds_up_a_proof_and_is_not_held_up_by_it(acme: Shop) -> None:
    """It gives way after the time-out for locks, and the next one proves."""
    a_payment(acme.sandbox, "PAID")
    with a_proof_behind_a_migration() as proving, pytest.raises(OperationalError):
        proving.result(20)
    _nothing_was_proved()

    assert prove().holds
    _everything_was_proved()


def test_two_proofs_at_once_prove_everything(acme: Shop) -> None:
    a_payment(acme.sandbox, "PAID")

    results = at_once(*[_proved] * 4)

    assert set(results) <= {True, None} and True in results
    prove()
    _everything_was_proved()


def _proved() -> bool | None:
    try:
        return verify_recent() == []
    except BeingVerified:
        return None


def _nothing_was_proved() -> None:
    assert Proof.objects.get().holds is None
    assert not ProvedAccount.objects.exists() and not Round.objects.exists()


def _everything_was_proved() -> None:
    assert set(ProvedAccount.objects.values_list("account", "sequence")) == set(
        Balance.objects.filter(version__gt=0).values_list("account", "version")
    )
    while not last_round():  # on a busy machine it takes several proofs
        assert verify_recent() == []


def _waiting() -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(WAITING)
        return [pid for (pid,) in cursor.fetchall()]


def _in_a_thread() -> None:
    try:
        prove()
    finally:
        connection.close()
