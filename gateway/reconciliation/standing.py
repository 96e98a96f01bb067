"""How each bank account stands: its last statement against the books, what is in suspense, and what is missing."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

import structlog
from django.conf import settings
from django.db.models import Aggregate, BigIntegerField, Count, Min, OuterRef, Q, QuerySet, Subquery, Sum, Value

from accounts.base.clock import utcnow
from gateway.reconciliation.models import BankAccount, BankLine, BankStatement, LinePart
from gateway.suspense.models import OPEN, SuspenseItem
from ledger.chart import AccountKind
from ledger.models import Balance

State = BankLine.State
SATURDAY = 5

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Standing:
    """Amounts in minor units. `booked` is what all books say is at the bank, `waiting` the sum of unmatched lines.

    `statement_id` is None, and `closing` 0, before the first statement.
    """

    account: BankAccount
    statement_id: str | None
    closed_on: date | None
    closing: int
    booked: int
    waiting: int
    held: int
    held_sum: int
    held_since: datetime | None

    @property
    def difference(self) -> int:
        """What the last statement says beyond the books and the lines that wait to be matched: 0 is right."""
        return self.closing - self.booked - self.waiting


def standings() -> list[Standing]:
    """Of every bank account, by code, closed ones as well; in one statement."""
    last = BankStatement.objects.filter(account=OuterRef("pk")).order_by("-position")
    bank = Balance.objects.filter(
        account__kind=AccountKind.BANK, account__method=OuterRef("code"), account__currency=OuterRef("currency")
    )
    unmatched = (State.WAITING, State.UNNAMED)
    waiting = BankLine.objects.filter(account=OuterRef("pk"), state__in=unmatched, due_at__isnull=False)
    held = SuspenseItem.objects.filter(state__in=OPEN, bank_account=OuterRef("code"))
    found = BankAccount.objects.order_by("code").annotate(
        statement_id=Subquery(last.values("pk")[:1]),
        closed_on=Subquery(last.values("closed_on")[:1]),
        closing=Subquery(last.values("closing")[:1]),
        credited=_of_all(bank, _total()),
        waiting=_of_all(waiting, _total()),
        held=_of_all(held, Count("pk")),
        held_sum=_of_all(held, _total()),
        held_since=_of_all(held, Min("received_at")),
    )
    return [
        Standing(
            one,
            one.statement_id,
            one.closed_on,
            one.closing or 0,
            -(one.credited or 0),
            one.waiting or 0,
            one.held or 0,
            one.held_sum or 0,
            one.held_since,
        )
        for one in found
    ]


def _of_all(rows: QuerySet[Any], of: Aggregate) -> Subquery:
    return Subquery(rows.order_by().annotate(all=Value(1)).values("all").annotate(told=of).values("told"))


def booked_until(statement: BankStatement) -> int:
    """What the books say of the account once the statement and those before it were booked, in minor units."""
    until = BankLine.objects.filter(account_id=statement.account_id, statement__position__lte=statement.position)
    parts = LinePart.objects.filter(account_id=statement.account_id, undone_by="")
    explained = _sum(parts.filter(Q(line=None) | Q(line__statement__position__lte=statement.position)))
    held = SuspenseItem.objects.filter(state__in=OPEN, line_id__in=until.filter(state=State.SUSPENSE).values("pk"))
    # A line and its later reversal are booked as nothing.
    return explained + _sum(held) + _sum(until.filter(state=State.REVERSED))


def _sum(rows: QuerySet[Any]) -> int:
    return rows.aggregate(minor=_total())["minor"] or 0


def _total() -> Sum:
    return Sum("amount", output_field=BigIntegerField())


# ── Missing statements ────────────────────────────────────────────────────────────────────────────────────────────────
def banking_days(after: date, before: date) -> int:
    """Mondays to Fridays between the two, without both. Holidays count: the setting leaves room for them."""
    days = (after + timedelta(days=n) for n in range(1, (before - after).days))
    return sum(day.weekday() < SATURDAY for day in days)


def watch() -> int:
    """Notes which accounts miss a statement, with one critical log line each, and which miss none any more.

    An account misses one if more than `STATEMENTS_LATE_AFTER_DAYS` banking days have gone by since its last one, or
    since it was entered. Returns how many miss one.
    """
    now = utcnow()
    missing = 0
    for account in BankAccount.objects.order_by("code"):
        seen = last_day(account)
        gone_by = banking_days(seen, now.astimezone(UTC).date())
        is_missing = not account.is_closed and gone_by > settings.STATEMENTS_LATE_AFTER_DAYS
        missing += is_missing
        if is_missing and account.missing_since is None:
            log.critical("bank_statement.missing", account=account.code, since=str(seen))
        if is_missing != (account.missing_since is not None):
            BankAccount.objects.filter(pk=account.pk).update(missing_since=now if is_missing else None)
    return missing


def last_day(account: BankAccount) -> date:
    """Until when statements tell of the account; without one the day on which it was entered."""
    last = BankStatement.objects.filter(account=account).order_by("-position").values_list("closed_on", flat=True)
    return last.first() or account.created_at.date()
