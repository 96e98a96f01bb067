"""What the pretended Adyen settles and pays out: everything that has moved since the last time, with its fees."""

from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal

from tests.support.adyen.books import Change, Payment
from tests.support.adyen.settlements import Batch

CENT = Decimal("0.01")
RATE, FIXED, REFUND, DISPUTE = Decimal("0.0235"), Decimal("0.60"), Decimal("0.20"), Decimal("45.00")


def fee_of(payment: Payment) -> Decimal:
    amount = Decimal(payment.amount["value"]) / 100
    return (amount * RATE).quantize(CENT, ROUND_HALF_UP) + FIXED


@dataclass
class Settled:
    moved: list[tuple[str, Payment | Change]] = field(default_factory=list)
    disputes: list[Change] = field(default_factory=list)
    batches: int = 0

    def move(self, kind: str, of: Payment | Change) -> None:
        self.moved.append((kind, of))

    def pay_out(self) -> list[Batch]:
        """A batch for each currency."""
        moved, self.moved = self.moved, []
        batches: dict[str, Batch] = {}
        for kind, of in moved:
            currency = of.amount["currency"]
            if currency not in batches:
                self.batches += 1
                batches[currency] = Batch(self.batches, currency)
            _write(batches[currency], kind, of)
        for batch in batches.values():
            batch.pay_out()
        return list(batches.values())


def _write(batch: Batch, kind: str, of: Payment | Change) -> None:
    if isinstance(of, Payment):
        batch.settled(of, str(fee_of(of)))
    elif kind == "Refunded":
        batch.refunded(of, str(REFUND))
    elif of.payment:
        batch.disputed(of.payment, str(DISPUTE if kind == "Chargeback" else -DISPUTE), of.psp, kind)
