"""The refundable amount of a payment, the reason if there is none, and the source of the money. Reads only."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from accounts.base.errors import Refusal
from gateway.methods import selectors as methods
from gateway.payments.errors import CompanyNotActive, PaymentState
from gateway.payments.models import Payment, Status
from gateway.refunds.errors import ReceivableReserved, RefundAmountExceeded, RefundInDispute, RefundWindowClosed
from gateway.refunds.models import DISPUTED, OPEN, Refund
from ledger.money import convert
from ledger.receivables.models import Receivable, State
from ledger.wallets.selectors import Holding, holdings


@dataclass(frozen=True, slots=True)
class RefundStanding:
    """`left` is neither refunded nor being refunded, in minor units. `refusal` None: it can be refunded until
    `until`.
    """

    left: int
    on_its_way: int
    until: datetime | None
    refusal: Refusal | None


def standing(
    payment: Payment, refunds: Iterable[Refund], now: datetime, receivable: Receivable | None = None
) -> RefundStanding:
    """The refund standing of a payment with these refunds. Its merchant must be loaded.

    Returns, without raising, ONP403_COMPANY_STATUS, ONP409_PAYMENT_STATE, ONP409_REFUND_IN_DISPUTE,
    ONP422_REFUND_AMOUNT_EXCEEDED, ONP422_REFUND_WINDOW_CLOSED and ONP409_RECEIVABLE_RESERVED.
    """
    under_way = [refund for refund in refunds if refund.status in OPEN]
    on_its_way = sum(refund.amount for refund in under_way)
    left = payment.amount - payment.refunded_amount - on_its_way
    until = None
    if payment.paid_at:
        until = payment.paid_at + methods.refund_window(payment.merchant, payment.method, payment.currency)
    refusals: tuple[tuple[Refusal, object], ...] = (
        (CompanyNotActive(), not payment.merchant.is_operational),
        (PaymentState(paymentId=payment.id, paymentStatus=payment.status), payment.status != Status.PAID),
        (RefundInDispute(), any(refund.status in DISPUTED for refund in under_way)),
        (RefundAmountExceeded(field="amount"), not left),
        (RefundWindowClosed(), until and now > until),
        (ReceivableReserved(), receivable and receivable.state == State.RESERVED_FOR_ADVANCE),
    )
    refusal = next((refusal for refusal, holds in refusals if holds), None)
    return RefundStanding(left, on_its_way, until, refusal)


@dataclass(frozen=True, slots=True)
class Sources:
    """Where the money of a refund comes from, in minor units of the wallet's currency.

    First from the payment's own receivable, the rest from the `available` balance.
    """

    currency: str
    from_releasing: int
    from_available: int
    available: int

    @property
    def missing(self) -> int:
        return max(0, self.from_available - self.available)


def sources(payment: Payment, left: int, amount: int, receivable: Receivable | None) -> Sources:
    """The sources of a refund of `amount`, with `left` remaining of the payment. Its merchant must be loaded."""
    currency, wanted = in_wallet(payment, left, amount)
    releasing = 0
    if receivable and receivable.state == State.SCHEDULED:
        releasing = min(wanted, receivable.amount)
    return Sources(
        currency,
        from_releasing=releasing,
        from_available=wanted - releasing,
        available=holdings(payment.merchant, currency).currencies.get(currency, Holding()).available,
    )


def in_wallet(payment: Payment, left: int, amount: int) -> tuple[str, int]:
    """The wallet's currency and the amount in it, with `left` remaining of the payment.

    At the payment's own rate. Parts are differences of the converted total, so that they add up.
    """
    if not (payment.settlement_currency and payment.settlement_rate):
        return payment.currency, amount
    target, gone = payment.settlement_currency, payment.amount - left
    before, after = (
        convert(minor, payment.currency, target, payment.settlement_rate) for minor in (gone, gone + amount)
    )
    return target, after - before
