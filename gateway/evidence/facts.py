"""The facts of a pack: titled sections of labelled lines, in the language that the deciding institution reads."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple
from urllib.parse import urlsplit

from django.template.defaultfilters import filesizeformat
from django.utils import translation
from django.utils.translation import gettext as _

from accounts.base import clock
from accounts.models import Environment
from gateway.evidence import origins
from gateway.evidence.words import HAPPENED, REASON, STATUS
from gateway.methods.registry import CARDS
from gateway.payments.models import Payment
from gateway.receipts import payloads, tax_ids, verification
from gateway.receipts.markets import MARKETS, ReceiptMarket
from gateway.receipts.selectors import WITH_RECEIPT
from gateway.refunds import drafts
from gateway.refunds.drafts import draft_of
from gateway.refunds.models import Refund
from gateway.refunds.selectors import of_payment
from ledger.money import to_decimal
from webhooks import selectors as webhooks
from webhooks.models import Delivery, Event

MOST_EVENTS, MOST_DELIVERIES, MOST_REFUNDS = 60, 10, 20
"""Deliveries are of each event: a company can send one again as often as it likes, and a pack must stay a file."""
ADDRESS = ("street", "number", "complement", "district", "city", "state", "postalCode", "country")
"""The order in which people write one."""
DASH = "–"


class Line(NamedTuple):
    label: str
    text: str


class Section(NamedTuple):
    title: str
    lines: Sequence[Line]


@dataclass(frozen=True, slots=True)
class PackFacts:
    """`tag` names the language (BCP 47); `mark` is printed across the pages of a sandbox's pack."""

    tag: str
    title: str
    subject: str
    company: str
    amount: str
    mark: str
    page: str
    sections: Sequence[Section]


def language_of(refund: Refund) -> str:
    """MED is decided in Brazil, and acquirers read English; others read the language of the payment's market."""
    if refund.is_med:
        return "pt-br"
    tag = "en" if refund.is_chargeback else MARKETS[refund.currency].words.tag
    return {"pt-BR": "pt-br", "pt-PT": "pt-br"}.get(tag, tag)


def facts(refund: Refund) -> PackFacts:
    """Everything that is known about the payment of a payer's request. Its payment, merchant and company are loaded."""
    market = _market(refund)
    with translation.override(language_of(refund)):
        payment = refund.payment
        events = webhooks.about(payment.merchant, [payment.pk, refund.pk], MOST_EVENTS)
        named = [
            (_("The request"), _request(refund, market)),
            (_("Order"), _order(payment, market)),
            (_("Payer"), _payer(payment)),
            (_("Origin and confirmation"), _origin(payment, market)),
            (_("Course of the payment"), _course(events, market)),
            (_("Notifications of the company's server"), _deliveries(events, market)),
            (_("Refunds"), _refunds(refund, market)),
            (_("Receipt"), _receipt(payment)),
            (_("Files handed in with this"), _files(refund)),
        ]
        return PackFacts(
            tag=market.words.tag,
            title=_("Evidence for a disputed payment"),
            subject=refund.pk,
            company=payment.merchant.company.legal_name or payment.merchant.company.trade_name,
            amount=_money(refund.amount, market),
            mark=market.words.no_value if payment.merchant.environment == Environment.SANDBOX else "",
            page=_("Page {number}"),
            sections=[Section(title, kept) for title, lines in named if (kept := list(lines))],
        )


def _market(refund: Refund) -> ReceiptMarket:
    own = MARKETS[refund.currency]
    if language_of(refund) == "en":
        return replace(MARKETS["USD"], currency=own.currency)
    return own if not refund.is_med else MARKETS["BRL"]


def _request(refund: Refund, market: ReceiptMarket) -> Iterator[Line]:
    yield Line(_("Request"), refund.pk)
    if refund.claim_id:
        yield Line(_("MED claim"), refund.claim_id)
    if dispute := getattr(refund, "dispute", None):
        yield Line(_("Dispute at the acquirer"), dispute.reference)
    yield Line(_("Disputed amount"), _money(refund.amount, market))
    if refund.reason_code:
        yield Line(_("Reason"), str(REASON[refund.reason_code]))
    if refund.payer_statement:
        yield Line(_("The payer's words"), refund.payer_statement)
    yield Line(_("Opened"), market.moment(refund.created_at))
    if refund.response_due_at:
        yield Line(_("To be answered until"), market.moment(refund.response_due_at))
    yield Line(_("This document was made"), market.moment(clock.now(refund.merchant)))


def _order(payment: Payment, market: ReceiptMarket) -> Iterator[Line]:
    company, words, card = payment.merchant.company, market.words, payloads.card(payment)
    number = tax_ids.written(company.tax_id, company.tax_id_type) if company.tax_id else ""
    yield Line(_("Company"), " · ".join(filter(None, (company.legal_name, company.trade_name, number))))
    yield Line(words.reference, payment.reference)
    yield Line(words.payment, payment.pk)
    yield Line(_("Amount"), _money(payment.amount, market))
    yield Line(words.method, words.named(payment.method))
    if card:
        yield Line(words.card, f"{card['brand']} •••• {card['last4']}")
    for label, text in (
        (words.end_to_end_id, payloads.end_to_end_id(payment)),
        (words.tracking_key, payloads.tracking_key(payment)),
        (words.authorization_code, payment.details.get("authorizationCode")),
    ):
        if text:
            yield Line(label, str(text))
    yield Line(_("Ordered"), market.moment(payment.created_at))
    yield Line(words.paid_at, _moment(payment.paid_at, market))


def _payer(payment: Payment) -> Iterator[Line]:
    payer = payment.payer
    yield Line(_("Name"), payer["name"])
    if payer.get("taxId"):
        yield Line(
            _("Document"),
            f"{payer.get('taxIdType') or ''} {tax_ids.written(payer['taxId'], payer.get('taxIdType'))}".strip(),
        )
    for label, name in ((_("E-mail"), "email"), (_("Phone"), "phone")):
        if payer.get(name):
            yield Line(label, payer[name])
    if address := payer.get("address"):
        yield Line(_("Address"), ", ".join(str(address[part]) for part in ADDRESS if address.get(part)))


def _origin(payment: Payment, market: ReceiptMarket) -> Iterator[Line]:
    if origin := origins.of_payment(payment):
        yield Line(_("IP address"), origin.address or DASH)
        yield Line(_("Browser"), origin.user_agent or DASH)
        yield Line(_("Seen"), market.moment(origin.seen_at))
    else:
        yield Line(_("Payer's browser"), _("Not known: the payer did not act on a page of ours."))
    if payment.method in CARDS:
        yield Line(_("3-D Secure"), _three_ds(payment))


def _three_ds(payment: Payment) -> str:
    if payment.account_id is not None:
        return _("The acquirer has the result, with its authorization.")
    if payment.details.get("challenge"):
        return _("The cardholder confirmed the payment with the card's bank.")
    return _("The card's bank did not ask the cardholder.")


def _course(events: Sequence[Event], market: ReceiptMarket) -> Iterator[Line]:
    for event in events:
        if event.type in HAPPENED:
            yield Line(market.local(event.occurred_at), str(HAPPENED[event.type]))


def _deliveries(events: Sequence[Event], market: ReceiptMarket) -> Iterator[Line]:
    for event in events:
        for delivery in event.deliveries.all()[:MOST_DELIVERIES]:
            yield Line(market.local(delivery.delivered_at or delivery.created_at), _delivery(event, delivery))


def _delivery(event: Event, delivery: Delivery) -> str:
    told = f"{event.type} · {urlsplit(delivery.endpoint.url).hostname}"
    result = f"HTTP {delivery.http_status}" if delivery.http_status else (delivery.error or DASH)
    return f"{told} · {result}"


def _refunds(refund: Refund, market: ReceiptMarket) -> Iterator[Line]:
    for one in reversed(of_payment(refund.merchant, refund.payment_id)[:MOST_REFUNDS]):
        if one.pk != refund.pk:
            text = f"{_money(one.amount, market)} · {STATUS[one.status]} · {one.pk}"
            yield Line(market.local(one.completed_at or one.created_at), text)


def _receipt(payment: Payment) -> Iterator[Line]:
    if payment.status in WITH_RECEIPT:
        yield Line(_("Receipt"), verification.receipt_id(payment))
        yield Line(_("Verification code"), verification.code(payment))
        yield Line(_("To be verified at"), verification.link(payment))


def _files(refund: Refund) -> Iterator[Line]:
    for piece in drafts.pieces(draft_of(refund)):
        name = piece.file_name or piece.url or DASH
        if name != f"evidence-{refund.pk}.pdf":
            size = filesizeformat(piece.size) if piece.size else ""
            yield Line(name[:60], " · ".join(filter(None, (piece.description, size))) or DASH)


def _money(minor: int, market: ReceiptMarket) -> str:
    return market.amount(to_decimal(minor, market.currency))


def _moment(at: datetime | None, market: ReceiptMarket) -> str:
    return market.moment(at) if at else DASH
