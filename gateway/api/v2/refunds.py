"""Refunds: create, look up, list, answer (contract §7)."""

from typing import Any

from django.http import HttpRequest

from accounts import audit
from accounts.base.client_address import client_address
from accounts.models import Merchant
from accounts.waits.errors import WithdrawalsWait
from gateway.api.errors import PermissionMissing
from gateway.api.inputs.refunds import LARGEST_ANSWER, AnswerInput, RefundInput
from gateway.api.operations import Resource, operation
from gateway.api.origins import require_registered
from gateway.api.pagination import ListQuery, ResultPage, page_of
from gateway.payments import selectors as payments
from gateway.payments.errors import (
    CompanyNotActive,
    DuplicateReference,
    PaymentState,
    PaymentUnknown,
)
from gateway.payouts.errors import WithdrawalDisabled
from gateway.refunds import errors, payloads, selectors
from gateway.refunds import services as refunds
from gateway.refunds.destinations import Withdrawer, audited_values, is_foreign
from gateway.withdrawals.errors import UnregisteredOrigin
from ledger.books.errors import InsufficientBalance
from ledger.money import to_minor

WITHDRAWING = "withdrawals:write"


class PaymentRefundsView(Resource):
    tag = "Refunds"

    def admit(self, merchant: Merchant, *arguments: Any, **path: str) -> None:
        """A key that is not the payer's document requires what a withdrawal requires, also for a replay."""
        destination = arguments[0].destination
        if not destination or not is_foreign(payments.get(merchant, **path), destination.model_dump(by_alias=True)):
            return
        if not self._may_withdraw:
            raise PermissionMissing(field=WITHDRAWING)
        require_registered(merchant, self._http)

    @property
    def _may_withdraw(self) -> bool:
        return WITHDRAWING in self.request.auth.permissions  # type: ignore[union-attr]

    @property
    def _http(self) -> HttpRequest:
        return self.request._request

    @operation(
        "createRefund",
        "refunds:write",
        takes=RefundInput,
        optional_body=True,
        gives=payloads.RefundPayload,
        status=201,
        success="Refund created.",
        limit="refunds",
        refuses=[
            *RefundInput.codes.values(),
            CompanyNotActive,
            PaymentUnknown,
            PaymentState,
            DuplicateReference,
            errors.RefundInDispute,
            errors.ReceivableReserved,
            errors.RefundAmountExceeded,
            errors.RefundAmountTooSmall,
            errors.RefundWindowClosed,
            InsufficientBalance,
            UnregisteredOrigin,
            WithdrawalDisabled,
            WithdrawalsWait,
        ],
    )
    def post(self, merchant: Merchant, wanted: RefundInput, payment_id: str) -> payloads.RefundPayload:
        """Refund a payment

        In full or in part, as long as there is a remaining amount. The amount is held until the money is back
        with the payer (`refund.completed`) or could not be returned (`refund.failed`); the payment fee is not
        refunded.

        A boleto is refunded to the PIX key that is its payer's tax id. Naming another key in `destination`
        requires what a withdrawal requires: the permission `withdrawals:write` (403 `ONP403`) and the registered
        IP address (403 `ONP403_IP`). The owners of the company are notified by e-mail.
        """
        payment = payments.get(merchant, payment_id)
        destination = wanted.destination.model_dump(by_alias=True) if wanted.destination else None
        refund = refunds.create(
            merchant,
            payment_id,
            amount=to_minor(wanted.amount, payment.currency) if wanted.amount is not None else None,
            reason=wanted.reason,
            reference=wanted.reference,
            destination=destination,
            withdrawer=Withdrawer(client_address(self._http)) if self._may_withdraw else None,
        )
        if is_foreign(payment, refund.destination):
            facts = audited_values(refund)
            audit.record(self._http, "refund.sent_elsewhere", merchant=merchant, object_id=refund.id, after=facts)
        return payloads.refund(refund)

    @operation("listRefunds", "refunds:read", query=ListQuery, gives=payloads.RefundPayload, refuses=[PaymentUnknown])
    def get(self, merchant: Merchant, query: ListQuery, payment_id: str) -> ResultPage:
        """List the refunds of a payment

        Newest first, including those that the payer requested: how to find them without webhooks.
        """
        payments.get(merchant, payment_id)
        return page_of(selectors.of_payment(merchant, payment_id), query, payloads.refund)


class RefundView(Resource):
    tag = "Refunds"

    @operation("getRefund", "refunds:read", gives=payloads.RefundPayload, refuses=[errors.RefundUnknown])
    def get(self, merchant: Merchant, refund_id: str) -> payloads.RefundPayload:
        """Get a refund

        With every answer and its evidence.
        """
        return payloads.refund(selectors.get(merchant, refund_id))


class RefundResponsesView(Resource):
    tag = "Refunds"

    @operation(
        "answerRefund",
        "refunds:write",
        takes=AnswerInput,
        largest_body=LARGEST_ANSWER,
        gives=payloads.RefundPayload,
        status=201,
        success="Response recorded.",
        limit="refunds",
        refuses=[
            *AnswerInput.codes.values(),
            errors.RefundUnknown,
            errors.RefundState,
            errors.RefundResponseDeadline,
        ],
    )
    def post(self, merchant: Merchant, response: AnswerInput, refund_id: str) -> payloads.RefundPayload:
        """Answer a payer's refund request

        ACCEPT returns the money, CONTEST explains why not and adds evidence; support then decides. Without an answer by
        `responseDueAt` the request is accepted.
        """
        evidence = [one.shown() for one in response.evidence]
        return payloads.refund(
            refunds.respond(merchant, refund_id, response.answer, message=response.message, evidence=evidence)
        )
