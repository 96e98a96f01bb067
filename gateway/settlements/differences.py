"""Differences: found once, ended by a later line or by two people."""

from collections.abc import Iterable, Sequence

import structlog

from accounts.base.clock import utcnow
from accounts.base.ids import new_id
from gateway.providers.settlements import LineKind
from gateway.settlements import days
from gateway.settlements.errors import DifferenceEnded
from gateway.settlements.models import Cause, SettlementDifference, SettlementLine

log = structlog.get_logger()
State = SettlementDifference.State
_EXPLAINS: dict[str, str] = {
    LineKind.PAYMENT: Cause.PAID_HERE,
    LineKind.REFUND: Cause.REFUNDED_HERE,
    LineKind.DISPUTE: Cause.REFUNDED_HERE,
}


def found_in(different: Iterable[tuple[SettlementLine, Cause]]) -> None:
    """Lines that our books do not explain."""
    found = [
        SettlementDifference(
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
        for line, cause in different
    ]
    for one in SettlementDifference.objects.bulk_create(found):
        _ring(one)


def missing(found: SettlementDifference) -> bool:
    """Keeps a payment or refund that no line names; False if it is known already."""
    kept = SettlementDifference.objects.bulk_create([found], ignore_conflicts=True)
    if not SettlementDifference.objects.filter(pk=kept[0].pk).exists():
        return False
    days.changed([days.key_of(found)])
    _ring(found)
    return True


def explained_by(lines: Iterable[SettlementLine]) -> list[days.Key]:
    """Payments and refunds that were missing are in a report of their account now. Returns the days that it changes."""
    named = {(line.account_id, line.object_id, _EXPLAINS[line.kind]): line for line in lines if line.kind in _EXPLAINS}
    ids = {object_id for _, object_id, _ in named if object_id}
    open_ones = SettlementDifference.objects.filter(line=None, object_id__in=ids, state=State.OPEN).order_by("pk")
    changed = []
    for one in open_ones.select_for_update(no_key=True) if ids else ():
        if line := named.get((one.account_id, one.object_id, one.cause)):
            _end(one, State.EXPLAINED, f"Named by {line.pk}")
            changed.append(days.key_of(one))
    return changed


def end_of(lines: Sequence[SettlementLine]) -> set[str]:
    """Ends the open differences of lines that fit now. Returns their ids; about other lines people have decided."""
    open_ones = SettlementDifference.objects.filter(line__in=lines, state=State.OPEN).order_by("pk")
    found = list(open_ones.select_for_update(no_key=True)) if lines else []
    for one in found:
        _end(one, State.EXPLAINED, "It fits our books now")
    return {one.line_id or "" for one in found}


def accept(difference: SettlementDifference, note: str) -> SettlementDifference:
    """Ends a difference that is locked. Raises ONP409_SETTLEMENT_DIFFERENCE."""
    if difference.state != State.OPEN:
        raise DifferenceEnded
    _end(difference, State.ACCEPTED, note)
    days.changed([days.key_of(difference)])
    return difference


def _end(difference: SettlementDifference, state: State, note: str) -> None:
    difference.state, difference.note, difference.ended_at = state, note[:255], utcnow()
    difference.save(update_fields=["state", "note", "ended_at"])


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
