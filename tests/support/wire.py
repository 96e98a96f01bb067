"""Requests as they go over the wire, and their answers."""

import json
import secrets
import string
import uuid
from typing import Any

HOST = "gateway"
PIX = {"method": "PIX", "amount": 1.5, "currency": "BRL", "payer": {"name": "Maria Silva", "taxId": "52998224725"}}


def order() -> bytes:
    """A PIX order that nobody has placed before."""
    reference = "".join(secrets.choice(string.ascii_letters) for _ in range(20))  # digits may be those of a card
    return json.dumps({**PIX, "reference": reference}).encode()


def head(method: str, path: str, *headers: str) -> bytes:
    """The head of a request; `headers` as they are written."""
    lines = [f"{method} {path} HTTP/1.1", f"Host: {HOST}", "Connection: close", *headers, "", ""]
    return "\r\n".join(lines).encode("latin-1")


def api(key: str | None, path: str = "/payments", *headers: str, method: str = "POST") -> bytes:
    """The head of a call of the API, without what tells its length."""
    with_key = [f"x-api-key: {key}"] if key else []
    own = ["Content-Type: application/json", f"idempotency-key: {uuid.uuid4()}"] if method != "GET" else []
    return head(method, f"/api/v2{path}", *with_key, *own, *headers)


def post(key: str | None, body: bytes, path: str = "/payments", *headers: str) -> bytes:
    return api(key, path, f"Content-Length: {len(body)}", *headers) + body


def chunks(*pieces: bytes) -> bytes:
    """A body in pieces, with its end."""
    return b"".join(f"{len(piece):x}\r\n".encode() + piece + b"\r\n" for piece in (*pieces, b""))


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1]) if answer else 0


def told(answer: bytes) -> Any:
    """The JSON of an answer."""
    return json.loads(answer.partition(b"\r\n\r\n")[2])


def headers(answer: bytes) -> dict[str, str]:
    lines = answer.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")[1:]
    return {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
