"""The receipt of a withdrawal that arrived, as a PDF for its beneficiary."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.context import RequestContext
from gateway.receipts import selectors
from gateway.receipts.payouts import facts
from gateway.receipts.verification import receipt_id


@require_safe
@page_view(May.READ_MONEY)
def receipt(request: HttpRequest, here: RequestContext, withdrawal_id: str) -> HttpResponse:
    """There is none before the money arrived."""
    from gateway.receipts import pdf  # noqa: PLC0415  a tenth of a second that no other page should pay

    found = selectors.arrived(here.merchant, withdrawal_id)
    response = HttpResponse(pdf.render(facts(found)), content_type="application/pdf")
    response["Content-Disposition"] = f'inline; filename="receipt-{receipt_id(found)}.pdf"'
    return response
