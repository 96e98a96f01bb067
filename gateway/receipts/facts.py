"""The facts of a receipt: every value as text in the language of its market, for PDF and page."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from accounts import logos
from accounts.base.clock import now
from accounts.models import Environment, Logo
from gateway.payments.models import Payment, Status
from gateway.receipts import payloads, tax_ids, verification
from gateway.receipts.markets import MARKETS, ReceiptMarket
from gateway.receipts.selectors import refunds_of
from gateway.receipts.words import ReceiptWords
from ledger.money import to_decimal


@dataclass(frozen=True, slots=True)
class ReceiptRow:
    """A label and its text; each line of the text starts a new line."""

    title: str
    lines: Sequence[str]


@dataclass(frozen=True, slots=True)
class ReceiptFacts:
    """`refunded` is None if nothing was refunded."""

    words: ReceiptWords
    company: str
    logo: Logo | None
    amount: str
    status: str
    is_refunded: bool
    refunded: str | None
    paid_at: str
    payer_tax_id: str | None
    is_sandbox: bool
    rows: Sequence[ReceiptRow]
    refunds: Sequence[str]
    code: str
    link: str


def facts(payment: Payment) -> ReceiptFacts:
    """The facts of a paid payment. Its merchant and company must be loaded."""
    market = MARKETS[payment.currency]
    words = market.words
    is_refunded = payment.status == Status.REFUNDED
    assert payment.paid_at is not None
    return ReceiptFacts(
        words=words,
        company=payment.merchant.company.trade_name,
        logo=logos.of(payment.merchant.company),
        amount=_money(payment, payment.amount),
        status=words.refunded if is_refunded else words.paid,
        is_refunded=is_refunded,
        refunded=_money(payment, payment.refunded_amount) if payment.refunded_amount else None,
        paid_at=market.moment(payment.paid_at),
        payer_tax_id=_labelled(payloads.payer_tax_id(payment), payment.payer["taxIdType"]),
        is_sandbox=payment.merchant.environment == Environment.SANDBOX,
        rows=list(_rows(payment, market)),
        refunds=[
            f"{_money(payment, refund.amount)} · {market.local(refund.completed_at)} · {refund.id}"
            for refund in refunds_of(payment)
        ],
        code=verification.code(payment),
        link=verification.link(payment),
    )


def _rows(payment: Payment, market: ReceiptMarket) -> Iterator[ReceiptRow]:
    words, company, card = market.words, payment.merchant.company, payloads.card(payment)
    payee_tax_id = tax_ids.written(company.tax_id, company.tax_id_type) if company.tax_id else None
    yield _row(words.method, words.named(payment.method))
    if card:
        yield _row(words.card, f"{card['brand']} •••• {card['last4']}")
    payer_tax_id = _labelled(payloads.payer_tax_id(payment), payment.payer["taxIdType"])
    yield _row(words.payer, payment.payer["name"], payer_tax_id)
    yield _row(words.payee, company.legal_name, _labelled(payee_tax_id, company.tax_id_type))
    yield _row(words.reference, payment.reference)
    for title, text in (
        (words.due_date, market.day(payment.due_date) if payment.due_date else None),
        (words.end_to_end_id, payloads.end_to_end_id(payment)),
        (words.tracking_key, payloads.tracking_key(payment)),
        (words.authorization_code, payment.details.get("authorizationCode")),
    ):
        if text:
            yield _row(title, text)
    yield _row(words.payment, payment.id)
    yield _row(words.receipt, verification.receipt_id(payment))
    yield _row(words.issued_at, market.moment(now(payment.merchant)))


def _row(title: str, *lines: str | None) -> ReceiptRow:
    return ReceiptRow(title, [line for line in lines if line])


def _labelled(tax_id: str | None, kind: str | None) -> str | None:
    return f"{kind or ''} {tax_id}".strip() if tax_id else None


def _money(payment: Payment, minor: int) -> str:
    return MARKETS[payment.currency].amount(to_decimal(minor, payment.currency))
