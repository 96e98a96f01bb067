"""The payer's browser: noted once, when the payer first acts on one of our pages."""

from django.http import HttpRequest

from accounts.base.client_address import client_address
from accounts.base.clock import utcnow
from gateway.evidence.models import PayerOrigin
from gateway.payments.models import Payment

LONGEST_AGENT = 255


def note_origin(payment: Payment, request: HttpRequest) -> None:
    """Notes address and browser of the payer; later calls change nothing."""
    address = client_address(request)
    agent = request.headers.get("user-agent", "").replace("\0", "")[:LONGEST_AGENT]
    origin = PayerOrigin(
        payment_id=payment.pk, address=str(address) if address else None, user_agent=agent, seen_at=utcnow()
    )
    PayerOrigin.objects.bulk_create([origin], ignore_conflicts=True)


def of_payment(payment: Payment) -> PayerOrigin | None:
    return PayerOrigin.objects.filter(payment=payment).first()
