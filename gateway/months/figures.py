"""The sums of a month: movements by category, buckets, and fees by what they were charged for."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from gateway.conversions.models import Conversion
from gateway.months.books import Part
from gateway.payments.models import Payment
from gateway.refunds.models import Origin, Refund
from gateway.withdrawals.models import Withdrawal
from ledger.closings.models import TOTAL


class Category(StrEnum):
    """Movements of a month, in the order in which they are shown."""

    SALES = "sales"
    FEES = "fees"
    REFUNDS = "refunds"
    DISPUTES = "disputes"
    PAYOUTS = "payouts"
    CONVERSIONS = "conversions"
    ADVANCES = "advances"
    OTHER = "other"


CATEGORY: dict[str, Promise] = {
    Category.SALES: _("Sales"),
    Category.FEES: _("Fees"),
    Category.REFUNDS: _("Refunds"),
    Category.DISPUTES: _("Disputes"),
    Category.PAYOUTS: _("Payouts"),
    Category.CONVERSIONS: _("Conversions"),
    Category.ADVANCES: _("Cost of advances"),
    Category.OTHER: _("Other"),
}


@dataclass(slots=True)
class Sum:
    """How many, and how much. Minor units."""

    count: int = 0
    amount: int = 0

    def add(self, amount: int) -> None:
        self.count += 1
        self.amount += amount


@dataclass(slots=True)
class FeeLine:
    """What we charged for one method, rail or advances. `base` is what it was charged on. Minor units."""

    count: int = 0
    base: int = 0
    fee: int = 0

    def add(self, base: int, fee: int) -> None:
        self.count += 1
        self.base += base
        self.fee += fee


@dataclass(slots=True)
class Wallet:
    """The sums of one currency. `earlier` are movements that count for an earlier month and were written late."""

    movements: dict[Category, Sum] = field(default_factory=lambda: defaultdict(Sum))
    earlier: Sum = field(default_factory=Sum)
    grown: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    fees: dict[tuple[str, str], FeeLine] = field(default_factory=lambda: defaultdict(FeeLine))


@dataclass(frozen=True, slots=True)
class Subjects:
    """What the parts of a chunk are about, by id."""

    payments: dict[str, Payment]
    refunds: dict[str, Refund]
    withdrawals: dict[str, Withdrawal]
    conversions: dict[str, Conversion]

    @classmethod
    def of(cls, parts: Iterable[Part]) -> "Subjects":
        ids = {subject_id(part) for part in parts if part.bucket == TOTAL}
        return cls(
            Payment.objects.in_bulk([one for one in ids if one.startswith("pay_")]),
            Refund.objects.select_related("payment").in_bulk([one for one in ids if one.startswith("ref_")]),
            Withdrawal.objects.defer("sealed_destination").in_bulk([one for one in ids if one.startswith("wdr_")]),
            Conversion.objects.in_bulk([one for one in ids if one.startswith("cnv_")]),
        )

    def category(self, part: Part) -> Category:
        refund = self.refunds.get(subject_id(part))
        return category_of(part.kind, is_dispute=refund is not None and refund.origin == Origin.PAYER)


def category_of(kind: str, *, is_dispute: bool) -> Category:
    """Which movement a transfer of this kind is; `is_dispute`: it is of a refund that the payer asked for."""
    if kind == "receivable.advanced":
        return Category.ADVANCES
    if kind.startswith("refund."):
        return Category.DISPUTES if is_dispute else Category.REFUNDS
    return _CATEGORIES.get(kind.partition(".")[0], Category.OTHER)


_CATEGORIES = {"payment": Category.SALES, "withdrawal": Category.PAYOUTS, "conversion": Category.CONVERSIONS}


def subject_id(part: Part) -> str:
    """A refund that was funded in several steps has several references."""
    return part.reference.partition(":")[0]


@dataclass(slots=True)
class Figures:
    """All wallets of a month."""

    begins: datetime
    wallets: dict[str, Wallet] = field(default_factory=lambda: defaultdict(Wallet))

    def add(self, part: Part, subjects: Subjects) -> None:
        wallet = self.wallets[part.currency]
        wallet.grown[part.bucket] += part.net
        if part.bucket != TOTAL:
            return
        if part.posted_at < self.begins and part.net:
            wallet.earlier.add(part.net)
        if part.amount:
            wallet.movements[subjects.category(part)].add(part.amount)
        if part.fee:
            wallet.movements[Category.FEES].add(-part.fee)
            wallet.fees[_charged_for(part, subjects)].add(abs(part.amount), part.fee)
        if part.advance_fee:
            wallet.movements[Category.ADVANCES].add(-part.advance_fee)
            wallet.fees["advance", ""].add(0, part.advance_fee)

    def stored(self) -> dict[str, Any]:
        """As JSON."""
        return {
            currency: {
                "movements": {str(name): [one.count, one.amount] for name, one in wallet.movements.items()},
                "earlier": [wallet.earlier.count, wallet.earlier.amount],
                "grown": dict(wallet.grown),
                "fees": [[*about, one.count, one.base, one.fee] for about, one in wallet.fees.items()],
            }
            for currency, wallet in self.wallets.items()
        }

    @classmethod
    def restored(cls, begins: datetime, stored: dict[str, Any]) -> "Figures":
        found = cls(begins)
        for currency, known in stored.items():
            wallet = found.wallets[currency]
            wallet.movements.update({Category(name): Sum(*one) for name, one in known["movements"].items()})
            wallet.earlier = Sum(*known["earlier"])
            wallet.grown.update(known["grown"])
            wallet.fees.update({(group, name): FeeLine(*one) for group, name, *one in known["fees"]})
        return found


def _charged_for(part: Part, subjects: Subjects) -> tuple[str, str]:
    if payment := subjects.payments.get(part.reference):
        return "payment", payment.method
    withdrawal = subjects.withdrawals.get(part.reference)
    return ("payout", withdrawal.rail) if withdrawal else ("other", "")
