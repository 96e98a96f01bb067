"""Payments: create, look up, list, expire."""

from functools import partial
from typing import Annotated, Any

from pydantic import Field

from accounts.audit import Actor
from accounts.models import Merchant
from gateway.api.errors import InvalidFilter
from gateway.api.inputs.fields import Text, TimestampText
from gateway.api.inputs.payments import Currency, PaymentInput
from gateway.api.operations import Resource, Variant, Varied, operation
from gateway.api.pagination import LongListQuery, ResultPage, page_of
from gateway.methods.errors import (
    AmountTooLarge,
    AmountTooSmall,
    BelowProviderMinimum,
    InvalidResponse,
    MethodNotEnabled,
    RailUnavailable,
    Rejected,
)
from gateway.payments import errors, expiry, payloads, questions, selectors
from gateway.payments import services as payments
from gateway.payments.models import UNDECIDED, Payment, Status
from gateway.providers.errors import ProviderNotConnected
from gateway.requests.idempotency import Prepared, Unfinished
from gateway.sales import created
from gateway.saved_cards.errors import SavedCardUnavailable


class PaymentFilters(LongListQuery):
    """Filters of payments."""

    otherwise = InvalidFilter

    reference: Annotated[Text, Field(max_length=128)] | None = None
    status: payloads.StatusName | None = None
    method: payloads.MethodName | None = None
    currency: Currency | None = None
    customer_id: Annotated[Text, Field(max_length=40)] | None = None
    payment_link_id: Annotated[Text, Field(max_length=40)] | None = None
    created_from: TimestampText | None = None
    created_to: TimestampText | None = None
    paid_from: TimestampText | None = None
    paid_to: TimestampText | None = None


NOT_CONFIRMED = Variant(202, "ONP202_EXPIRING", "The provider has not confirmed yet that nobody can pay it.")
CONFIRMATION_REQUIRED = Variant(202, "ONP202_3DS", "Holder confirmation required.")
AMOUNT_TOO_SMALL = "AMOUNT_TOO_SMALL"
"""The failure code of a payment that its provider refused for that."""
Answer = payloads.PaymentPayload | Varied | Unfinished


def _must_be_confirmed(payment: Payment) -> bool:
    return payment.status == Status.ACTION_REQUIRED and "session" in payment.details


def answer(payment: Payment) -> Answer:
    """To whoever creates it. Raises ONP422_<METHOD>_REJECTED and ONP422_<METHOD>_AMOUNT_TOO_SMALL."""
    if payment.is_unanswered:
        return Unfinished(payment.id, partial(questions.ask, payment), partial(_take, payment.merchant))
    if payment.status == Status.FAILED:
        is_too_small = payment.failure_code == AMOUNT_TOO_SMALL
        raise (BelowProviderMinimum if is_too_small else Rejected)(payment.method, paymentId=payment.id)
    payload = payloads.payment(payment)
    return CONFIRMATION_REQUIRED.of(payload) if _must_be_confirmed(payment) else payload


def _take(merchant: Merchant, first: questions.FirstAnswer) -> Answer:
    return answer(questions.answer(merchant, first))


class PaymentsView(Resource):
    tag = "Payments"
    goes_on_regardless = True

    @operation(
        "createPayment",
        "payments:write",
        takes=PaymentInput,
        gives=payloads.PaymentPayload,
        status=201,
        success="Payment created.",
        limit="payments",
        refuses=[
            *PaymentInput.codes.values(),
            errors.BoletoIncomplete,
            errors.CompanyNotActive,
            MethodNotEnabled,
            ProviderNotConnected,
            errors.TokensNotEnabled,
            errors.DuplicateReference,
            AmountTooSmall,
            AmountTooLarge,
            Rejected,
            errors.PaymentMethodTokenInvalid,
            SavedCardUnavailable,
            InvalidResponse,
            RailUnavailable,
        ],
        or_else=[CONFIRMATION_REQUIRED],
    )
    def post(self, merchant: Merchant, order: PaymentInput) -> Answer:
        """Create a payment

        One endpoint for every payment method. The response carries what the payer needs; it does not mean that
        the payment is confirmed: release the order once, when a verified event carries `paidAt`.
        """
        return answer(payments.create(merchant, order.request()))

    def prepare(self, merchant: Merchant, *arguments: Any, **path: str) -> Prepared | None:
        draft = payments.draft(merchant, arguments[0].request())
        return Prepared(answer(draft.payment), draft.store) if draft else None

    def resume(self, merchant: Merchant, begun: str, *arguments: Any, **path: str) -> Answer:
        return answer(questions.resume(merchant, begun))

    @operation(
        "listPayments",
        "transactions:read",
        query=PaymentFilters,
        gives=payloads.PaymentPayload,
        refuses=[InvalidFilter],
    )
    def get(self, merchant: Merchant, query: PaymentFilters) -> ResultPage:
        """List payments

        Newest first. If the response to a creation was lost, find the payment by its `reference`.
        """
        filters = query.filters()
        available = created.count(merchant, **filters) if created.counts(filters) else None
        rows, whole = selectors.listed(merchant, **filters), selectors.listed(merchant)
        return page_of(rows, query, payloads.payment, whole=whole, available=available)


class PaymentView(Resource):
    tag = "Payments"

    @operation("getPayment", "transactions:read", gives=payloads.PaymentPayload, refuses=[errors.PaymentUnknown])
    def get(self, merchant: Merchant, payment_id: str) -> payloads.PaymentPayload:
        """Get a payment

        The same object under `/payments/{id}` and `/transactions/{id}`, with the current `nextAction`.
        """
        return payloads.payment(selectors.get(merchant, payment_id))


class ExpirationView(Resource):
    tag = "Payments"

    @operation(
        "expirePayment",
        "payments:write",
        gives=payloads.PaymentPayload,
        success="The payment has ended.",
        limit="payments",
        optional_body=True,
        refuses=[errors.PaymentUnknown, errors.PaymentState, errors.PaymentBusy],
        or_else=[NOT_CONFIRMED],
    )
    def post(self, merchant: Merchant, payment_id: str) -> Answer:
        """Expire a payment

        Ends the time in which an open payment can be paid, so that another way to pay can be offered: its `reference`
        is free as soon as the `status` is EXPIRED. The provider is told first to take no more money for it. If it has
        some already, the payment is PAID: look at `status`. 202 as long as the provider has not confirmed: the payment
        stays open, and `payment.expired` or `payment.paid` follows.
        """
        return self._end(merchant, payment_id)

    def resume(self, merchant: Merchant, begun: str, *arguments: Any, **path: str) -> Answer:
        try:
            return self._end(merchant, begun)
        except errors.PaymentState:  # it has ended otherwise since
            return _ended(selectors.get(merchant, begun))

    def _end(self, merchant: Merchant, payment_id: str) -> Answer:
        payment, question = expiry.begin(merchant, payment_id, by=Actor.of(self.request._request))
        if question is None:
            return _ended(payment)
        return Unfinished(payment.id, partial(questions.ask_and_take, merchant, question), _ended)


def _ended(payment: Payment) -> Answer:
    payload = payloads.payment(payment)
    return NOT_CONFIRMED.of(payload) if payment.status in UNDECIDED else payload
