"""Lines that nothing explains: held in the one queue of money in suspense, with a cause and an age."""

from datetime import UTC, datetime, time

import structlog

from accounts.base.ids import new_id
from gateway.reconciliation.matching import Verdict
from gateway.reconciliation.models import BankLine
from gateway.suspense.lifecycle import SuspenseAction
from gateway.suspense.models import LineCause, State, SuspenseItem
from gateway.suspense.provider import lock, take

log = structlog.get_logger()


def hold(line: BankLine, found: Verdict, at: datetime) -> SuspenseItem:
    """Holds the line's money, also if it left, in the book of the bank account's owner. Call it last: it posts."""
    item = SuspenseItem(
        id=new_id("sus"),
        merchant=line.account.owner,
        bank_account=line.account.code,
        line_id=line.pk,
        currency=line.currency,
        amount=line.amount,
        reference=(line.end_to_end_id or line.order_number or line.reference)[:64],
        cause=found.cause,
        state="",
        received_at=datetime.combine(line.booked_on, time(), UTC),
        note=found.note[:255],
        created_at=at,
    )
    take(item, SuspenseAction.HOLD, at)
    log.warning("bank_line.held", item=item.pk, line=line.pk, account=line.account.code, cause=item.cause)
    if found.cause == LineCause.PAID_AFTER_FAILED:
        log.critical("bank_line.paid_after_failed", item=item.pk, line=line.pk, note=item.note)
    return item


def held_for(line: BankLine) -> SuspenseItem | None:
    """The item of a line in suspense, locked."""
    known = SuspenseItem.objects.filter(line_id=line.pk, state=State.HELD).values_list("pk", flat=True).first()
    return lock(known) if known else None


def let_go(item: SuspenseItem, note: str, at: datetime) -> None:
    """Two people, or the bank, have said what it is: its posting is taken back, and that of what it is follows."""
    item.note = note[:255] or item.note
    take(item, SuspenseAction.RESOLVE, at)
