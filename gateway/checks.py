"""What must hold before the service starts."""

from typing import Any

from cryptography.fernet import Fernet
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register


@register(Tags.security)
def secrets_are_set(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    found: list[CheckMessage] = []
    if not settings.SECRET_KEY:
        found.append(Error("ONPAY_SECRET_KEY is not set.", id="onpay.E001"))
    if not settings.ENCRYPTION_KEYS or not all(map(_is_fernet_key, settings.ENCRYPTION_KEYS)):
        found.append(Error("ONPAY_ENCRYPTION_KEYS is not a list of Fernet keys.", id="onpay.E002"))
    return found


def _is_fernet_key(text: str) -> bool:
    try:
        Fernet(text)
    except ValueError:
        return False
    return True


@register(Tags.security, deploy=True)
def nothing_local_in_production(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    found: list[CheckMessage] = []
    if settings.LOCAL:
        found.append(Error("ONPAY_LOCAL lets sandbox webhooks call loopback addresses.", id="onpay.E003"))
    if settings.WEBHOOK_TIME_SCALE != 1:
        found.append(Error("ONPAY_WEBHOOK_TIME_SCALE shrinks the retry schedule.", id="onpay.E004"))
    if not settings.BASE_URL.startswith("https://"):
        found.append(Error("ONPAY_BASE_URL must be an https:// address.", id="onpay.E005"))
    if not settings.SDK_URL.startswith("https://") or settings.SDK_URL in (
        settings.BASE_URL,
        settings.SANDBOX_BASE_URL,
    ):
        found.append(Error("ONPAY_SDK_URL must be an https:// address with an origin of its own.", id="onpay.E006"))
    if settings.RATES_URL and not settings.RATES_URL.startswith("https://"):
        found.append(Error("ONPAY_RATES_URL must be an https:// address.", id="onpay.E007"))
    return found
