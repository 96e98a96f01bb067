"""Payments and refunds that an acquirer should have settled by now, and that no report names."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from django.db import connection, transaction
from django.db.models import Min

from accounts.base.ids import new_id
from accounts.base.rows import table
from accounts.models import Environment, Merchant
from gateway.payments.models import Payment
from gateway.providers.lists import compare_all
from gateway.providers.models import ProviderAccount
from gateway.providers.settlements import LineKind
from gateway.refunds.models import Refund
from gateway.refunds.models import Status as RefundStatus
from gateway.settlements import differences
from gateway.settlements.models import Cause, SettlementDifference, SettlementLine
from gateway.settlements.reports import settles

WINDOW = timedelta(days=7)
"""How far back before the last possible time it looks: a week without workers is made up for."""
_PAYMENTS = f"""
    SELECT p.id, p.merchant_id, p.method, p.currency, -p.amount, p.paid_at
      FROM {table(Merchant)} m CROSS JOIN LATERAL (
           SELECT * FROM {table(Payment)}
            WHERE merchant_id = m.id AND paid_at >= %(since)s AND paid_at < %(until)s OFFSET 0) p
     WHERE m.environment = '{Environment.PRODUCTION}' AND p.account_id = %(account)s
       AND NOT EXISTS (SELECT FROM {table(SettlementLine)} l
                        WHERE l.payment_id = p.id AND l.account_id = p.account_id AND l.kind = '{LineKind.PAYMENT}')
"""
_REFUNDS = f"""
    SELECT r.id, r.merchant_id, p.method, r.currency, r.amount, r.completed_at
      FROM {table(Merchant)} m CROSS JOIN LATERAL (
           SELECT * FROM {table(Refund)}
            WHERE merchant_id = m.id AND completed_at >= %(since)s AND completed_at < %(until)s OFFSET 0) r
      JOIN {table(Payment)} p ON p.id = r.payment_id
     WHERE m.environment = '{Environment.PRODUCTION}' AND p.account_id = %(account)s
       AND r.status = '{RefundStatus.COMPLETED}'
       AND NOT EXISTS (SELECT FROM {table(SettlementLine)} l WHERE l.object_id = r.id AND l.account_id = p.account_id
                          AND l.kind IN ('{LineKind.REFUND}', '{LineKind.DISPUTE}'))
"""


class Missing(NamedTuple):
    """A payment or refund. `amount` is what the reports have more than our books, in minor units."""

    object_id: str
    merchant_id: int
    method: str
    currency: str
    amount: int
    at: datetime


def look() -> None:
    """Looks at every account whose settlements are read. Never call it inside a transaction."""
    compare_all(_look)


def _look(account: ProviderAccount, now: datetime) -> None:
    """What was paid before the first line that was ever read is not expected."""
    how = settles(account)
    first = SettlementLine.objects.filter(account=account).aggregate(at=Min("at"))["at"] if how else None
    if how is None or first is None:
        return
    until = now - how.within
    asked = {"account": account.pk, "since": max(first, until - WINDOW), "until": until}
    for cause, sql in ((Cause.PAID_HERE, _PAYMENTS), (Cause.REFUNDED_HERE, _REFUNDS)):
        for one in _found(sql, asked):
            _keep(account, cause, one)


def _found(sql: str, asked: dict[str, Any]) -> Iterator[Missing]:
    with connection.cursor() as cursor:
        cursor.execute(sql, asked)
        yield from (Missing(*row) for row in cursor.fetchall())


@transaction.atomic
def _keep(account: ProviderAccount, cause: Cause, one: Missing) -> None:
    differences.missing(
        SettlementDifference(
            id=new_id("sdf"),
            account=account,
            merchant_id=one.merchant_id,
            object_id=one.object_id,
            cause=cause,
            method=one.method,
            currency=one.currency,
            amount=one.amount,
            day=one.at.astimezone(UTC).date(),
        )
    )
