"""Authentication: the API key in the header `x-api-key` (contract §2.5)."""

from collections.abc import Callable
from functools import lru_cache
from urllib.parse import urlsplit

from django.conf import settings
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from accounts.cells import cell_of
from accounts.environments import require_served
from accounts.models import ApiKey, Environment, Merchant
from accounts.selectors import find_key
from accounts.services import note_use
from gateway.api.errors import Unauthenticated
from gateway.requests.traced import traced


class ApiKeyAuthentication(BaseAuthentication):
    """`request.user` becomes the merchant, `request.auth` the key.

    One refusal for every reason, but for a valid key of an environment that this process does not serve.
    """

    def authenticate(self, request: Request) -> tuple[Merchant, ApiKey]:
        text = request.META.get("HTTP_X_API_KEY", "")
        api_key = find_key(text) if text.isascii() and "\x00" not in text and 0 < len(text) < 100 else None
        if api_key is not None:
            require_served(api_key.merchant)
        if api_key is None or not is_on_own_host(api_key.merchant, request.get_host):
            raise Unauthenticated
        note_use(api_key)
        traced(request._request).cell = cell_of(api_key.merchant)
        traced(request._request).merchant_id = api_key.merchant_id
        traced(request._request).api_key_id = api_key.pk
        return api_key.merchant, api_key

    def authenticate_header(self, request: Request) -> str:
        return "ApiKey"


def is_on_own_host(merchant: Merchant, host: Callable[[], str]) -> bool:
    """If each environment has its own host, a key works only there. `host`: what the request was sent to."""
    production, sandbox = _host(settings.BASE_URL), _host(settings.SANDBOX_BASE_URL)
    if production == sandbox:
        return True
    here = _host(f"//{host()}")
    pinned = {production: Environment.PRODUCTION, sandbox: Environment.SANDBOX}.get(here)
    return pinned is None or pinned == merchant.environment


@lru_cache(maxsize=16)
def _host(url: str) -> str:
    return str(urlsplit(url).hostname).removesuffix(".")
