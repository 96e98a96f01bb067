"""Onpay Gateway: payments, refunds, payouts and verified webhooks.

client = onpay.Onpay("onp_sandbox_…", "https://…")
payment = client.payments.create(method="PIX", amount=Decimal("150.00"), currency="BRL", …)
"""

from onpay import webhooks
from onpay._client import AsyncOnpay, Onpay
from onpay._generated import models as _models
from onpay._generated.models import *  # noqa: F403
from onpay._generated.version import __version__
from onpay._transport import AsyncPages, Page, Pages
from onpay.errors import (
    APIError,
    AuthenticationFailed,
    BadRequest,
    Conflict,
    ConnectionFailed,
    NotFound,
    OnpayError,
    PermissionDenied,
    RateLimited,
    Refused,
    ServerError,
    SignatureError,
)
from onpay.webhooks import WebhookEvent

__all__ = [
    "APIError",
    "AsyncOnpay",
    "AsyncPages",
    "AuthenticationFailed",
    "BadRequest",
    "Conflict",
    "ConnectionFailed",
    "NotFound",
    "Onpay",
    "OnpayError",
    "Page",
    "Pages",
    "PermissionDenied",
    "RateLimited",
    "Refused",
    "ServerError",
    "SignatureError",
    "WebhookEvent",
    "__version__",
    "webhooks",
]
__all__ += _models.__all__
