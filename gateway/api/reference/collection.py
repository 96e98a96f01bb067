"""The operations as a collection in Postman's format 2.1, which Bruno, Insomnia and Hoppscotch import, too."""

import json
import re
from typing import Any

from django.conf import settings

from gateway.api.openapi.document import document

SCHEMA = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"


def collection() -> dict[str, Any]:
    """A folder for each tag, a request for each operation with its example; a key is a variable, and empty."""
    folders: dict[str, list[Any]] = {}
    for path, methods in document()["paths"].items():
        for method, operation in methods.items():
            folders.setdefault(operation["tags"][0], []).append(_request(path, method.upper(), operation))
    return {
        "info": {"name": "Onpay Gateway", "description": "The sandbox by default.", "schema": SCHEMA},
        "auth": {"type": "apikey", "apikey": _named({"key": "x-api-key", "value": "{{apiKey}}", "in": "header"})},
        "variable": _named({"baseUrl": settings.SANDBOX_BASE_URL, "apiKey": ""}),
        "item": [{"name": tag, "item": requests} for tag, requests in folders.items()],
    }


def _request(path: str, method: str, operation: dict[str, Any]) -> dict[str, Any]:
    parameters = operation.get("parameters", [])
    segments = re.sub(r"\{(\w+)\}", r":\1", path).strip("/").split("/")
    query = [_parameter(one) | {"disabled": not one.get("required")} for one in parameters if one["in"] == "query"]
    request: dict[str, Any] = {
        "method": method,
        "header": [],
        "url": {
            "raw": "{{baseUrl}}/" + "/".join(segments),
            "host": ["{{baseUrl}}"],
            "path": segments,
            "query": query,
            "variable": [_parameter(one) for one in parameters if one["in"] == "path"],
        },
        "description": operation["description"],
    }
    if any(one["name"] == "idempotency-key" for one in parameters):
        request["header"] += [{"key": "idempotency-key", "value": "{{$guid}}"}]
    if body := operation.get("requestBody"):
        request["header"] += [{"key": "content-type", "value": "application/json"}]
        example = json.dumps(body["content"]["application/json"].get("example", {}), indent=2, default=float)
        request["body"] = {"mode": "raw", "raw": example, "options": {"raw": {"language": "json"}}}
    return {"name": operation["summary"], "request": request}


def _parameter(parameter: dict[str, Any]) -> dict[str, Any]:
    return {"key": parameter["name"], "value": "", "description": parameter["description"]}


def _named(values: dict[str, str]) -> list[dict[str, str]]:
    return [{"key": key, "value": value} for key, value in values.items()]
