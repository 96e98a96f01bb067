"""The available balance of the next days, if nobody does anything and no customer pays."""

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta, tzinfo
from enum import StrEnum
from heapq import heappop, heappush
from typing import NamedTuple

from accounts.base import clock
from accounts.base.errors import Refusal
from accounts.base.periods import Period
from accounts.models import Merchant
from gateway.forecasts import flows
from gateway.forecasts.flows import Inflow, reserved_of
from gateway.payout_schedules.calendar import next_look, next_run
from gateway.payout_schedules.models import Frequency, PayoutSchedule
from gateway.payout_schedules.selectors import due_amount, is_kept, running
from gateway.payouts.selectors import PayoutTerms
from gateway.withdrawals import gates
from ledger.receivables.advances import AdvanceQuote
from ledger.wallets.selectors import holdings

DAYS = 30


class Cause(StrEnum):
    """Why the available balance will change, in display order."""

    ADVANCE = "ADVANCE"
    RELEASES = "RELEASES"
    RESERVE_ENDS = "RESERVE_ENDS"
    RESERVE = "RESERVE"
    OWED = "OWED"
    PAYOUTS = "PAYOUTS"


@dataclass(slots=True)
class ForecastDay:
    """The changes of a day, and the balance at its end. Minor units; `counts` are the releases, payouts and so on."""

    day: date
    available: int = 0
    changes: dict[Cause, int] = field(default_factory=lambda: defaultdict(int))
    counts: dict[Cause, int] = field(default_factory=lambda: defaultdict(int))

    @property
    def change(self) -> int:
        return sum(self.changes.values())


@dataclass(frozen=True, slots=True)
class Forecast:
    """The balance now, and at the end of today and of each of the next days."""

    currency: str
    opening: int
    days: list[ForecastDay]

    @property
    def closing(self) -> int:
        return self.days[-1].available

    @property
    def lowest(self) -> int:
        return min(self.opening, *(day.available for day in self.days))

    def total(self, cause: Cause) -> int:
        return sum(day.changes.get(cause, 0) for day in self.days)


class _Event(NamedTuple):
    """Something that happens at a time. Of one instant, money comes in before it is paid out."""

    at: datetime
    rank: int
    number: int
    cause: Cause
    flow: Inflow


def forecast(merchant: Merchant, currency: str, zone: tzinfo, advance: AdvanceQuote | None = None) -> Forecast:
    """Today and the next 30 days, in the reader's zone. With an advance: as if it were approved now.

    Counts receivables, rolling reserves, what incoming money must cover, and scheduled payouts. What depends on a
    decision is left out: `gateway.forecasts.uncertain`.
    """
    return _Wallet(merchant, currency, zone, advance).lived_through()


class _Wallet:
    """A wallet on its way through the coming days."""

    def __init__(self, merchant: Merchant, currency: str, zone: tzinfo, advance: AdvanceQuote | None) -> None:
        self.merchant, self.currency, self.zone, self.advance = merchant, currency, zone, advance
        self.now = clock.now(merchant)
        today = self.now.astimezone(zone).date()
        self.period = Period.of_days(today, today + timedelta(days=DAYS), zone)
        self.days = {day: ForecastDay(day) for day in self.period.days}
        self.opening = self.available = holdings(merchant, currency).currencies[currency].available
        self.missing = flows.missing(merchant, currency)
        self.events: list[_Event] = []
        self.payouts = self._payouts()

    def lived_through(self) -> Forecast:
        self._plan()
        while self.events:
            event = heappop(self.events)
            if event.cause == Cause.PAYOUTS:
                self._pay_out(event.at)
            else:
                self._take_in(event)
        balance = self.opening
        for day in self.days.values():
            balance += day.change
            day.available = balance
        return Forecast(self.currency, self.opening, list(self.days.values()))

    def _plan(self) -> None:
        items, ends = (self.advance.items if self.advance else []), self.period.ends
        if items:
            reserved = sum(reserved_of(self.merchant, item.net) for item in items)
            self._expect(Cause.ADVANCE, Inflow(self.now, len(items), sum(item.net for item in items), reserved))
        gone = [item.receivable.pk for item in items]
        for flow in flows.releases(self.merchant, self.currency, ends, self.zone, without=gone):
            self._expect(Cause.RELEASES, flow)
        for flow in flows.ending_reserves(self.merchant, self.currency, ends, self.zone):
            self._expect(Cause.RESERVE_ENDS, flow)
        if self.payouts and self.payouts[0].next_at:
            self._expect(Cause.PAYOUTS, Inflow(self.payouts[0].next_at, 1, 0))

    def _expect(self, cause: Cause, flow: Inflow) -> None:
        at = max(flow.at, self.now)
        if at < self.period.ends:
            rank = 1 if cause == Cause.PAYOUTS else 0
            heappush(self.events, _Event(at, rank, len(self.events), cause, flow))

    def _take_in(self, event: _Event) -> None:
        """Incoming money covers what is missing first; a reserve is held only of a wallet that owes nothing."""
        flow = event.flow
        self._change(event.at, event.cause, flow.amount, flow.count)
        covered = min(self.missing, flow.amount)
        self.missing -= covered
        self._change(event.at, Cause.OWED, -covered)
        reserved = min(flow.reserved, self.available)
        if not self.missing and reserved > 0:
            self._change(event.at, Cause.RESERVE, -reserved)
            ends = event.at + timedelta(days=self.merchant.reserve_days)
            self._expect(Cause.RESERVE_ENDS, Inflow(ends, flow.count, reserved))

    def _pay_out(self, at: datetime) -> None:
        assert self.payouts
        schedule, terms = self.payouts
        amount = due_amount(schedule, self.available, terms)
        if amount:
            self._change(at, Cause.PAYOUTS, -amount - terms.fee_of(amount), 1)
        looks_again = not amount and schedule.frequency == Frequency.ABOVE
        following = next_look(schedule, at) if looks_again else next_run(schedule, at)
        self._expect(Cause.PAYOUTS, Inflow(following, 1, 0))

    def _change(self, at: datetime, cause: Cause, amount: int, count: int = 0) -> None:
        if amount:
            day = self.days[at.astimezone(self.zone).date()]
            day.changes[cause] += amount
            day.counts[cause] += count
            self.available += amount

    def _payouts(self) -> tuple[PayoutSchedule, PayoutTerms] | None:
        """The schedule of this wallet with its terms; None: there is none, or it may not pay."""
        schedule = running(self.merchant).filter(currency=self.currency).first()
        if schedule is None:
            return None
        schedule.merchant = self.merchant
        try:
            gates.require_enabled(self.merchant)
            terms = gates.require_rail(self.merchant, schedule.rail, self.currency)
        except Refusal:
            return None
        return (schedule, terms) if is_kept(schedule) else None
