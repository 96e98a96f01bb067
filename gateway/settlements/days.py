"""The sums of days: written down as changed with every change, and summed up again afterwards."""

from collections.abc import Iterable
from datetime import date, datetime
from typing import Any

from django.db import connection
from django.db.models import BigIntegerField, Count, F, Q, Sum

from accounts.base.clock import utcnow
from accounts.base.ids import new_id
from accounts.base.rows import table
from gateway.providers.settlements import LineKind
from gateway.settlements.models import BOOKED, SettlementDay, SettlementDifference, SettlementLine

Key = tuple[str, date, str, str]
"""Account, day, method and currency."""
MISSING = Q(line=None, state=SettlementDifference.State.OPEN)
_CHANGED = f"""
    INSERT INTO {table(SettlementDay)} (id, account_id, day, method, currency, lines, net, booked, paid_out,
                                        acquirer_fee, our_fee, due_at)
    VALUES (%s, %s, %s, %s, %s, 0, 0, 0, 0, 0, 0, %s)
    ON CONFLICT (account_id, day, method, currency) DO UPDATE SET due_at = excluded.due_at
"""


def changed(keys: Iterable[Key]) -> None:
    """Has these days summed up again. Their rows are locked until the transaction ends, so that no change is missed."""
    rows: list[tuple[Any, ...]] = [(new_id("sdy"), *key, utcnow()) for key in sorted(set(keys))]
    if rows:
        with connection.cursor() as cursor:
            cursor.executemany(_CHANGED, rows)


def key_of(row: SettlementLine | SettlementDifference) -> Key:
    return row.account_id, row.day, row.method, row.currency


def sum_up(day: SettlementDay, _at: datetime) -> None:
    """Reads all lines of the day."""
    of_day = {"account": day.account_id, "day": day.day, "method": day.method, "currency": day.currency}
    lines = SettlementLine.objects.filter(**of_day).exclude(state=SettlementLine.State.NOT_OURS)
    is_payout = Q(kind=LineKind.PAYOUT)
    is_booked = Q(state__in=BOOKED)
    own = ~is_payout
    found = lines.aggregate(
        lines=Count("pk", filter=own),
        reported=_sum("net", own),
        in_books=_sum("net", own & is_booked),
        paid=_sum("net", is_payout),
        charged=_sum("fee", own),
        ours=_sum("payment__fee", is_booked & Q(kind=LineKind.PAYMENT, payment__currency=F("currency"))),
    )
    sums = {name: amount or 0 for name, amount in found.items()}
    missing = SettlementDifference.objects.filter(MISSING, **of_day).aggregate(sum=_sum("amount", Q()))["sum"] or 0
    day.lines, day.net, day.paid_out = sums["lines"], sums["reported"], -sums["paid"]
    day.booked, day.acquirer_fee, day.our_fee = sums["in_books"] - missing, sums["charged"], sums["ours"]
    day.due_at = None
    day.save()


def _sum(name: str, which: Q) -> Sum:
    return Sum(name, filter=which, output_field=BigIntegerField())
