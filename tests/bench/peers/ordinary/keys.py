"""Who asks, what they may do, and how often."""

import hashlib
from typing import Any

from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle

from tests.bench.peers.ordinary.models import ApiKey


def digest_of(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


class KeyAuthentication(BaseAuthentication):
    def authenticate(self, request: Request) -> tuple[Any, ApiKey]:
        digest = digest_of(request.headers.get("x-api-key", ""))
        try:
            key = ApiKey.objects.select_related("merchant").get(digest=digest, is_active=True)
        except ApiKey.DoesNotExist:
            raise AuthenticationFailed from None
        return key.merchant, key

    def authenticate_header(self, request: Request) -> str:
        return "x-api-key"


class KeyMay(BasePermission):
    def has_permission(self, request: Request, view: Any) -> bool:
        return view.permission in request.auth.permissions  # type: ignore[union-attr]


class _OfKey(SimpleRateThrottle):
    def get_cache_key(self, request: Request, view: Any) -> str:
        return self.cache_format % {"scope": self.scope, "ident": request.auth.pk}  # type: ignore[union-attr]


class AllOfKey(_OfKey):
    scope = "all"


class PaymentsOfKey(_OfKey):
    scope = "payments"
