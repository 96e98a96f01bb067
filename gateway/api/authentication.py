"""Who calls: the API key in the header `x-api-key` (contract §2.5)."""

from functools import lru_cache
from urllib.parse import urlsplit

from django.conf import settings
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from accounts.models import ApiKey, Environment, Merchant
from accounts.selectors import find_key
from accounts.services import note_use
from gateway.api.errors import Unauthenticated


class ApiKeyAuthentication(BaseAuthentication):
    """`request.user` becomes the merchant, `request.auth` the key. One refusal for every reason."""

    def authenticate(self, request: Request) -> tuple[Merchant, ApiKey]:
        text = request.META.get("HTTP_X_API_KEY", "")
        api_key = find_key(text) if text.isascii() and "\x00" not in text and 0 < len(text) < 100 else None
        if api_key is None or not _belongs_here(api_key.merchant, request):
            raise Unauthenticated
        note_use(api_key)
        request._request.merchant_id = api_key.merchant_id  # type: ignore[attr-defined]
        return api_key.merchant, api_key

    def authenticate_header(self, request: Request) -> str:
        return "ApiKey"


@lru_cache(maxsize=4)
def _environment_of(host: str, production_url: str, sandbox_url: str) -> str | None:
    """The environment that a host stands for; None where one host serves both."""
    production, sandbox = urlsplit(production_url).netloc, urlsplit(sandbox_url).netloc
    if production == sandbox:
        return None
    return {production: Environment.PRODUCTION, sandbox: Environment.SANDBOX}.get(host)


def _belongs_here(merchant: Merchant, request: Request) -> bool:
    pinned = _environment_of(request.get_host(), settings.BASE_URL, settings.SANDBOX_BASE_URL)
    return pinned is None or pinned == merchant.environment
