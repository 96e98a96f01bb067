"""Requests for the fast path: what a look at one shows, before anybody is asked."""

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.http.request import split_domain_port, validate_host

from accounts.base import tracing
from accounts.base.client_address import Address, address_of, is_proxy
from accounts.environments import serves
from accounts.models import ApiKey, Merchant
from accounts.selectors import RememberedKey, remembered_key
from accounts.services import is_use_noted
from gateway.api.authentication import is_on_own_host
from gateway.api.middleware import is_only_for_cards
from gateway.api.operations import ANY_JSON, Operation, Resource
from gateway.api.v2.payments import PaymentsView, PaymentView
from gateway.api.v2.simulations import PaymentSimulationView
from gateway.serving.application import Client
from gateway.serving.bodies import Body
from webhooks.chaos import is_disturbed

JSON = "application/json"
PLAIN_JSON = (JSON, f"{JSON}; charset=utf-8")
_AS = {"head": "get"}
_PARAMETER, _ITS_VALUE = r"<str:(\w+)>", r"(?P<\1>[^/]+)"


class Route:
    """An operation on the fast path, at one of its addresses."""

    def __init__(self, method: str, address: str, view: type[Resource]) -> None:
        self.method, self.address, self.view = method, address, view
        self.path = re.compile(f"/{re.sub(_PARAMETER, _ITS_VALUE, address)}")
        self.declared: Operation = getattr(view, method.lower()).operation
        self.allowed = ", ".join(name.upper() for name in view.http_method_names if hasattr(view, _AS.get(name, name)))


CREATE = Route("POST", "api/v2/payments", PaymentsView)
SIMULATE = Route("POST", "api/v2/simulations/payments/<str:payment_id>", PaymentSimulationView)
ROUTES = (
    CREATE,
    SIMULATE,
    Route("GET", "api/v2/payments/<str:payment_id>", PaymentView),
    Route("GET", "api/v2/transactions/<str:payment_id>", PaymentView),
)


@dataclass(frozen=True, slots=True)
class Call:
    """A request that may take the usual course. `began` is when it was looked at, in the seconds of a counter."""

    route: Route
    path: str
    parameters: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes
    remembered: RememberedKey
    address: Address | None
    client: Client
    began: float = field(default_factory=time.perf_counter)

    @property
    def id(self) -> str:
        return self.client.request_id

    @property
    def key(self) -> ApiKey:
        return self.remembered.api_key

    @property
    def merchant(self) -> Merchant:
        return self.key.merchant


def look(scope: Any, body: Body, client: Client) -> Call | None:
    """None: the request goes to Django."""
    route, parameters = _route(scope.method, scope.path)
    if route is None or scope.query_string or body.refusal or tracing.is_on():
        return None
    sent = scope.headers.items()
    named = dict(sent)
    remembered = remembered_key(named.get("x-api-key", ""))
    if remembered is None or len(named) != len(sent) or not _has_body(named, body, route.declared):
        return None
    peer = scope.client.rpartition(":")[0].strip("[]")
    if not _is_for_us(named, peer, scope.scheme) or not _may(remembered.api_key, route.declared, named["host"]):
        return None
    content = body.stream.getvalue()
    return Call(route, scope.path, parameters, named, content, remembered, address_of(peer, named), client)


def _route(method: str, path: str) -> tuple[Route | None, dict[str, str]]:
    for route in ROUTES:
        if route.method == method and (found := route.path.fullmatch(path)):
            return route, found.groupdict()
    return None, {}


def _has_body(sent: Mapping[str, str], body: Body, declared: Operation) -> bool:
    """Whether it has the JSON that the operation takes, or nothing if it takes none."""
    if declared.takes is None:
        return body.length is None
    return (
        sent.get("content-type", "").lower() in PLAIN_JSON
        and "content-encoding" not in sent
        and 0 < (body.length or 0) <= declared.largest_body
    )


def _is_for_us(sent: Mapping[str, str], peer: str, scheme: str) -> bool:
    """Whether it asks this service for JSON, and by TLS where that is required."""
    is_by_tls = scheme == "https" or (is_proxy(peer) and sent.get("x-forwarded-proto") == "https")
    return (
        _is_our_host(host := sent.get("host", ""), tuple(settings.ALLOWED_HOSTS))
        and not is_only_for_cards(lambda: host)
        and (is_by_tls or not settings.SECURE_SSL_REDIRECT)
        and sent.get("accept", JSON) in ANY_JSON
    )


@lru_cache(maxsize=64)
def _is_our_host(host: str, ours: tuple[str, ...]) -> bool:
    domain = split_domain_port(host)[0]
    return bool(domain) and validate_host(domain, ours)  # whoever takes every host takes none that is malformed


def _may(key: ApiKey, declared: Operation, host: str) -> bool:
    """Whether the key has the permission, and nothing else is to be done about it or its merchant."""
    merchant = key.merchant
    return (
        declared.permission in key.permissions
        and is_use_noted(key, declared.permission)
        and serves(merchant.environment)
        and is_on_own_host(merchant, lambda: host)
        and not is_disturbed(merchant)
        and merchant.moving_since is None
    )
