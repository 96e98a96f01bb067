"""Startup checks of the proxy settings, and of what a web process needs."""

import re
from ipaddress import ip_network
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register

from gateway.serving.batches import THREADS
from gateway.serving.limits import PROBES, web_threads

USUAL = "X-Forwarded-For"
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]*")


@register(Tags.security)
def client_address_is_configured(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    found: list[CheckMessage] = []
    name = settings.CLIENT_ADDRESS_HEADER
    if not _NAME.fullmatch(name):
        hint = "Letters, digits and hyphens: a header with an underscore in its name is dropped."
        found.append(Error(f"ONPAY_CLIENT_ADDRESS_HEADER ({name}) never arrives.", hint=hint, id="onpay.E020"))
    if name != USUAL and not settings.TRUSTED_PROXIES:
        message = "ONPAY_CLIENT_ADDRESS_HEADER is set, and ONPAY_TRUSTED_PROXIES names nobody who may send it."
        found.append(Error(message, id="onpay.E021"))
    if everybody := [network for network in settings.TRUSTED_PROXIES if ip_network(network).prefixlen == 0]:
        message = f"ONPAY_TRUSTED_PROXIES ({', '.join(everybody)}) lets everybody say whose request it is."
        found.append(Error(message, id="onpay.E022"))
    return found


@register(Tags.security)  # as all that is looked at when a web process starts
def each_thread_finds_a_connection(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """Otherwise some would wait for one, and the thread that answers batches does not give its own back."""
    needed = web_threads() + THREADS + PROBES
    pool = settings.DATABASES["default"]["OPTIONS"].get("pool", {})
    if not pool or pool["max_size"] >= needed:
        return []
    return [
        Error(
            f"ONPAY_DB_POOL_SIZE must be at least {needed}: ONPAY_WEB_THREADS and {needed - web_threads()}.",
            id="onpay.E028",
        )
    ]
