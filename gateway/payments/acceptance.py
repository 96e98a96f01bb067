"""Acceptance by acquirer: what became of the payments at each provider account in a period."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from django.db import connection

from accounts.base.periods import Period
from accounts.base.rows import table
from accounts.models import Environment, Merchant
from gateway.payments.models import Payment, Status
from gateway.providers.models import ProviderAccount
from gateway.providers.registry import declared

LONGEST_DAYS = 90
TOP = 3
DECLINES = frozenset(
    {
        "CANCELED_BY_PAYER", "CARD_METHOD_NOT_ALLOWED", "CARD_REFUSED", "EXPIRED_CARD", "INSUFFICIENT_FUNDS",
        "INVALID_CARD_NUMBER", "INVALID_CVV", "NOT_PAID", "PAYER_REJECTED", "PAYMENT_REFUSED", "SIMULATED",
        "SUSPECTED_FRAUD", "TEST_CARD_UNKNOWN", "THREE_DS_REFUSED", "UNKNOWN_CARD_TYPE",
    }
)  # fmt: skip
"""Failure codes by which the payer, the payer's bank or the company's terms decided; all others are technical."""
# Per merchant, so that an index-only scan answers; OFFSET 0 forces the planner to do so.
_COUNTED = f"""
    SELECT p.account_id, p.moved_from_id, p.method, p.currency, p.status, p.failure_code, count(*)
      FROM {table(Merchant)} m CROSS JOIN LATERAL (
           SELECT account_id, moved_from_id, method, currency, status, failure_code FROM {table(Payment)}
            WHERE merchant_id = m.id AND created_at >= %(begins)s AND created_at < %(ends)s OFFSET 0) p
     WHERE m.environment = %(environment)s AND (%(merchant)s::bigint IS NULL OR m.id = %(merchant)s)
       AND p.account_id IS NOT NULL
     GROUP BY 1, 2, 3, 4, 5, 6
"""


@dataclass(slots=True)
class Attempts:
    """The payments of a method and currency at one acquirer, by what became of them there."""

    acquirer: str
    method: str
    currency: str
    paid: int = 0
    declined: int = 0
    technical: int = 0
    moved: int = 0
    undecided: int = 0
    reasons: Counter[str] = field(default_factory=Counter)

    @property
    def count(self) -> int:
        return self._decided + self.undecided

    @property
    def rate(self) -> Decimal | None:
        """Paid of what was decided, in per cent with one decimal. Open and expired payments are not decided."""
        if not self._decided:
            return None
        return (Decimal(100 * self.paid) / self._decided).quantize(Decimal("0.1"), ROUND_HALF_UP)

    @property
    def top_reasons(self) -> list[tuple[str, int]]:
        """The most frequent failure codes."""
        return sorted(self.reasons.items(), key=lambda one: (-one[1], one[0]))[:TOP]

    @property
    def _decided(self) -> int:
        return self.paid + self.declined + self.technical + self.moved

    def add(self, status: str, failure_code: str | None, count: int) -> None:
        if status in (Status.PAID, Status.REFUNDED, Status.AUTHORIZED):
            self.paid += count
        elif status != Status.FAILED:
            self.undecided += count
        else:
            self.reasons[failure_code or ""] += count
            if failure_code in DECLINES:
                self.declined += count
            else:
                self.technical += count


def of_merchant(merchant: Merchant, period: Period) -> list[Attempts]:
    """Of one merchant, by the name of the institution. The period has at most `LONGEST_DAYS` days."""
    return _attempts(_counted(merchant.environment, period, merchant.pk), _title_of)


def of_everybody(period: Period) -> list[Attempts]:
    """Of all companies in production, by account. The period has at most `LONGEST_DAYS` days."""
    return _attempts(_counted(Environment.PRODUCTION, period, None), str)


def _attempts(rows: Iterable[tuple[Any, ...]], name_of: Callable[[ProviderAccount], str]) -> list[Attempts]:
    """A payment that moved counts once at each of the two accounts."""
    names = {account.pk: name_of(account) for account in ProviderAccount.objects.defer("sealed_credentials")}
    found: dict[tuple[str, str, str], Attempts] = {}

    def at(account_id: str, method: str, currency: str) -> Attempts:
        key = (names[account_id], method, currency)
        return found.setdefault(key, Attempts(*key))

    for account_id, moved_from_id, method, currency, status, failure_code, count in rows:
        at(account_id, method, currency).add(status, failure_code, count)
        if moved_from_id:
            at(moved_from_id, method, currency).moved += count
    return [found[key] for key in sorted(found)]


def _counted(environment: str, period: Period, merchant_id: int | None) -> list[tuple[Any, ...]]:
    assert len(period.days) <= LONGEST_DAYS
    limits: dict[str, Any] = {
        "begins": period.begins,
        "ends": period.ends,
        "environment": environment,
        "merchant": merchant_id,
    }
    with connection.cursor() as cursor:
        cursor.execute(_COUNTED, limits)
        return list(cursor.fetchall())


def _title_of(account: ProviderAccount) -> str:
    known = declared().get(account.provider)
    return known.title if known else account.provider
