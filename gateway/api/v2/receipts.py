"""Receipts of payments and of withdrawals: JSON, or a PDF to print and to send (contract §8.1, §8.3)."""

from typing import Any, Literal

from rest_framework.request import Request

from accounts.models import Merchant
from gateway.api.errors import InvalidFilter
from gateway.api.inputs.fields import Input
from gateway.api.operations import PdfDocument, Resource, operation
from gateway.api.renderers import EnvelopeRenderer, PdfRenderer
from gateway.payments.errors import PaymentUnknown
from gateway.receipts import payloads, payouts, selectors
from gateway.receipts.errors import ReceiptUnavailable
from gateway.receipts.facts import ReceiptFacts, facts
from gateway.receipts.verification import Received, receipt_id
from gateway.withdrawals.errors import UnregisteredOrigin, WithdrawalUnknown


class ReceiptForm(Input):
    """The format of the receipt; it takes precedence over the Accept header."""

    otherwise = InvalidFilter

    format: Literal["json", "pdf"] | None = None


class _InTwoForms(Resource):
    """JSON or PDF, as the address or the Accept header asks."""

    renderer_classes = (EnvelopeRenderer, PdfRenderer)
    accepted = EnvelopeRenderer.format

    def perform_content_negotiation(self, request: Request, force: bool = False) -> Any:
        negotiated = super().perform_content_negotiation(request, force)
        self.accepted = negotiated[0].format
        return negotiated

    def is_pdf(self, form: ReceiptForm) -> bool:
        return (form.format or self.accepted) == PdfRenderer.format


class ReceiptView(_InTwoForms):
    tag = "Payments"

    @operation(
        "getReceipt",
        "transactions:read",
        query=ReceiptForm,
        gives=payloads.ReceiptPayload,
        refuses=[InvalidFilter, PaymentUnknown, ReceiptUnavailable],
    )
    def get(self, merchant: Merchant, form: ReceiptForm, payment_id: str) -> payloads.ReceiptPayload | PdfDocument:
        """Get the receipt of a payment

        For the payer, once the payment was paid. JSON, or with `Accept: application/pdf` or `format=pdf` one page
        in the language of the market. Anyone who has it can verify it at the URL in its QR code.
        """
        payment = selectors.get(merchant, payment_id)
        return _document(payment, facts(payment)) if self.is_pdf(form) else payloads.receipt(payment)


class WithdrawalReceiptView(_InTwoForms):
    tag = "Withdrawals"

    @operation(
        "getWithdrawalReceipt",
        "withdrawals:read",
        query=ReceiptForm,
        gives=payloads.WithdrawalReceiptPayload,
        registered_origin=True,
        refuses=[UnregisteredOrigin, InvalidFilter, WithdrawalUnknown, ReceiptUnavailable],
    )
    def get(
        self, merchant: Merchant, form: ReceiptForm, withdrawal_id: str
    ) -> payloads.WithdrawalReceiptPayload | PdfDocument:
        """Get the receipt of a withdrawal

        For the beneficiary, once the money arrived; it still exists if the bank returned the money later, and says
        so. JSON, or with `Accept: application/pdf` or `format=pdf` one page in the language of the market. Anyone
        who has it can verify it at the URL in its QR code.
        """
        withdrawal = selectors.arrived(merchant, withdrawal_id)
        if self.is_pdf(form):
            return _document(withdrawal, payouts.facts(withdrawal))
        return payloads.withdrawal_receipt(withdrawal)


def _document(paid: Received, shown: ReceiptFacts) -> PdfDocument:
    from gateway.receipts import pdf  # noqa: PLC0415  a tenth of a second that no other request should pay

    return PdfDocument(pdf.render(shown), f"receipt-{receipt_id(paid)}.pdf")
