"""The rows of the sales page: totals by currency, by method, and what became of payments and disputes."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from gateway.dashboard.sales.lists import Lists
from gateway.methods.failures import sentence_of
from gateway.methods.registry import CARDS
from gateway.sales.acceptance import Accepted, accepted, share
from gateway.sales.models import Kind
from gateway.sales.reporting import Converted
from gateway.sales.selectors import Sales, Total

MOST_REASONS = 12


@dataclass(frozen=True, slots=True)
class Activity:
    """What was paid in one currency, what went back, and what remains. Minor units."""

    currency: str
    paid: Total
    paid_before: Total
    returned: Total
    reversed: Total
    address: str
    before_address: str
    refunds_address: str

    @property
    def net(self) -> int:
        """After fees and refunds; with the money of disputes that came back. Fees are not refunded."""
        return self.paid.amount - self.paid.fee - self.returned.amount + self.reversed.amount

    @property
    def change(self) -> Decimal | None:
        return change(self.paid.amount, self.paid_before.amount)


def change(now: int, before: int) -> Decimal | None:
    """In per cent; None if there was nothing before."""
    return share(now - before, before)


@dataclass(frozen=True, slots=True)
class InOne:
    """What was sold in all currencies, in one of them."""

    now: Converted
    before: Converted

    @property
    def change(self) -> Decimal | None:
        return change(self.now.paid, self.before.paid)


def activity(found: Sales, lists: Lists, currencies: list[str]) -> list[Activity]:
    """By currency, in the given order."""
    paid, before = found.by("currency", kind=Kind.PAID), found.by("currency", kind=Kind.PAID, before=True)
    returned, back = found.by("currency", kind=Kind.RETURNED), found.by("currency", kind=Kind.REVERSED)
    none = Total()
    return [
        Activity(
            currency=code,
            paid=paid.get(code, none),
            paid_before=before.get(code, none),
            returned=returned.get(code, none),
            reversed=back.get(code, none),
            address=lists.paid(code),
            before_address=lists.before.paid(code),
            refunds_address=lists.refunded(code),
        )
        for code in currencies
    ]


def used(found: Sales, *, before: bool = True) -> set[str]:
    """The currencies with payments or refunds in the period, or in the one before."""
    kinds = (Kind.PAID, Kind.RETURNED, Kind.REVERSED)
    return {part.currency for part in found.parts if part.kind in kinds and (before or part.step is not None)}


@dataclass(frozen=True, slots=True)
class ByMethod:
    method: str
    paid: Total
    before: Total
    share: Decimal | None
    address: str
    before_address: str

    @property
    def change(self) -> Decimal | None:
        return change(self.paid.amount, self.before.amount)


def by_method(found: Sales, lists: Lists, currency: str) -> list[ByMethod]:
    """What was paid in one currency, the largest amount first."""
    now = found.by("method", kind=Kind.PAID, currency=currency)
    before = found.by("method", kind=Kind.PAID, currency=currency, before=True)
    whole = sum(total.amount for total in now.values())
    rows = [
        ByMethod(method, now.get(method, Total()), before.get(method, Total()),
                 share(now.get(method, Total()).amount, whole), lists.paid(currency, method),
                 lists.before.paid(currency, method))
        for method in {*now, *before}
    ]  # fmt: skip
    return sorted(rows, key=lambda row: (-row.paid.amount, row.method))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of the payments of a method, with the lists of each."""

    method: str
    now: Accepted
    before: Accepted
    lists: Lists

    @property
    def points(self) -> Decimal | None:
        """By how many percentage points the rate changed."""
        if self.method in CARDS:
            now, before = self.now.rate, self.before.rate
        else:
            now, before = self.now.paid_rate, self.before.paid_rate
        return None if now is None or before is None else now - before

    @property
    def paid_address(self) -> str:
        return self.lists.created(self.method, "PAID", "REFUNDED")

    @property
    def before_address(self) -> str:
        return self.lists.before.created(self.method, "PAID", "REFUNDED")

    @property
    def declined_address(self) -> str:
        return self.lists.created(self.method, "FAILED")

    @property
    def expired_address(self) -> str:
        return self.lists.created(self.method, "EXPIRED")


def outcomes(found: Sales, lists: Lists) -> tuple[list[Outcome], list[Outcome]]:
    """Of cards, and of everything that a payer may simply not pay; the most frequent method first."""
    before = accepted(found, before=True)
    rows = [Outcome(method, one, before.get(method, Accepted()), lists) for method, one in accepted(found).items()]
    rows.sort(key=lambda row: -row.now.ended)
    return [row for row in rows if row.method in CARDS], [row for row in rows if row.method not in CARDS]


@dataclass(frozen=True, slots=True)
class Reason:
    """Why payments of a method failed, and how often."""

    method: str
    code: str
    count: int
    before: int
    address: str

    @property
    def sentence(self) -> str:
        return sentence_of(self.code)


def reasons(found: Sales, lists: Lists) -> list[Reason]:
    """The most frequent first."""
    before = found.by("method", "reason", kind=Kind.DECLINED, before=True)
    rows = [
        Reason(method, code, total.count, before.get((method, code), Total()).count,
               lists.created(method, "FAILED", failure=code))
        for (method, code), total in found.by("method", "reason", kind=Kind.DECLINED).items()
    ]  # fmt: skip
    return sorted(rows, key=lambda row: (-row.count, row.method, row.code))


@dataclass(frozen=True, slots=True)
class Disputes:
    """Disputes that began in the period, and how many of those that are decided were won."""

    begun: int
    won: int
    lost: int

    @property
    def win_rate(self) -> Decimal | None:
        return share(self.won, self.won + self.lost)


def disputes(found: Sales, *, before: bool = False) -> Disputes:
    kinds = (Kind.DISPUTED, Kind.DISPUTE_WON, Kind.DISPUTE_LOST)
    return Disputes(*(found.total(kind, before=before).count for kind in kinds))


def steps(found: Sales, currency: str) -> Iterator[tuple[int, dict[str, Total]]]:
    """What was paid in one currency, by day or month and by method."""
    sold: dict[int, dict[str, Total]] = {step: {} for step in range(len(found.steps))}
    for (step, method), total in found.by("step", "method", kind=Kind.PAID, currency=currency).items():
        sold[step][method] = total
    yield from sold.items()
