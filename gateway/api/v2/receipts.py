"""The receipt of a payment: JSON, or a PDF to print and to send (contract §8.1)."""

from typing import Any, Literal

from rest_framework.request import Request

from accounts.models import Merchant
from gateway.api.errors import InvalidFilter
from gateway.api.inputs.fields import Input
from gateway.api.operations import PdfDocument, Resource, operation
from gateway.api.renderers import EnvelopeRenderer, PdfRenderer
from gateway.payments.errors import PaymentUnknown
from gateway.payments.models import Payment
from gateway.receipts import payloads, selectors
from gateway.receipts.errors import ReceiptUnavailable
from gateway.receipts.facts import facts
from gateway.receipts.verification import receipt_id


class ReceiptForm(Input):
    """The format of the receipt; it takes precedence over the Accept header."""

    otherwise = InvalidFilter

    format: Literal["json", "pdf"] | None = None


class ReceiptView(Resource):
    tag = "Payments"
    renderer_classes = (EnvelopeRenderer, PdfRenderer)
    accepted = EnvelopeRenderer.format

    def perform_content_negotiation(self, request: Request, force: bool = False) -> Any:
        negotiated = super().perform_content_negotiation(request, force)
        self.accepted = negotiated[0].format
        return negotiated

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
        if (form.format or self.accepted) == PdfRenderer.format:
            return PdfDocument(_render(payment), f"receipt-{receipt_id(payment)}.pdf")
        return payloads.receipt(payment)


def _render(payment: Payment) -> bytes:
    from gateway.receipts import pdf  # noqa: PLC0415  a tenth of a second that no other request should pay

    return pdf.render(facts(payment))
