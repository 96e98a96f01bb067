"""The machine-readable contract, made from the declarations that run (OpenAPI 3.1)."""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

from django.conf import settings
from django.urls import URLPattern
from pydantic import TypeAdapter

from accounts.errors import InvalidRequest, MethodRefusal, Refusal
from accounts.permissions import PERMISSIONS
from gateway.api import errors
from gateway.api.examples import EXAMPLES, REQUESTS
from gateway.api.operations import Document, Operation, Resource, Variant, preflight_of
from gateway.api.renderers import PdfRenderer
from gateway.api.v2.urls import urlpatterns
from gateway.methods.registry import Method
from webhooks.kinds import KINDS

PREFIX = "/api/v2/"
_REF = "#/components/schemas/{model}"
ALWAYS: tuple[type[Refusal], ...] = (
    InvalidRequest, errors.Unauthenticated, errors.PermissionMissing, errors.RouteUnknown, errors.MethodNotAllowed,
    errors.NotAcceptable, errors.RateLimited, errors.InternalError, errors.Unavailable,
)  # fmt: skip
WITH_A_BODY: tuple[type[Refusal], ...] = (
    errors.MalformedJson, errors.CardDataSent, errors.BodyTooLarge, errors.UnsupportedMediaType,
)  # fmt: skip
WITH_A_KEY: tuple[type[Refusal], ...] = (
    errors.IdempotencyKeyMissing, errors.IdempotencyKeyInvalid, errors.IdempotencyConflict,
    errors.IdempotencyInProgress,
)  # fmt: skip
_HEADERS = {
    "RequestId": {"description": "Identifies the request end to end", "schema": {"type": "string"}},
    "RateLimit": {"description": "What is left in each window", "schema": {"type": "string"}},
    "RateLimit-Policy": {"description": "The windows that count", "schema": {"type": "string"}},
}


def operations() -> Iterator[tuple[str, str, type[Resource], Operation]]:
    """(path, method, resource, operation) of everything the API can do; paths as in OpenAPI."""
    for pattern in urlpatterns:
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


def codes_of(refusal: type[Refusal]) -> list[str]:
    """Every code that a refusal can answer: one, or one for each method."""
    if issubclass(refusal, MethodRefusal):
        return [refusal.code.replace("<METHOD>", method) for method in refusal.methods or Method]
    return [refusal.code]


def refusals_of(method: str, declared: Operation) -> list[type[Refusal]]:
    """Everything an operation may refuse, by the layers that it goes through and by its own word."""
    found = [*ALWAYS, *declared.refuses]
    if method in ("post", "patch"):
        found += WITH_A_BODY
    if method == "post":
        found += WITH_A_KEY
    if declared.is_collection:
        found.append(errors.InvalidPagination)
    return sorted(set(found), key=lambda refusal: refusal.code)


@cache
def document() -> dict[str, Any]:
    """The OpenAPI document, with every answer, every code and an example of each success."""
    components: dict[str, Any] = {"Error": _ERROR, "Pagination": _PAGINATION}
    paths: dict[str, dict[str, Any]] = defaultdict(dict)
    for path, method, resource, declared in operations():
        paths[path][method] = _operation(path, method, resource, declared, components)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Onpay Gateway",
            "version": "2.0.0",
            "description": _description(),
        },
        "servers": [{"url": settings.BASE_URL}],
        "security": [{"apiKey": []}],
        "paths": dict(paths),
        "components": {
            "schemas": dict(sorted(components.items())),
            "securitySchemes": {"apiKey": {"type": "apiKey", "in": "header", "name": "x-api-key"}},
        },
    }


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
    path: str, method: str, resource: type[Resource], declared: Operation, components: dict[str, Any]
) -> dict[str, Any]:
    identity = f"{method}{re.sub(r'[^A-Za-z]+', ' ', path.removeprefix(PREFIX)).title().replace(' ', '')}"
    described: dict[str, Any] = {
        "operationId": identity,
        "tags": [resource.tag],
        "summary": declared.summary,
        "description": f"{declared.description}\n\nPermission: `{declared.permission}`",
        "parameters": list(_parameters(path, method, declared, components)),
        "responses": {
            str(one.status): _success(resource, declared, one, components)
            for one in (declared.usual, *declared.or_else)
        }
        | _rehearsed(declared, components)
        | _failures(refusals_of(method, declared)),
    }
    if declared.takes:
        content: dict[str, Any] = {"schema": _schema(declared.takes, components)}
        if several := REQUESTS.get(declared.takes.__name__):
            content["examples"] = {name: {"value": body} for name, body in several.items()}
        elif example := EXAMPLES.get(declared.takes.__name__):
            content["example"] = example
        described["requestBody"] = {"required": not declared.optional_body, "content": {"application/json": content}}
    return described


def _parameters(path: str, method: str, declared: Operation, components: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for name in re.findall(r"{(\w+)}", path):
        yield {"name": name, "in": "path", "required": True, "schema": {"type": "string", "maxLength": 40}}
    if declared.gives is Document:
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
            "schema": {"type": "string", "format": "uuid"},
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
        described = declared.query.model_json_schema(ref_template=_REF)
        components.update(described.get("$defs", {}))
        for name, schema in described["properties"].items():
            required = name in described.get("required", ())
            yield {"name": name, "in": "query", "required": required, "schema": _without_null(schema)}


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """A query parameter is absent, never null."""
    kinds = [kind for kind in schema.get("anyOf", []) if kind != {"type": "null"}]
    rest = {k: v for k, v in schema.items() if k not in ("anyOf", "title") and not (k == "default" and v is None)}
    return rest | (kinds[0] if len(kinds) == 1 else {"anyOf": kinds} if kinds else {})


def _schema(kind: Any, components: dict[str, Any]) -> dict[str, Any]:
    adapter: TypeAdapter[Any] = TypeAdapter(kind)
    described = adapter.json_schema(ref_template=_REF, by_alias=True)
    components.update(described.pop("$defs", {}))
    name = kind.__name__
    components[name] = described
    return {"$ref": _REF.format(model=name)}


def _rehearsed(declared: Operation, components: dict[str, Any]) -> dict[str, Any]:
    """The answer of a rehearsal, where the operation has one."""
    if declared.rehearsal is None:
        return {}
    variant = preflight_of(declared.rehearsal)
    rehearsed = replace(declared, gives=declared.rehearsal.gives)
    content = {"application/json": _json(rehearsed, variant, components)}
    return {str(variant.status): {"description": variant.said, "headers": _HEADERS, "content": content}}


def _success(
    resource: type[Resource], declared: Operation, variant: Variant, components: dict[str, Any]
) -> dict[str, Any]:
    """JSON, a PDF, or the one and the other where the resource can be asked for both."""
    content: dict[str, Any] = {}
    if declared.gives is not Document:
        content["application/json"] = _json(declared, variant, components)
    if PdfRenderer in resource.renderer_classes:
        content["application/pdf"] = {"schema": {"type": "string", "contentMediaType": "application/pdf"}}
    return {"description": variant.said, "headers": _HEADERS, "content": content}


def _json(declared: Operation, variant: Variant, components: dict[str, Any]) -> dict[str, Any]:
    data = _schema(declared.gives, components)
    properties: dict[str, Any] = {
        "success": {"const": True},
        "onpayCode": {"const": variant.code},
        "onpayDescription": {"type": "string"},
        "data": {"type": "array", "items": data} if declared.is_collection else data,
    }
    totals = getattr(declared.query, "totals", None)
    if totals:
        properties["totals"] = {"type": "array", "items": _schema(totals, components)}
    if declared.is_collection:
        properties["pagination"] = {"$ref": _REF.format(model="Pagination")}
    content: dict[str, Any] = {"schema": {"type": "object", "required": list(properties), "properties": properties}}
    if example := EXAMPLES.get(declared.gives.__name__):
        content["example"] = {
            "success": True,
            "onpayCode": variant.code,
            "onpayDescription": variant.said,
            "data": [example] if declared.is_collection else example,
            **({"totals": [{name: example[name] for name in totals.__annotations__}]} if totals else {}),
            **({"pagination": EXAMPLES["Pagination"]} if declared.is_collection else {}),
        }
    return content


def _failures(refusals: list[type[Refusal]]) -> dict[str, Any]:
    by_status: dict[str, list[type[Refusal]]] = defaultdict(list)
    for refusal in refusals:
        by_status[refusal.code[3:6]].append(refusal)
    return {status: _failure(found) for status, found in sorted(by_status.items())}


def _failure(refusals: list[type[Refusal]]) -> dict[str, Any]:
    codes = [code for refusal in refusals for code in codes_of(refusal)]
    listed = "\n".join(f"- `{refusal.code}`: {refusal.message}" for refusal in refusals)
    return {
        "description": listed,
        "headers": _HEADERS,
        "content": {
            "application/json": {
                "schema": {
                    "allOf": [
                        {"$ref": _REF.format(model="Error")},
                        {"properties": {"onpayCode": {"enum": codes}}},
                    ]
                },
                "examples": {refusal.code: {"value": _example(refusal)} for refusal in refusals},
            }
        },
    }


def _example(refusal: type[Refusal]) -> dict[str, Any]:
    code = codes_of(refusal)[0]
    error = {
        "code": code,
        "message": refusal.message,
        "retryable": refusal.retryable,
        "requestId": "req_01KAGTW3Q8XJ5V0N2B7R4C9D01",
        "docUrl": errors.doc_url(code),
    }
    if refusal.retryable and code.startswith(("ONP429", "ONP502", "ONP503", "ONP409")):
        error["retryAfter"] = getattr(refusal, "retry_after_s", None) or 30
    return {"success": False, "onpayCode": code, "onpayDescription": refusal.message, "error": error}


_ERROR = {
    "title": "Error",
    "type": "object",
    "required": ["success", "onpayCode", "onpayDescription", "error"],
    "properties": {
        "success": {"const": False},
        "onpayCode": {"type": "string"},
        "onpayDescription": {"type": "string"},
        "error": {
            "type": "object",
            "required": ["code", "message", "retryable", "requestId", "docUrl"],
            "properties": {
                "code": {"type": "string"},
                "message": {"type": "string", "description": "A sentence; never repeats a value of the request"},
                "retryable": {"type": "boolean", "description": "The same request may be sent again"},
                "requestId": {"type": "string"},
                "docUrl": {"type": "string", "format": "uri"},
                "field": {"type": "string", "description": "The first wrong member, as a dotted path"},
                "fields": {
                    "type": "array",
                    "description": "Every wrong member",
                    "items": {
                        "type": "object",
                        "required": ["field", "code", "message"],
                        "properties": {
                            "field": {"type": "string"},
                            "code": {
                                "enum": [
                                    "REQUIRED", "INVALID", "TOO_SHORT", "TOO_LONG", "OUT_OF_RANGE", "NOT_ALLOWED",
                                    "UNKNOWN_VALUE",
                                ]
                            },
                            "message": {"type": "string"},
                        },
                    },
                },
                "retryAfter": {"type": "integer", "minimum": 1, "description": "Seconds; as in Retry-After"},
                "paymentId": {"type": "string", "description": "The payment that it is about"},
                "conversionId": {"type": "string", "description": "The conversion that it is about"},
            },
        },
    },
}  # fmt: skip
_PAGINATION = {
    "title": "Pagination",
    "type": "object",
    "required": ["pageNumber", "pageSize", "total", "totalAvailable"],
    "properties": {
        "pageNumber": {"type": "integer", "minimum": 1},
        "pageSize": {"type": "integer", "minimum": 1, "maximum": 100},
        "total": {"type": "integer", "minimum": 0, "description": "Items in this page"},
        "totalAvailable": {"type": "integer", "minimum": 0, "description": "Items that match the filters"},
    },
}
