"""Lines: matched with our records, held in suspense, or told as a difference; then booked. Many in one transaction."""

import json
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial

from django.db.models import Q, prefetch_related_objects

from accounts.base.clock import utcnow
from accounts.base.rows import execute, table
from accounts.batches import Later
from gateway.methods.rail import Money, PaymentAction
from gateway.payments.other_money import Cause as SuspenseCause
from gateway.providers import notices
from gateway.providers.provider import Notice
from gateway.providers.registry import declared
from gateway.providers.settlements import LineKind
from gateway.settlements import days, differences, postings
from gateway.settlements.duplicates import told_apart
from gateway.settlements.matching import Verdict, verdict
from gateway.settlements.models import BOOKED, SettlementDifference, SettlementLine
from gateway.settlements.records import records_of
from gateway.suspense.holding import hold
from gateway.suspense.models import SuspenseItem
from ledger.books.services import Posting, post_all

PATIENCE, AGAIN = timedelta(days=1), timedelta(hours=1)
"""How long what is under way here may still explain a line, and when it is looked at again meanwhile."""
FOLLOWED = timedelta(days=7)
"""How far back decisions about money in suspense are looked at: a week without workers is made up for."""
State = SettlementLine.State
_WRITE = f"""
    UPDATE {table(SettlementLine)} l
       SET state = x.state, object_id = x.object_id, merchant_id = x.merchant_id, payment_id = x.payment_id,
           method = x.method, booked_at = x.booked_at, paid_out_at = x.paid_out_at, due_at = x.due_at
      FROM jsonb_to_recordset(%s::jsonb) AS x(id text, state text, object_id text, merchant_id bigint, payment_id text,
                                              method text, booked_at timestamptz, paid_out_at timestamptz,
                                              due_at timestamptz)
     WHERE l.id = x.id
"""
_WRITTEN = ("id", "state", "object_id", "merchant_id", "payment_id", "method", "booked_at", "paid_out_at", "due_at")


def take(line: SettlementLine, _at: datetime) -> Callable[[], object] | None:
    """Like `take_all`, for one line."""
    return next((act for _, act in take_all([line])), None)


def take_all(lines: Sequence[SettlementLine]) -> Later:
    """Matches lines that are locked, and books what can be booked. What is returned is called after the commit.

    Locks differences, then days, then what suspense needs, and accounts of the ledger last.
    """
    now = utcnow()
    prefetch_related_objects(lines, "account__merchant", "merchant")
    for line in lines:
        line.due_at = None
    later = _decide([line for line in lines if line.state in (State.WAITING, State.DIFFERENT)], now)
    for line in lines:
        if line.state == State.HELD:
            _follow(line, now)
    made = [posting for line in lines for posting in _booked(line, now)]
    _write(lines)
    if made:
        post_all(made, now)
    return later


def _decide(undecided: Sequence[SettlementLine], now: datetime) -> Later:
    """Writes down what the lines are; of those that wait, the questions about them."""
    records = records_of(undecided)
    later: Later = []
    decided, fitting = [], []
    for line, found in told_apart([(line, verdict(line, records)) for line in undecided]):
        if line.state == State.DIFFERENT:
            fitting += [] if found.cause else [(line, found)]
        elif found.waits and now < line.created_at + PATIENCE:
            line.due_at = now + AGAIN
            later += [(line.pk, act) for act in _questions(line, found)]
        else:
            decided.append((line, found))
    ended = differences.end_of([line for line, _ in fitting])
    decided += [(line, found) for line, found in fitting if line.pk in ended]
    changed = [key for line, found in decided for key in _matched(line, found)]
    changed += differences.explained_by([line for line, _ in decided])
    differences.found_in([(line, found.cause) for line, found in decided if found.cause])
    days.changed(changed)
    return later


def _matched(line: SettlementLine, found: Verdict) -> list[days.Key]:
    """The days whose sums the line changes."""
    told = days.key_of(line)
    line.state, line.payment, line.merchant = found.state, found.payment, found.merchant
    line.object_id = found.object_id or ("" if found.state == State.HELD else line.object_id)
    line.method = found.method or (found.payment.method if found.payment else line.method)
    return [told, days.key_of(line)]


def _follow(line: SettlementLine, now: datetime) -> None:
    """The money in suspense that it is may belong to a company, or a payment, by now. That of nobody is held."""
    if not line.object_id:
        money = Money(line.reference, line.gross_exact, line.gross_currency)
        cause, note = SuspenseCause.UNKNOWN_CHARGE, "By its settlement"
        line.object_id = hold(line.account, money, cause, now, method=line.method, note=note).pk
    item = SuspenseItem.objects.select_related("merchant", "payment").get(pk=line.object_id)
    line.merchant, line.payment = item.merchant, item.payment or line.payment


def follow_suspense() -> None:
    """Has lines booked whose money in suspense was attributed to a company, or assigned to a payment."""
    now = utcnow()
    moved = SuspenseItem.objects.filter(updated_at__gte=now - FOLLOWED, merchant__isnull=False).values("pk")
    held = SettlementLine.objects.filter(object_id__in=moved, state=State.HELD, due_at=None)
    held.filter(Q(merchant=None) | Q(payment=None)).update(due_at=now)


def look_again() -> None:
    """Has lines matched that our books explain since their differences were found: a payment that was recorded late."""
    open_ones = SettlementDifference.objects.filter(state=SettlementDifference.State.OPEN, line__isnull=False)
    different = SettlementLine.objects.filter(pk__in=open_ones.values("line"), state=State.DIFFERENT, due_at=None)
    different.update(due_at=utcnow())


def _booked(line: SettlementLine, now: datetime) -> list[Posting]:
    """What is to be posted now, each once. A line without a company stands in no book."""
    merchant = line.merchant
    if merchant is None or line.state not in BOOKED or line.kind == LineKind.PAYOUT:
        return []
    moves = {}
    if line.booked_at is None:
        line.booked_at = now
        moves["settlement.exchanged"] = postings.exchanged(line)
        moves["settlement.fee"] = postings.fee(line)
    if line.payout and line.paid_out_at is None:
        line.paid_out_at = now
        moves["settlement.paid_out"] = postings.paid_out(line)
    return [Posting(merchant, kind, line.pk, made) for kind, made in moves.items() if made]


def _write(lines: Sequence[SettlementLine]) -> None:
    rows = [{name: getattr(line, name) for name in _WRITTEN} for line in lines]
    execute(_WRITE, [json.dumps(rows, default=str)])


def _questions(line: SettlementLine, found: Verdict) -> list[Callable[[], object]]:
    """Queries the acquirer about a payment of ours that it has settled, and that is not paid here."""
    if not found.payment or line.kind != LineKind.PAYMENT or declared()[line.account.provider].is_believed:
        return []
    return [partial(notices.apply, Notice(found.payment.pk, PaymentAction.PAY), line.account)]
