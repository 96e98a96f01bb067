"""How many of the finished payments were paid, and why the others failed."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from gateway.sales.models import Kind
from gateway.sales.selectors import Sales, Total


@dataclass(frozen=True, slots=True)
class Accepted:
    """Finished payments. Declined is what a payer, bank or provider refused; expired is what nobody paid in time."""

    paid: int = 0
    declined: int = 0
    expired: int = 0

    @property
    def decided(self) -> int:
        return self.paid + self.declined

    @property
    def ended(self) -> int:
        return self.decided + self.expired

    @property
    def rate(self) -> Decimal | None:
        """Paid of those that were paid or declined, in per cent with one decimal; None without any."""
        return share(self.paid, self.decided)

    @property
    def paid_rate(self) -> Decimal | None:
        """Paid of all that ended: what counts for slips and codes, which a payer may simply not pay."""
        return share(self.paid, self.ended)

    def __add__(self, other: "Accepted") -> "Accepted":
        return Accepted(self.paid + other.paid, self.declined + other.declined, self.expired + other.expired)


def share(part: int, whole: int) -> Decimal | None:
    """Per cent with one decimal; None of nothing."""
    return (Decimal(100 * part) / whole).quantize(Decimal("0.1"), ROUND_HALF_UP) if whole else None


def accepted(found: Sales, *, before: bool = False) -> dict[str, Accepted]:
    """By method, of the payments created in the period; in the order of the methods' names."""
    return dict(sorted(_by(found, "method", before=before)))


def accepted_by_step(found: Sales) -> list[Accepted]:
    """By day or month of the period."""
    known: dict[int, Accepted] = dict(_by(found, "step", before=False))
    return [known.get(step, Accepted()) for step in range(len(found.steps))]


def _by(found: Sales, name: str, *, before: bool) -> Iterator[tuple[Any, Accepted]]:
    paid, declined, expired = (
        found.by(name, kind=kind, before=before) for kind in (Kind.ACCEPTED, Kind.DECLINED, Kind.EXPIRED)
    )
    for key in {*paid, *declined, *expired}:
        yield key, Accepted(*(one.get(key, Total()).count for one in (paid, declined, expired)))
