"""Lines that take another line back: both are cancelled, and what the other one was is open again."""

from datetime import datetime

import structlog

from gateway.payments.other_money import Cause
from gateway.reconciliation import postings, suspense
from gateway.reconciliation.matching import Verdict, verdict
from gateway.reconciliation.models import BankLine, LineKind, LinePart
from gateway.reconciliation.records import records_of
from gateway.suspense.models import LineCause

OPEN_AGAIN = (
    LineKind.WITHDRAWAL,
    LineKind.WITHDRAWAL_BACK,
    LineKind.PAYMENT,
    LineKind.REFUND,
    LineKind.SUSPENSE,
    LineKind.COMPANY,
)
"""What a company knows of: people decide what its reversal means."""
State = BankLine.State

log = structlog.get_logger()


def take_back(line: BankLine, now: datetime) -> Verdict | None:
    """Cancels the line and the one that it reverses; otherwise says what it is, or why it is held.

    One that completed something stays booked: whether the bank pays again, or never paid, only people can find out. If
    we were told before that the money came back, it is that.
    """
    original = original_of(line)
    if original is None:
        return Verdict(cause=LineCause.UNKNOWN, note="It reverses a line that is not known.")
    if original.amount != -line.amount:
        return Verdict(cause=LineCause.AMOUNT_DIFFERS, note=f"It reverses {original.pk} in part.")
    if original.state == State.REVERSED:
        return Verdict(cause=Cause.PAID_TWICE, note=f"It reverses {original.pk}, which was reversed before.")
    parts = list(LinePart.objects.select_related("merchant", "account").filter(line=original, undone_by=""))
    if any(part.kind in OPEN_AGAIN for part in parts):
        known = verdict(line, records_of(line.account, [line]))
        if known.parts and not known.effect:
            return known
        about = ", ".join(part.object_id for part in parts)
        log.critical("bank_line.reversed", line=line.pk, reverses=original.pk, about=about)
        return Verdict(cause=LineCause.REVERSED, note=f"It reverses {original.pk}, which was {about}.")
    cancel(line, original, parts, now)
    return None


def original_of(line: BankLine) -> BankLine | None:
    """The newest line before it with the opposite amount, or else any, that has the same id; locked."""
    ids = {name: getattr(line, name) for name in ("reference", "end_to_end_id", "order_number") if getattr(line, name)}
    for name, value in ids.items():
        same = BankLine.objects.select_for_update(no_key=True).filter(account=line.account_id, **{name: value})
        found = list(same.exclude(pk=line.pk).filter(is_reversal=False, booked_on__lte=line.booked_on).order_by("-pk"))
        exact = [one for one in found if one.amount == -line.amount and one.state != State.REVERSED]
        if found:
            return (exact or found)[0]
    return None


def cancel(line: BankLine, original: BankLine, parts: list[LinePart], now: datetime) -> None:
    """Both lines are nothing together: what was posted of them is taken back."""
    item = suspense.held_for(original)
    pair(line, original, now)
    if item:
        suspense.let_go(item, f"Reversed by {line.pk}", now)
    postings.take_back(parts, now)


def pair(line: BankLine, original: BankLine, now: datetime) -> None:
    """The line cancels the original: neither can be anything else any more."""
    for one in (line, original):
        one.state, one.due_at, one.matched_at = State.REVERSED, None, now
    line.reverses = original
    line.save(update_fields=["state", "due_at", "matched_at", "reverses"])
    original.save(update_fields=["state", "due_at", "matched_at"])
