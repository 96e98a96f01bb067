"""One payment: money, payment instructions, timeline, postings, deliveries and requests."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import uuid4

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.audit import Actor
from accounts.base.clock import utcnow
from accounts.base.errors import InvalidStatus
from accounts.base.wire import dumps
from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.context import RequestContext
from gateway.dashboard.payments.timeline import timeline
from gateway.dashboard.payments.words import ACCOUNT, CANNOT_REFUND, CARD, NEVER_PAID, POSTED
from gateway.methods.card.sandbox_cards import TEST_CARDS
from gateway.methods.registry import CARDS
from gateway.payments import payloads, services
from gateway.payments import selectors as payments
from gateway.payments.errors import PaymentState
from gateway.payments.expiry import expire, why_not_expired
from gateway.payments.models import OPEN, UNDECIDED, Payment, Status
from gateway.receipts import selectors as receipts
from gateway.receipts.facts import facts
from gateway.receipts.verification import receipt_id
from gateway.refunds.models import Refund
from gateway.refunds.models import Status as RefundStatus
from gateway.refunds.selectors import of_payment
from gateway.refunds.standing import RefundStanding, standing
from gateway.requests import selectors as requests
from ledger.books import selectors as books
from ledger.books.models import Transfer
from ledger.chart import BUCKETS, WALLET_METHOD
from ledger.receivables import selectors as receivables
from ledger.receivables.models import Receivable
from webhooks import selectors as webhooks
from webhooks.models import Delivery, Event

SHOWN_REQUESTS = 20
LOOKS_AGAIN_FOR = timedelta(seconds=30)
"""How long after an event the page refreshes to show its delivery."""
OUTCOMES = (Status.PAID, Status.FAILED, Status.EXPIRED)
LATE = "LATE"
"""Money that pays it after it has expired."""


@dataclass(frozen=True, slots=True)
class SentRequest:
    """An event delivery, and its duration."""

    event: Event
    delivery: Delivery

    @property
    def took(self) -> timedelta | None:
        arrived = self.delivery.delivered_at
        return arrived - self.delivery.created_at if arrived else None


@dataclass(frozen=True, slots=True)
class Posting:
    """A transfer in words: of each line the account, the amount, and whether it is the company's own money."""

    transfer: Transfer

    @property
    def title(self) -> str | Promise:
        return POSTED.get(self.transfer.kind, self.transfer.kind)

    @property
    def lines(self) -> list[tuple[str | Promise, int, str, bool]]:
        entries = sorted(self.transfer.entries.all(), key=lambda entry: entry.line)
        return [
            (ACCOUNT[entry.account.kind], entry.amount, entry.currency, entry.account.kind in BUCKETS)
            for entry in entries
        ]


@require_safe
@page_view(May.READ_PAYMENTS)
def payment(request: HttpRequest, here: RequestContext, payment_id: str) -> HttpResponse:
    found = payments.get(here.merchant, payment_id)
    refunds = list(of_payment(here.merchant, found.pk))
    receivable = receivables.of_payment(here.merchant, found.pk)
    stands = standing(found, refunds, here.now, receivable)
    events = webhooks.about(here.merchant, [found.pk, *(refund.pk for refund in refunds)])
    return here.render(
        "payments/detail.html",
        payment=found,
        wallet=found.settlement_currency or found.currency,
        wallet_method=WALLET_METHOD.get(found.settlement_currency or found.currency),
        receivable=receivable,
        refunds=refunds,
        standing=stands,
        once=uuid4(),
        cannot=refusal_reason(found, stands),
        to_answer=next((refund for refund in refunds if refund.status == RefundStatus.AWAITING_RESPONSE), None),
        given=_given(found),
        card=found.details.get("card"),
        test_cards=[(card.number, CARD[card.plays]) for card in TEST_CARDS] if here.is_sandbox else [],
        outcomes=_outcomes(here, found),
        has_receipt=found.status in receipts.WITH_RECEIPT,
        is_open=found.status in UNDECIDED,
        can_end=not why_not_expired(found),
        timeline=timeline(found, refunds, receivable, events),
        json=dumps(payloads.announced(found)),
        **_money_context(here, found, refunds, receivable),
        **_technical_context(here, found, events),
    )


def _money_context(
    here: RequestContext, found: Payment, refunds: Sequence[Refund], receivable: Receivable | None
) -> dict[str, Any]:
    if not here.may(May.READ_MONEY):
        return {}
    fills = [f"{refund.pk}:{number + 1}" for refund in refunds for number in range(refund.fills)]
    about = [found.pk, *(refund.pk for refund in refunds), *fills, *([receivable.pk] if receivable else [])]
    return {"postings": [Posting(transfer) for transfer in books.posted(here.merchant, about)]}


def _technical_context(here: RequestContext, found: Payment, events: Iterable[Event]) -> dict[str, Any]:
    if not here.may(May.READ_TECHNICAL):
        return {}
    sent = [SentRequest(event, delivery) for event in events for delivery in event.deliveries.all()]
    since = utcnow() - LOOKS_AGAIN_FOR
    on_their_way = (one for one in sent if one.delivery.status == Delivery.Status.PENDING)
    return {
        "sent": sent,
        "looks_again": any(one.delivery.created_at > since for one in on_their_way),
        "requests": requests.listed(here.merchant, object_id=found.pk)[:SHOWN_REQUESTS],
    }


def refusal_reason(found: Payment, stands: RefundStanding) -> str | None:
    """Why it cannot be refunded; None if it can."""
    if stands.refusal is None:
        return None
    if isinstance(stands.refusal, PaymentState):
        return str(NEVER_PAID[found.status])
    return str(CANNOT_REFUND[stands.refusal.public_code])


def _given(found: Payment) -> dict[str, Any]:
    """The payment instructions without what only the payer's browser may see."""
    shown: dict[str, Any] = dict(payloads.payment(found))
    action = shown.get("nextAction") or {}
    names = ("pixCopyPaste", "pixQrCode", "digitableLine", "pdfUrl", "payableFrom", "dueDate", "bankDetails", "mbWay")
    given = {name: shown[name] for name in names if name in shown}
    if link := action.get("redirectUrl") or action.get("checkoutUrl"):
        given["link"] = link
    return given


def _outcomes(here: RequestContext, found: Payment) -> list[str]:
    """The outcomes that can be simulated. A card's outcome follows from its number."""
    if not here.is_sandbox or found.method in CARDS:
        return []
    if found.status == Status.EXPIRED:
        return [LATE]
    return [str(status) for status in OUTCOMES] if found.status in OPEN else []


@require_POST
@page_view(May.SIMULATE, sandbox_only=True)
def simulate(request: HttpRequest, here: RequestContext, payment_id: str) -> HttpResponse:
    """Sets the outcome of an open payment, or pays an expired one, like POST /simulations/payments/{id} and its
    `late-money`.
    """
    wanted = request.POST.get("status", "")
    if wanted not in (*OUTCOMES, LATE):
        raise InvalidStatus
    before = payments.get(here.merchant, payment_id).status
    with transaction.atomic():
        if wanted == LATE:
            after = services.simulate_late_money(here.merchant, payment_id).status
        else:
            after = services.simulate(here.merchant, payment_id, wanted).status
        here.record("payment.simulated", payment_id, before={"status": before}, after={"status": after})
    return here.redirect("payment", payment_id, message=_("Done. Your webhook endpoints are notified."))


@require_POST
@page_view(May.SELL)
def end(request: HttpRequest, here: RequestContext, payment_id: str) -> HttpResponse:
    """Ends the time in which it can be paid, like POST /payments/{id}/expire."""
    found = expire(here.merchant, payment_id, by=Actor.of(request))
    said = {
        Status.EXPIRED: _("The payment has ended: nobody can pay it any more."),
        Status.PAID: _("It has not ended: it is paid."),
    }
    pending = _("The provider has not confirmed yet. The payment ends as soon as it has.")
    return here.redirect("payment", payment_id, message=said.get(Status(found.status), pending))


@require_safe
@page_view(May.READ_PAYMENTS)
def receipt(request: HttpRequest, here: RequestContext, payment_id: str) -> HttpResponse:
    """The receipt as a PDF for the payer. Raises ONP409_RECEIPT_UNAVAILABLE if it was not paid."""
    from gateway.receipts import pdf  # noqa: PLC0415  a tenth of a second that no other page should pay

    found = receipts.get(here.merchant, payment_id)
    response = HttpResponse(pdf.render(facts(found)), content_type="application/pdf")
    response["Content-Disposition"] = f'inline; filename="receipt-{receipt_id(found)}.pdf"'
    return response
