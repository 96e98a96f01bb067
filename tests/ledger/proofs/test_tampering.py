"""Whatever a superuser changes is found: what is new within five minutes, all else within one round, and at night."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from itertools import count
from threading import Event

import pytest
from django.db import connection, transaction
from structlog.testing import capture_logs

from accounts.base.clock import utcnow
from ledger.closings.models import ClosedDay, Seal
from ledger.closings.seals import seal_days
from ledger.closings.services import SLACK, close_days
from ledger.models import Balance, ProvedAccount, Round
from ledger.proofs import selectors
from ledger.proofs.models import Proof, Scope
from ledger.proofs.recent import verify_recent
from ledger.proofs.rounds import AT_ONCE, last_round
from ledger.proofs.services import prove, prove_all, watch
from ledger.verify import rows, verify
from tests.support.companies import Shop
from tests.support.ledger import A_ROUND_MS, PAIR, bent, deposit, numbers
from tests.support.payments import a_payment
from tests.support.receivables import a_receivable, tamper

LAST = "id = (SELECT max(id) FROM ledger_entry)"
FIRST = "id = (SELECT min(id) FROM ledger_entry)"
ALWAYS = {
    "a balance": ("UPDATE ledger_balance SET amount = amount + 1 WHERE floor = 0", {"I2", "I5"}),
    "a version": ("UPDATE ledger_balance SET version = version + 1 WHERE version > 0", {"I2"}),
    "the last balance": (f"UPDATE ledger_entry SET balance_after = balance_after + 1 WHERE {LAST}", {"I2"}),
    "no last entry": (f"DELETE FROM ledger_entry WHERE {LAST}", {"I2"}),
    "a paid payment": ("UPDATE gateway_payment SET amount = amount + 1 WHERE status = 'PAID'", {"I8"}),
    "an expired payment": (
        "UPDATE gateway_payment SET status = 'EXPIRED', paid_at = NULL WHERE status = 'PAID'",
        {"I8", "I10"},
    ),
    "a receivable": ("UPDATE ledger_receivable SET amount = amount + 1, gross_amount = gross_amount + 1", {"I6"}),
}
"""Found whether it was proved before or not: in totals, or in the newest rows."""
LATER = {
    "the last entry": (f"UPDATE ledger_entry SET amount = amount + 1 WHERE {LAST}", {"I1", "I3"}),
    "an old entry": (f"UPDATE ledger_entry SET amount = amount + 1 WHERE {FIRST}", {"I1", "I3"}),
    "no old entry": (f"DELETE FROM ledger_entry WHERE {FIRST}", {"I1", "I3"}),
    "another order": (
        "UPDATE ledger_entry SET sequence = -sequence;"
        "UPDATE ledger_entry SET sequence = CASE sequence WHEN -1 THEN 2 WHEN -2 THEN 1 ELSE -sequence END",
        {"I3"},
    ),
    "an old transfer": ("UPDATE ledger_transfer SET reference = reference || '!' WHERE kind = 'payment.paid'", {"I8"}),
    "a count": ("UPDATE ledger_transfer SET entry_count = entry_count + 1", {"I1"}),
}
"""Below what was proved: the round finds it, and the proof of everything."""
SEALED = {
    "a time": ("UPDATE ledger_transfer SET posted_at = posted_at + interval '1 microsecond'", {"I16", "I23"}),
    "a late posting": (
        "UPDATE ledger_transfer SET created_at = (SELECT min(created_at) FROM ledger_transfer)",
        {"I16", "I23"},
    ),
    "a seal": ("UPDATE ledger_seal SET digest = reverse(digest)", {"I14"}),
    "no seal": ("DELETE FROM ledger_seal WHERE day = (SELECT min(day) FROM ledger_seal)", {"I14"}),
    "no closed day": ("DELETE FROM ledger_closedday WHERE day = (SELECT max(day) FROM ledger_closedday)", {"I14"}),
}
"""Of closed days."""
PROVED = {
    "further": ("UPDATE ledger_provedaccount SET sequence = sequence + 1", {"I15"}),
    "another balance": ("UPDATE ledger_provedaccount SET balance = balance + 1", {"I15"}),
    "nowhere": ("DELETE FROM ledger_provedaccount", {"I16"}),
}
"""Up to where accounts were proved."""


def found(proof: Proof | None) -> set[str]:
    assert proof
    return {one["number"] for one in proof.violations}


@pytest.fixture
def books(acme: Shop, globex: Shop) -> None:
    for shop in (acme, globex):
        for amount in ("150.00", "80.00", "20.00"):
            a_payment(shop.sandbox, "PAID", amount)
        a_receivable(shop.sandbox)
    assert verify(at_once=2) == verify() == []


@pytest.fixture
def days(books: None, acme: Shop) -> Iterator[None]:
    """Two closed days, the first with postings, and one that is not; undone afterwards."""
    back = f"created_at - interval '2 days' - interval '{SLACK.total_seconds()} seconds'"
    with bent(f"UPDATE ledger_transfer SET created_at = {back}"):
        tamper("SET LOCAL session_replication_role = DEFAULT; SET CONSTRAINTS ALL DEFERRED")
        a_payment(acme.sandbox, "PAID", "10.00")
        assert verify_recent() == []
        close_days()
        assert (ClosedDay.objects.count(), Seal.objects.count()) == (2, 2)
        yield


WRONG = "UPDATE ledger_{} SET amount = amount + 1 WHERE day = (SELECT {}(day) FROM ledger_closedday)"


def test_every_day_that_was_closed_since_the_last_proof_is_proved(days: None) -> None:
    """The round, which comes to it later, proves one part in each of these turns."""
    for sums, which, expected in (
        ("closing", "min", "I23"),
        ("closedbalance", "min", "I24"),
        ("closedbalance", "max", "I24"),
    ):
        with bent(WRONG.format(sums, which)):
            assert expected in numbers(verify_recent(0)), (sums, which)


def test_a_day_that_is_wrong_is_found_until_it_is_right_also_behind_the_next_one(days: None) -> None:
    with bent(WRONG.format("closing", "min")):
        assert not prove().holds  # type: ignore[union-attr]
        assert "I23" in numbers(verify_recent(0))


def test_the_last_day_is_proved_in_every_turn(days: None) -> None:
    assert prove().holds  # type: ignore[union-attr]
    with bent(WRONG.format("closedbalance", "max")):
        assert "I24" in numbers(verify_recent(0))
        assert "I24" in numbers(verify_recent(0))


def test_a_change_is_found_in_parts_and_at_once(books: None) -> None:
    for what, (statement, expected) in {**ALWAYS, **LATER}.items():
        with bent(statement):
            assert expected <= numbers(verify(at_once=2)) == numbers(verify()), what


def test_what_is_new_is_found_within_five_minutes(books: None) -> None:
    for what, (statement, expected) in {**ALWAYS, **LATER}.items():
        with bent(statement):
            assert expected <= numbers(verify_recent()), what
            assert not ProvedAccount.objects.exists(), "what is wrong is found again"


def test_what_was_proved_is_read_again_in_rounds_and_with_everything(books: None) -> None:
    assert verify_recent(A_ROUND_MS) == []
    assert set(ProvedAccount.objects.values_list("account", "sequence", "balance")) == set(
        Balance.objects.filter(version__gt=0).values_list("account", "version", "amount")
    )
    for what, (statement, expected) in {**ALWAYS, **PROVED, **LATER}.items():
        with bent(statement):
            assert expected <= numbers(verify_recent(A_ROUND_MS)), what
    for what, (statement, expected) in LATER.items():
        with bent(statement):
            assert found(prove(Scope.WHOLE)) >= expected, what
            prove()
            assert selectors.last() == selectors.last_whole(), "the books stay red"


def test_no_closed_day_is_changed_and_stays_unnoticed(days: None) -> None:
    prove()
    for what, (statement, expected) in SEALED.items():
        with bent(statement):
            assert expected <= numbers(verify()), what
            assert expected <= numbers(verify_recent(A_ROUND_MS)), what
    assert numbers(verify()) == set()
    with bent("DELETE FROM ledger_closedday WHERE day = (SELECT max(day) FROM ledger_closedday)"):
        tamper("DELETE FROM ledger_seal WHERE day NOT IN (SELECT day FROM ledger_closedday)")
        tamper("UPDATE ledger_seal SET digest = reverse(digest)")
        assert "I14" in numbers(verify_recent(0)), "seals are proved every time"
    with bent(PAIR, "DELETE FROM ledger_seal; DELETE FROM ledger_provedblock; DELETE FROM ledger_provedaccount"):
        assert (numbers(verify_recent(A_ROUND_MS)), seal_days()) == ({"I14"}, 0), "what a proof has told is still known"


def test_a_round_proves_every_part_once_however_little_time_each_proof_has(days: None) -> None:
    """A pair of an old day is found by the proof whose part it is, and by all further ones until it is right."""
    tamper("DELETE FROM ledger_round")  # one that has begun
    parts = len(list(rows(AT_ONCE)))

    def proofs_of_a_round() -> int:
        return next(number for number in count(1) if verify_recent(0) or Round.objects.latest("pk").ended_at)

    assert proofs_of_a_round() in (parts, parts + 1)
    with bent(PAIR):
        assert proofs_of_a_round() < parts
        stopped = Round.objects.latest("pk")
        assert [numbers(verify_recent(A_ROUND_MS)), numbers(verify_recent(0))] == [{"I16"}] * 2
        assert Round.objects.filter(pk=stopped.pk, table=stopped.table, key=stopped.key, ended_at=None).exists()
        tamper("DELETE FROM ledger_round")
        assert numbers(verify_recent(A_ROUND_MS)) == {"I16"}, "without its place a round begins again"
    assert proofs_of_a_round() in (parts, parts + 1)
    assert last_round() == Round.objects.latest("pk")


@pytest.mark.django_db(transaction=True)
def test_what_is_committed_late_is_proved(acme: Shop, globex: Shop) -> None:
    """Its transfer has a lower number than one that was proved, and an earlier time."""
    written, may_commit = Event(), Event()

    def late() -> None:
        try:
            with transaction.atomic():
                deposit(globex)
                written.set()
                may_commit.wait(20)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as other:
        writing = other.submit(late)
        assert written.wait(20)
        deposit(acme)
        assert verify_recent() == []
        assert close_days(patience_s=0) == 0
        may_commit.set()
        writing.result()
    with bent(f"UPDATE ledger_entry SET amount = amount + 1 WHERE merchant_id = {globex.sandbox.pk}"):
        assert {"I1", "I3"} <= numbers(verify_recent())
    assert verify_recent() == []
    assert ProvedAccount.objects.filter(account__merchant=globex.sandbox).count() == 2


def test_everything_is_proved_once_a_night(books: None) -> None:
    [first, again] = [prove_all(), prove_all()]
    assert (first and first.scope, first and first.holds, again) == (Scope.WHOLE, True, None)

    Proof.objects.update(started_at=utcnow() - timedelta(days=1))
    Proof.objects.create(scope=Scope.WHOLE, started_at=utcnow())  # and was killed
    assert prove_all()
    ahead = utcnow() + timedelta(days=2)
    Proof.objects.update(started_at=ahead, finished_at=ahead)  # the clock was set back since
    assert selectors.is_overdue()
    assert prove_all() and prove() and not selectors.is_overdue()


def test_proofs_that_do_not_finish_are_critical(books: None) -> None:
    def told() -> list[str]:
        with capture_logs() as logs:
            watch()
        return [one["event"] for one in logs if one["log_level"] == "critical"]

    assert (told(), selectors.is_well()) == ([], True)
    prove()
    assert (told(), selectors.is_well()) == ([], True)
    Proof.objects.update(finished_at=utcnow() - timedelta(minutes=16))
    assert (told(), selectors.is_well()) == (["ledger.proofs_overdue"], False)
    prove()
    assert (told(), selectors.is_well()) == ([], True)
    Proof.objects.create(scope=Scope.WHOLE, started_at=utcnow(), finished_at=utcnow() - timedelta(hours=37))
    assert (told(), selectors.is_well()) == (["ledger.proofs_overdue"], False)
