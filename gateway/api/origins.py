"""The one address from which a company's withdrawals are accepted (contract §11.1)."""

from django.http import HttpRequest

from accounts.base.client_address import client_address
from accounts.models import Merchant
from accounts.services import remember_refused_origin
from gateway.withdrawals.errors import UnregisteredOrigin
from gateway.withdrawals.gates import require_origin


def require_registered(merchant: Merchant, request: HttpRequest) -> None:
    """Raises ONP403_IP, and stores the rejected address so that the company can register it."""
    origin = client_address(request)
    try:
        require_origin(merchant, origin)
    except UnregisteredOrigin:
        remember_refused_origin(merchant, str(origin) if origin else None)
        raise
