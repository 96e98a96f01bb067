"""Differences: found once, ended by a later line or by two people."""

import structlog

from accounts.base.clock import utcnow
from accounts.base.ids import new_id
from gateway.settlements import days
from gateway.settlements.errors import DifferenceEnded
from gateway.settlements.models import Cause, SettlementDifference, SettlementLine

log = structlog.get_logger()
State = SettlementDifference.State


def found_in(line: SettlementLine, cause: Cause) -> None:
    """A line that our books do not explain."""
    found = SettlementDifference(
        id=new_id("sdf"),
        account_id=line.account_id,
        line=line,
        merchant=line.merchant,
        object_id=line.object_id,
        cause=cause,
        method=line.method,
        currency=line.currency,
        amount=line.net,
        day=line.day,
    )
    found.save(force_insert=True)
    _ring(found)


def missing(found: SettlementDifference) -> bool:
    """Keeps a payment or refund that no line names; False if it is known already."""
    kept = SettlementDifference.objects.bulk_create([found], ignore_conflicts=True)
    if not SettlementDifference.objects.filter(pk=kept[0].pk).exists():
        return False
    days.changed([days.key_of(found)])
    _ring(found)
    return True


def explained_by(line: SettlementLine) -> None:
    """A payment or refund that was missing is in a report now."""
    open_ones = SettlementDifference.objects.filter(line=None, object_id=line.object_id, state=State.OPEN)
    for one in open_ones.select_for_update(no_key=True) if line.object_id else ():
        end(one, State.EXPLAINED, f"Named by {line.pk}")


def end(difference: SettlementDifference, state: State, note: str) -> SettlementDifference:
    """Ends a difference that is locked. Raises ONP409_SETTLEMENT_DIFFERENCE."""
    if difference.state != State.OPEN:
        raise DifferenceEnded
    difference.state, difference.note, difference.ended_at = state, note[:255], utcnow()
    difference.save(update_fields=["state", "note", "ended_at"])
    days.changed([days.key_of(difference)])
    return difference


def _ring(found: SettlementDifference) -> None:
    log.error(
        "settlement.differs",
        difference=found.pk,
        cause=found.cause,
        account=found.account_id,
        about=found.object_id,
        amount=found.amount,
        currency=found.currency,
    )
