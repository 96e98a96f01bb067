"""Lines: matched with our records, held in suspense, or told as a difference; then booked."""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial

from django.db.models import Q

from accounts.base.clock import utcnow
from gateway.methods.rail import Money, PaymentAction
from gateway.payments.other_money import Cause as SuspenseCause
from gateway.providers import notices
from gateway.providers.provider import Notice
from gateway.providers.registry import declared
from gateway.providers.settlements import LineKind
from gateway.settlements import days, differences, postings
from gateway.settlements.matching import Verdict, verdict
from gateway.settlements.models import SettlementLine
from gateway.suspense.holding import hold
from gateway.suspense.models import SuspenseItem
from ledger.books.services import Move, post

PATIENCE, AGAIN = timedelta(days=1), timedelta(hours=1)
"""How long what is under way here may still explain a line, and when it is looked at again meanwhile."""
FOLLOWED = timedelta(days=7)
"""How far back decisions about money in suspense are looked at: a week without workers is made up for."""
State = SettlementLine.State


def take(line: SettlementLine, _at: datetime) -> Callable[[], object] | None:
    """Matches a line that is locked, and books what can be booked. What is returned is called after the commit."""
    now = utcnow()
    if line.state == State.WAITING:
        found = verdict(line)
        if found.waits and now < line.created_at + PATIENCE:
            line.due_at = now + AGAIN
            line.save(update_fields=["due_at"])
            return _question(line, found)
        _decide(line, found, now)
    elif line.state == State.HELD:
        _follow(line)
    line.due_at = None
    moves = _booked(line, now)
    line.save()
    for kind, made in moves.items():
        assert line.merchant
        post(line.merchant, kind, line.pk, made, now)
    return None


def _decide(line: SettlementLine, found: Verdict, now: datetime) -> None:
    told = days.key_of(line)
    line.state, line.payment, line.merchant = found.state, found.payment, found.merchant
    line.object_id = found.object_id or line.object_id
    line.method = found.method or (found.payment.method if found.payment else line.method)
    days.changed([told, days.key_of(line)])
    if found.state == State.HELD and not found.object_id:
        _hold(line, now)
    if found.cause:
        differences.found_in(line, found.cause)
    differences.explained_by(line)


def _hold(line: SettlementLine, now: datetime) -> None:
    """Money of payers that is for no payment of ours."""
    money = Money(line.reference, line.gross_exact, line.gross_currency)
    item = hold(line.account, money, SuspenseCause.UNKNOWN_CHARGE, now, method=line.method, note="By its settlement")
    line.object_id, line.merchant = item.pk, item.merchant


def _follow(line: SettlementLine) -> None:
    """The money in suspense that it is may belong to a company, or a payment, by now."""
    item = SuspenseItem.objects.select_related("merchant", "payment").get(pk=line.object_id)
    line.merchant, line.payment = item.merchant, item.payment


def follow_suspense() -> None:
    """Has lines booked whose money in suspense was attributed to a company, or assigned to a payment."""
    now = utcnow()
    moved = SuspenseItem.objects.filter(updated_at__gte=now - FOLLOWED, merchant__isnull=False).values("pk")
    held = SettlementLine.objects.filter(object_id__in=moved, state=State.HELD, due_at=None)
    held.filter(Q(merchant=None) | Q(payment=None)).update(due_at=now)


def _booked(line: SettlementLine, now: datetime) -> dict[str, list[Move]]:
    """What is to be posted now, by kind, each once. A line without a company stands in no book."""
    is_bookable = line.state in days.BOOKED and line.kind != LineKind.PAYOUT and line.gross_currency == line.currency
    if line.merchant is None or not is_bookable:
        return {}
    moves = {}
    if line.booked_at is None:
        line.booked_at = now
        moves["settlement.fee"] = postings.fee(line)
    if line.payout and line.paid_out_at is None:
        line.paid_out_at = now
        moves["settlement.paid_out"] = postings.paid_out(line)
    return {kind: made for kind, made in moves.items() if made}


def _question(line: SettlementLine, found: Verdict) -> Callable[[], object] | None:
    """Queries the acquirer about a payment of ours that it has settled, and that is not paid here."""
    if not found.payment or line.kind != LineKind.PAYMENT or declared()[line.account.provider].is_believed:
        return None
    return partial(notices.apply, Notice(found.payment.pk, PaymentAction.PAY), line.account)
