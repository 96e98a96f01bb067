"""What the proofs of the books found is kept: green with its time, red with its counterexamples."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import OperationalError, connection, transaction
from structlog.testing import capture_logs

from accounts.base.clock import utcnow
from gateway.celery import AT_ONCE
from ledger.models import Proof
from ledger.proofs import selectors
from ledger.proofs.models import Scope
from ledger.proofs.recent import verify_recent
from ledger.proofs.services import prove
from ledger.tasks import prove_books
from ledger.verify import all_invariants, verify
from tests.support.companies import Shop
from tests.support.ledger import a_cent_too_much
from tests.support.payments import a_payment
from tests.support.receivables import a_receivable


def test_the_timetable_keeps_what_it_found(acme: Shop) -> None:
    a_payment(acme.sandbox, "PAID")
    assert selectors.last() is None

    prove_books()

    last = selectors.last()
    assert last
    assert (last.holds, last.violations, last.invariants) == (True, [], len(all_invariants()))
    assert last.finished_at
    assert last.started_at <= last.finished_at <= utcnow()


def test_what_does_not_hold_is_kept_with_its_counterexamples(acme: Shop) -> None:
    a_receivable(acme.sandbox)
    with a_cent_too_much():
        proof = prove()

    assert (proof.holds, Proof.objects.get()) == (False, proof)
    [broken] = [one for one in proof.violations if one["number"] == "I6"]
    assert [str(acme.sandbox.pk), "BRL", "19202", "19203"] == broken["counterexamples"][0]
    assert prove().holds


def test_a_run_that_was_stopped_is_told_from_one_that_runs(db: None) -> None:
    done = prove()
    Proof.objects.create(started_at=utcnow() - timedelta(minutes=16))
    assert (selectors.is_running(), selectors.stopped_since(done), selectors.last()) == (False, 1, done)

    running = Proof.objects.create(started_at=utcnow())
    assert (selectors.is_running(), selectors.stopped_since(done), running.holds) == (True, 1, None)


def test_old_proofs_are_forgotten_unless_something_was_found(db: None) -> None:
    long_ago = utcnow() - timedelta(days=8)
    broken = [{"number": "I1", "claim": "", "counterexamples": []}]
    for violations in ([], broken):
        Proof.objects.create(started_at=long_ago, finished_at=long_ago, violations=violations)

    newest = prove()

    assert {(one.started_at == long_ago, one.holds) for one in Proof.objects.all()} == {(True, False), (False, True)}
    assert selectors.last() == newest


def test_a_run_that_breaks_off_is_critical_in_the_log(db: None) -> None:
    """As the time limit of the task ends it."""
    with capture_logs() as told, pytest.raises(OperationalError), connection.execute_wrapper(_too_slow):
        prove()

    assert [(one["event"], one["log_level"]) for one in told] == [("ledger.proof_broken_off", "critical")]
    assert Proof.objects.get().holds is None


def test_a_run_that_was_killed_is_critical_as_the_next_begins(db: None) -> None:
    Proof.objects.create(started_at=utcnow() - timedelta(minutes=16))

    with capture_logs() as told:
        prove()

    assert [(one["event"], one["log_level"], one["runs"]) for one in told] == [
        ("ledger.proofs_unfinished", "critical", 1)
    ]


@pytest.mark.django_db(transaction=True)
def test_one_process_at_a_time_proves_the_books() -> None:
    for scope, verify_books in ((Scope.RECENT, verify_recent), (Scope.WHOLE, partial(verify, alone=True))):
        with transaction.atomic():
            verify_books()
            with ThreadPoolExecutor(1) as other:
                assert other.submit(_in_a_thread, scope).result() is None
            assert not Proof.objects.exists()
        assert prove(scope) is not None
        Proof.objects.all().delete()


def test_the_books_are_proved_as_the_timetable_starts() -> None:
    assert "prove-books" in AT_ONCE


def _in_a_thread(scope: Scope) -> Proof | None:
    try:
        return prove(scope)
    finally:
        connection.close()


def _too_slow(execute: Any, sql: str, *rest: Any) -> Any:
    if "violations LIMIT" in sql:
        raise OperationalError("canceling statement")
    return execute(sql, *rest)
