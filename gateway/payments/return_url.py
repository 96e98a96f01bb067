"""`returnUrl`, to which the payer returns. One parser for every redirect method (contract §4.3)."""

from django.conf import settings
from django.utils.translation import gettext_noop as _
from yarl import URL

from accounts.base.addresses import ForbiddenAddress, absolute, is_home
from accounts.models import Environment, Merchant


def parse(text: str, merchant: Merchant) -> str:
    """The URL in ASCII. Raises ForbiddenAddress with a sentence for the merchant.

    HTTPS; on a developer's machine a sandbox merchant may also use http on a loopback host.
    """
    url = absolute(text)
    at_home = settings.LOCAL and merchant.environment == Environment.SANDBOX and is_home(url)
    if url.scheme != "https" and not (at_home and url.scheme == "http"):
        raise ForbiddenAddress(_("Must be an https:// address."))
    return str(url)


def with_payment(return_url: str, payment_id: str) -> str:
    """The URL with the payment id added; the shop's own query is preserved exactly."""
    address, mark, fragment = return_url.partition("#")
    path, _, query = address.partition("?")
    kept = [part for part in query.split("&") if part and part.partition("=")[0] != "paymentId"]
    return f"{path}?{'&'.join([*kept, f'paymentId={payment_id}'])}{mark}{fragment}"


def origin(return_url: str) -> str:
    """Scheme, host and port, as browsers compare them."""
    return str(URL(return_url).origin())
