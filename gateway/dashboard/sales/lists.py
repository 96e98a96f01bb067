"""The lists behind the numbers: payments and refunds, filtered to exactly what was counted."""

from dataclasses import dataclass, replace
from datetime import date
from urllib.parse import urlencode

from accounts.base.periods import Period
from gateway.dashboard.context import RequestContext
from gateway.refunds.inbox import OF_PAYERS


@dataclass(frozen=True, slots=True)
class Lists:
    """The URLs of lists of one period of whole days. A value of None or "" is no filter."""

    here: RequestContext
    period: Period
    period_before: Period

    @property
    def before(self) -> "Lists":
        """Those of the period that it is compared with."""
        return replace(self, period=self.period_before)

    def paid(self, currency: str, method: str = "", days: tuple[date, date] | None = None) -> str:
        """The payments that were paid."""
        first, last = self._days(days)
        return self._to("payments", currency=currency, method=method, paid_since=f"{first}T00:00",
                        paid_until=f"{last}T23:59")  # fmt: skip

    def created(self, method: str, *statuses: str, failure: str = "", days: tuple[date, date] | None = None) -> str:
        """The payments of these statuses that were created."""
        first, last = self._days(days)
        return self._to("payments", method=method, status=statuses, failure=failure, since=f"{first}T00:00",
                        until=f"{last}T23:59")  # fmt: skip

    def refunded(self, currency: str) -> str:
        """The refunds that were completed."""
        first, last = self._days(None)
        return self._to("refunds", tab="all", currency=currency, completed_since=first, completed_until=last)

    def disputes(self) -> str:
        """The disputes that began."""
        first, last = self._days(None)
        return self._to("refunds", tab="all", kind=OF_PAYERS, since=first, until=last)

    def _days(self, days: tuple[date, date] | None) -> tuple[date, date]:
        return days or (self.period.days[0], self.period.days[-1])

    def _to(self, name: str, **filters: object) -> str:
        given = {key: value for key, value in filters.items() if value not in ("", None, ())}
        return f"{self.here.to(name)}?{urlencode(given, doseq=True)}"
