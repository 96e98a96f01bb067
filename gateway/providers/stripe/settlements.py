"""Balance transactions and payouts (docs.stripe.com/api/balance_transactions, /reports/reporting-categories)."""

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from pydantic.dataclasses import dataclass

from gateway.methods.registry import Method
from gateway.providers.client import shaped
from gateway.providers.errors import Unreadable
from gateway.providers.settlements import OF_A_PAYMENT, LineKind, ReportedLine, our_id
from gateway.providers.stripe.shapes import exact
from ledger.money import DECIMALS

PAYMENT, REFUND = "onpay_payment", "onpay_refund"
KINDS = {
    "charge": LineKind.PAYMENT,
    "refund": LineKind.REFUND,
    "refund_failure": LineKind.REFUND_FAILED,
    "dispute": LineKind.DISPUTE,
    "dispute_reversal": LineKind.DISPUTE_WON,
    "fee": LineKind.FEE,
    "network_cost": LineKind.FEE,
    "tax": LineKind.FEE,
    "payout": LineKind.PAYOUT,
    "payout_reversal": LineKind.PAYOUT_FAILED,
}
"""Reporting categories. All others are adjustments, about which people decide."""
Lists = Callable[[Mapping[str, Any]], Iterator[dict[str, Any]]]
"""All objects of a list, page after page."""


@dataclass(frozen=True, slots=True)
class Card:
    """That of a dispute has no funding."""

    funding: str = ""


@dataclass(frozen=True, slots=True)
class Details:
    card: Card | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """What a balance transaction is about: a charge, refund, dispute or payout."""

    id: str
    amount: int = 0
    currency: str = ""
    charge: str | None = None
    payment_method_details: Details | None = None
    metadata: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class BalanceTransaction:
    """Amounts are in the currency of the balance; those of `source` in the currency of the payment."""

    id: str
    amount: int
    fee: int
    net: int
    currency: str
    created: int
    reporting_category: str
    source: Source | str | None = None


@dataclass(frozen=True, slots=True)
class Payout:
    id: str
    automatic: bool


def lines_of(day: str, transactions: Lists, payouts: Lists) -> Iterator[ReportedLine]:
    """What happened on the day, and then what was paid out with each payout of the day.

    Raises Unreadable for what cannot be booked, NotSent and Unclear.
    """
    begins = datetime.strptime(day, "%Y-%m-%d").replace(tzinfo=UTC)
    created = {"gte": int(begins.timestamp()), "lt": int((begins + timedelta(days=1)).timestamp())}
    for one in transactions({"created": created}):
        yield _line(shaped(one, BalanceTransaction))
    for payout in (shaped(one, Payout) for one in payouts({"created": created})):
        if payout.automatic:  # of another one Stripe does not say what it contains
            for one in transactions({"payout": payout.id}):
                yield _line(shaped(one, BalanceTransaction), payout.id)


def _line(told: BalanceTransaction, payout: str = "") -> ReportedLine:
    kind = KINDS.get(told.reporting_category, LineKind.ADJUSTMENT)
    currency = told.currency.upper()
    source = told.source if isinstance(told.source, Source) else Source(told.source or "")
    gross_currency = source.currency.upper() if kind in OF_A_PAYMENT and source.currency else currency
    if not {currency, gross_currency} <= DECIMALS.keys():
        raise Unreadable(f"{told.id} is in none of our currencies")
    gross, fee, net = (exact(minor, currency) for minor in (told.amount, told.fee, told.net))
    if gross - fee != net:
        raise Unreadable(f"the fee of {told.id} is not what its net lacks")
    if kind == LineKind.FEE:
        gross, fee = Decimal(0), -net
    elif gross_currency != currency:
        gross = exact(source.amount, gross_currency).copy_sign(gross)
    metadata = source.metadata or {}
    return ReportedLine(
        id=told.id,
        kind=kind,
        reference=source.id,
        payment_reference=source.charge or (source.id if kind == LineKind.PAYMENT else ""),
        object_id=our_id(metadata.get(REFUND if source.charge else PAYMENT, "")),
        method=_method(source) if kind == LineKind.PAYMENT else "",
        gross=gross,
        gross_currency=gross_currency,
        fee=fee,
        net=net,
        currency=currency,
        at=datetime.fromtimestamp(told.created, UTC),
        payout=source.id if kind == LineKind.PAYOUT else payout,
    )


def _method(charge: Source) -> str:
    card = charge.payment_method_details.card if charge.payment_method_details else None
    return Method.DEBIT_CARD if card and card.funding in ("debit", "prepaid") else Method.CREDIT_CARD
