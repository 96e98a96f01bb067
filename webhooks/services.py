"""Registering who is told."""

import socket
from concurrent.futures import ThreadPoolExecutor, TimeoutError

from django.conf import settings
from django.db import transaction

from accounts.errors import Fault
from accounts.models import Environment, Merchant
from accounts.sealing import seal
from webhooks import addresses
from webhooks.errors import TooManyEndpoints
from webhooks.models import Endpoint
from webhooks.signing import new_secret

MAX_ENDPOINTS = 20
LOOKUP_TIMEOUT_S = 2.0
_lookups = ThreadPoolExecutor(max_workers=4, thread_name_prefix="lookup")


def loopback_allowed(merchant: Merchant) -> bool:
    """Only where the operator runs the service locally, and only for a sandbox (contract §13.1)."""
    return bool(settings.LOCAL) and merchant.environment == Environment.SANDBOX


def url_faults(merchant: Merchant, url: str, lookup: addresses.Lookup = socket.getaddrinfo) -> list[Fault]:
    """Why this URL may not be called, if it may not. Looks the host up, so never call it inside a transaction.

    A host without an address yet passes: every delivery looks again.
    """
    allowed = loopback_allowed(merchant)
    try:
        target = addresses.parse_url(url, loopback_allowed=allowed)
        host, port = str(target.raw_host), int(target.port or 443)
        search = _lookups.submit(addresses.resolve, host, port, loopback_allowed=allowed, lookup=lookup)
        search.result(timeout=LOOKUP_TIMEOUT_S)
    except TimeoutError:
        search.cancel()
        return []
    except addresses.UnknownHost:
        return []
    except addresses.ForbiddenAddress as error:
        return [Fault("url", "NOT_ALLOWED", str(error))]
    return []


@transaction.atomic(savepoint=False)
def register(merchant: Merchant, url: str, events: list[str], description: str | None) -> tuple[Endpoint, str]:
    """A new endpoint and its secret, which nobody is shown again. Refuses with ONP422_WEBHOOK_LIMIT.

    The URL was vetted with `url_faults` before.
    """
    Merchant.objects.select_for_update(no_key=True).get(pk=merchant.pk)  # counts are taken one at a time
    if Endpoint.objects.filter(merchant=merchant).count() >= MAX_ENDPOINTS:
        raise TooManyEndpoints
    secret = new_secret()
    endpoint = Endpoint.objects.create(
        merchant=merchant,
        url=url,
        events=events,
        description=description,
        sealed_secret=seal(secret.encode()),
    )
    return endpoint, secret
