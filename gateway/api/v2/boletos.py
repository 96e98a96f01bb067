"""The PDF of a boleto: for the merchant by key, for the payer by link (contract §8.2)."""

from typing import Any

from rest_framework.request import Request

from accounts.base import cells
from accounts.models import Environment, Merchant
from gateway.api.errors import Unauthenticated
from gateway.api.operations import PdfDocument, Resource, operation
from gateway.api.renderers import EnvelopeRenderer, PdfRenderer
from gateway.cells.finding import cell_of_id
from gateway.methods.registry import Method
from gateway.payments import errors, links, selectors
from gateway.payments.models import Payment, Status
from gateway.payments.payloads import payable_from
from ledger.money import to_decimal

NO_LONGER = (Status.EXPIRED, Status.FAILED)


class BoletoView(Resource):
    tag = "Payments"
    renderer_classes = (EnvelopeRenderer, PdfRenderer)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """A valid link needs no key; an invalid one is treated like a missing key."""
        token = request._request.GET.get("token")
        if token is None or request.method not in ("GET", "HEAD"):
            super().initial(request, *args, **kwargs)
            return
        if not links.opens_boleto(token, kwargs["payment_id"]):
            raise Unauthenticated
        with cells.opened(cell_of_id(kwargs["payment_id"])):
            payment = selectors.named_by_link(kwargs["payment_id"])
        if not links.boleto_is_valid(payment):
            raise Unauthenticated
        request.user = payment.merchant  # type: ignore[assignment]

    @operation(
        "getBoleto",
        "transactions:read",
        gives=PdfDocument,
        success="The boleto as a PDF.",
        refuses=[errors.PaymentUnknown, errors.BoletoGone],
    )
    def get(self, merchant: Merchant, payment_id: str) -> PdfDocument:
        """Get a boleto as a PDF

        `pdfUrl` of the payment contains a token that replaces the key until thirty days after the deadline: pass
        it on to the payer as it is.
        """
        payment = selectors.get(merchant, payment_id)
        if payment.method != Method.BOLETO or not payment.details:
            raise errors.PaymentUnknown
        if payment.status in NO_LONGER:
            raise errors.BoletoGone
        return PdfDocument(_render(payment), f"boleto-{payment.details['documentNumber']}.pdf")


def _render(payment: Payment) -> bytes:
    from gateway.methods.boleto import pdf  # noqa: PLC0415  a tenth of a second that no other request should pay

    merchant = payment.merchant
    assert payment.expires_at is not None
    document = pdf.document_of(
        payment.details,
        payment.payer,
        beneficiary_tax_id=payment.details.get("beneficiaryTaxId", merchant.company.tax_id),
        amount=to_decimal(payment.amount, payment.currency),
        created_at=payment.created_at,
        expires_at=payment.expires_at,
        is_payable=payable_from(payment) is not None,
        sandbox=merchant.environment == Environment.SANDBOX,
        paid=payment.status in (Status.PAID, Status.REFUNDED),
    )
    return pdf.render(document)
