"""A merchant's backend: calls the API over HTTP and holds every answer against the published contract."""

import itertools
import json
import os
import re
import secrets
import uuid
from functools import cache
from typing import Any
from urllib.parse import quote

from django.http import HttpResponse
from django.test import Client
from jsonschema_rs import Draft202012Validator, Registry

V2 = "/api/v2"
_addresses = itertools.count(secrets.randbelow(1 << 19))


def another_address() -> str:
    """An address that nobody else in this run has, so that rate limits of one test never meet another."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
    number = int(worker) << 20 | next(_addresses)
    return f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"


class Api:
    """`api.post("/payments", {...})` → the response, with `.json()`; each POST has a fresh key unless it names one."""

    def __init__(self, key: str | None, address: str | None = None) -> None:
        _registry()  # once, or each of many threads would make the document, and meanwhile keep its connection
        self.key = key
        self.http = Client(REMOTE_ADDR=address or another_address(), raise_request_exception=False)

    def get(self, path: str, **query: Any) -> HttpResponse:
        return self._checked("GET", path, self.http.get(V2 + path, query, headers=self._headers()))

    def post(
        self, path: str, body: Any = None, *, key: str | None = None, raw: bytes | None = None, **headers: str
    ) -> HttpResponse:
        content = raw if raw is not None else json.dumps(body if body is not None else {}).encode()
        sent = self._headers() | {"idempotency-key": key or str(uuid.uuid4())} | headers
        response = self.http.post(
            V2 + path, content, content_type=sent.pop("content_type", "application/json"), headers=sent
        )
        return self._checked("POST", path, response)

    def request(self, method: str, path: str, **options: Any) -> HttpResponse:
        return self._checked(method, path, self.http.generic(method, V2 + path, headers=self._headers(), **options))

    def _headers(self) -> dict[str, str]:
        return {"x-api-key": self.key} if self.key is not None else {}

    def _checked(self, method: str, path: str, response: HttpResponse) -> HttpResponse:
        assert re.fullmatch(r"req_[0-9A-HJKMNP-TV-Z]{26}", response["RequestId"])
        assert response["Cache-Control"] == "no-store"
        assert response["Content-Type"] == "application/json"
        assert response["RateLimit"]
        assert response["RateLimit-Policy"]
        if method != "HEAD":
            check_against_contract(method.lower(), path, response)
        return response


def used(wallets: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The wallets, or the balances, that hold money: an answer lists the others too, with zeros."""
    return [one for one in wallets if any(one[name] for name in ("available", "releasing", "blocked", "total"))]


def check_against_contract(method: str, path: str, response: HttpResponse) -> None:
    """The answer is one that the published document announces for this operation."""
    answer = json.loads(response.content)
    template = _template(method, V2 + path.partition("?")[0])
    if template is None:
        assert response.status_code in (400, 404, 405, 429, 500, 503), response.content
        validator("components", "schemas", "Error").validate(answer)
        return
    responses = _document()["paths"][template][method]["responses"]
    status = str(response.status_code)
    assert status in responses, (method, path, response.status_code, answer)
    assert answer["onpayCode"] in responses[status].get("x-onpay-codes", [answer["onpayCode"]]), (method, path, answer)
    described = ("paths", template, method, "responses", status, "content", "application/json", "schema")
    validator(*described).validate(answer)


def _document() -> dict[str, Any]:
    """Imported by those who call the API: most of a short run would be this."""
    from gateway.api.openapi.document import document

    return document()


@cache
def validator(*path: str) -> Draft202012Validator:
    """Of the schema at this path of the published document: `validator("components", "schemas", "Error")`."""
    steps = (quote(step.replace("~", "~0").replace("/", "~1")) for step in path)
    return Draft202012Validator({"$ref": f"onpay:/document#/{'/'.join(steps)}"}, registry=_registry())


@cache
def _registry() -> Registry:
    return Registry([("onpay:/document", _document())])


@cache
def _templates() -> list[tuple[re.Pattern[str], str]]:
    return [(re.compile(re.sub(r"{\w+}", "[^/]+", template)), template) for template in _document()["paths"]]


def _template(method: str, path: str) -> str | None:
    """The announced path that this one is of, where it knows the method."""
    found = (template for pattern, template in _templates() if pattern.fullmatch(path))
    return next((template for template in found if method in _document()["paths"][template]), None)
