"""The OpenAPI 3.1 document, generated from the declarations that run."""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

from django.conf import settings
from django.urls import URLPattern

from accounts.permissions import PERMISSIONS
from gateway.api.examples import EXAMPLES, REQUESTS
from gateway.api.openapi.descriptions import COMMON
from gateway.api.openapi.events import webhooks
from gateway.api.openapi.failures import Error, failures, refusals_of
from gateway.api.openapi.schemas import Components
from gateway.api.operations import Operation, PdfDocument, Resource, Variant, preflight_of
from gateway.api.pagination import Pagination
from gateway.api.renderers import PdfRenderer
from gateway.api.v2.urls import every_route
from webhooks.kinds import KINDS

PREFIX = "/api/v2/"
UUID = "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"
TAGS = {
    "Payments": "Create payments, look them up, and what can be paid with.",
    "Payment links": "Take payments at a page of ours, without code.",
    "Refunds": "Give money back, and answer payers who ask for it.",
    "Customers": "Who has paid.",
    "Companies": "The company and its money.",
    "Withdrawals": "Money out, over four rails.",
    "Beneficiaries": "The accounts to which you withdraw.",
    "Conversions": "From one wallet to another.",
    "Webhooks": "Endpoints, deliveries and the log of events.",
    "Sandbox": "Decide what payers and banks do, and move the clock.",
    "Events": "What is sent to your endpoints.",
}
ALSO_CALLED = {"/api/v2/transactions/{paymentId}": "getTransaction"}
"""Operation names for second paths."""
_HEADERS = {
    "RequestId": {"description": "Identifies the request end to end", "schema": {"type": "string"}},
    "RateLimit": {"description": "What is left in each window", "schema": {"type": "string"}},
    "RateLimit-Policy": {"description": "The windows that count", "schema": {"type": "string"}},
}


def operations() -> Iterator[tuple[str, str, type[Resource], Operation]]:
    """(path, method, resource, operation) of all operations; paths as in OpenAPI."""
    for pattern in every_route:
        assert isinstance(pattern, URLPattern)
        resource = pattern.callback.view_class  # type: ignore[attr-defined]
        for method in ("get", "post", "patch", "delete"):
            if declared := getattr(getattr(resource, method, None), "operation", None):
                yield PREFIX + _openapi_path(str(pattern.pattern)), method, resource, declared


def _openapi_path(route: str) -> str:
    return re.sub(r"<\w+:(\w+)>", lambda found: "{" + _camel(found[1]) + "}", route)


def _camel(name: str) -> str:
    head, *tail = name.split("_")
    return head + "".join(part.title() for part in tail)


@cache
def document() -> dict[str, Any]:
    """The OpenAPI document, with every response, every code and an example of each success."""
    components = Components()
    components.ref(Error)
    components.ref(Pagination)
    paths: dict[str, dict[str, Any]] = defaultdict(dict)
    for path, method, resource, declared in operations():
        paths[path][method] = _operation(path, method, resource, declared, components)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Onpay Gateway",
            "version": "2.0.0",
            "description": _description(),
            "contact": {"name": "Onpay Gateway", "url": f"{settings.BASE_URL}/docs"},
        },
        "servers": _servers(),
        "tags": [{"name": name, "description": what} for name, what in TAGS.items()],
        "security": [{"apiKey": []}],
        "paths": dict(paths),
        "webhooks": webhooks(components),
        "components": {
            "schemas": dict(sorted(components.items())),
            "securitySchemes": {"apiKey": {"type": "apiKey", "in": "header", "name": "x-api-key"}},
        },
    }


def _servers() -> list[dict[str, str]]:
    """The hosts of the environments; with one host the key decides."""
    if settings.SANDBOX_BASE_URL == settings.BASE_URL:
        return [{"url": settings.BASE_URL, "description": "Sandbox and production: the key decides"}]
    return [
        {"url": settings.BASE_URL, "description": "Production"},
        {"url": settings.SANDBOX_BASE_URL, "description": "Sandbox"},
    ]


def _description() -> str:
    kinds = "\n".join(f"- `{kind}`: {when}" for kind, when in KINDS.items())
    grants = "\n".join(f"- `{name}`: {what}" for name, what in PERMISSIONS.items())
    return (
        "One contract for every way to pay. Amounts are JSON numbers, times are UTC with milliseconds.\n\n"
        "Every POST carries a UUID in `idempotency-key`: the same key and content give the same answer for 30 days.\n\n"
        f"**Permissions of a key**\n\n{grants}\n\n**Webhook events**\n\n{kinds}\n\n"
        f"**Errors**: [every code explained]({settings.BASE_URL}/docs/errors)"
    )


def _operation(
    path: str, method: str, resource: type[Resource], declared: Operation, components: Components
) -> dict[str, Any]:
    described: dict[str, Any] = {
        "operationId": ALSO_CALLED.get(path, declared.name),
        "tags": [resource.tag],
        "summary": declared.summary,
        "description": f"{declared.description}\n\nPermission: `{declared.permission}`",
        "parameters": list(_parameters(path, method, declared, components)),
        "responses": {
            str(one.status): _success(resource, declared, one, components)
            for one in (declared.on_success, *declared.or_else)
        }
        | _rehearsed(declared, components)
        | failures(refusals_of(method, declared), _HEADERS),
    }
    if declared.deprecated:
        described["deprecated"] = True
    if declared.takes:
        content: dict[str, Any] = {"schema": components.ref(declared.takes)}
        if several := REQUESTS.get(declared.takes.__name__):
            content["examples"] = {name: {"value": body} for name, body in several.items()}
        elif example := EXAMPLES.get(declared.takes.__name__):
            content["example"] = example
        described["requestBody"] = {"required": not declared.optional_body, "content": {"application/json": content}}
    return described


def _parameters(path: str, method: str, declared: Operation, components: Components) -> Iterator[dict[str, Any]]:
    for name in re.findall(r"{(\w+)}", path):
        me = ", or me: that of the key" if name == "companyId" else ""
        yield {
            "name": name,
            "in": "path",
            "required": True,
            "description": f"The id of the {re.sub('([A-Z])', r' ', name.removesuffix('Id')).lower()}{me}",
            "schema": {"type": "string", "maxLength": 40},
        }
    if declared.gives is PdfDocument:
        yield {
            "name": "token",
            "in": "query",
            "required": False,
            "description": "Stands for the key; part of pdfUrl",
            "schema": {"type": "string"},
        }
    if method == "post":
        yield {
            "name": "idempotency-key",
            "in": "header",
            "required": True,
            "description": "A UUID for this effect; repeat it with every try",
            "schema": {"type": "string", "pattern": UUID, "examples": ["0b8f6d2e-6c1f-4a57-9d0e-3f6f3d0c9b11"]},
        }
    if declared.rehearsal:
        yield {
            "name": declared.rehearsal.query,
            "in": "query",
            "required": False,
            "description": "true: nothing is done and no idempotency-key is needed; the answer says what would hold",
            "schema": {"type": "boolean", "default": False},
        }
    if declared.query:
        for name, described in components.parameters(declared.query).items():
            yield {"name": name, "in": "query", **described}


def _rehearsed(declared: Operation, components: Components) -> dict[str, Any]:
    """The response of a dry run, if the operation has one."""
    if declared.rehearsal is None:
        return {}
    variant = preflight_of(declared.rehearsal)
    rehearsed = replace(declared, gives=declared.rehearsal.gives)
    content = {"application/json": _json(rehearsed, variant, components)}
    return {str(variant.status): {"description": variant.success, "headers": _HEADERS, "content": content}}


def _success(resource: type[Resource], declared: Operation, variant: Variant, components: Components) -> dict[str, Any]:
    """JSON, a PDF, or both if the resource offers both."""
    content: dict[str, Any] = {}
    if declared.gives is not PdfDocument:
        content["application/json"] = _json(declared, variant, components)
    if PdfRenderer in resource.renderer_classes:
        content["application/pdf"] = {"schema": {"type": "string", "format": "binary"}}
    return {"description": variant.success, "headers": _HEADERS, "content": content}


def _json(declared: Operation, variant: Variant, components: Components) -> dict[str, Any]:
    data = components.ref(declared.gives)
    properties: dict[str, Any] = {
        "success": {"const": True, "description": COMMON["success"]},
        "onpayCode": {"const": variant.code, "description": "What came of the call."},
        "onpayDescription": {"type": "string", "description": COMMON["onpayDescription"]},
        "data": {"type": "array", "items": data, "description": "This page."} if declared.is_collection else data,
    }
    totals = getattr(declared.query, "totals", None)
    if totals:
        properties["totals"] = {"type": "array", "items": components.ref(totals), "description": "Over all pages."}
    if declared.is_collection:
        properties["pagination"] = components.ref(Pagination)
    content: dict[str, Any] = {"schema": {"type": "object", "required": list(properties), "properties": properties}}
    if example := EXAMPLES.get(declared.gives.__name__):
        content["example"] = {
            "success": True,
            "onpayCode": variant.code,
            "onpayDescription": variant.success,
            "data": [example] if declared.is_collection else example,
            **({"totals": [_total(totals, example)]} if totals else {}),
            **({"pagination": EXAMPLES["Pagination"]} if declared.is_collection else {}),
        }
    return content


def _total(totals: Any, example: dict[str, Any]) -> dict[str, Any]:
    """An example of its own, or the members that it has in common with the items."""
    known: dict[str, Any] | None = EXAMPLES.get(totals.__name__)
    return known or {name: example[name] for name in totals.__annotations__}
