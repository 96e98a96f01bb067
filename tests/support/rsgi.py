"""Requests as the web server hands them over, to the fast path and to Django."""

import io
import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.core.handlers.wsgi import WSGIHandler

from gateway.api.fast_path.answering import answer_all
from gateway.api.fast_path.calls import look
from gateway.serving.application import Application, Client, FastPath
from gateway.serving.bodies import Body
from tests.support.api import another_address

JSON = "application/json"


@dataclass
class Request:
    """A request over the wire. `more` are further headers, as often as they are named."""

    key: str
    method: str = "GET"
    path: str = "/api/v2/payments"
    body: Any = None
    address: str = field(default_factory=another_address)
    more: list[tuple[str, str]] = field(default_factory=list)
    host: str = "testserver"
    query_string: str = ""
    without: tuple[str, ...] = ()

    @property
    def content(self) -> bytes:
        return (
            b"" if self.body is None else self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()
        )

    def headers(self) -> list[tuple[str, str]]:
        own = [("host", self.host), ("x-api-key", self.key)]
        if self.method == "POST":
            own += [("content-type", JSON), ("idempotency-key", str(uuid.uuid4()))]
        if self.content:
            own.append(("content-length", str(len(self.content))))
        return [(name, value) for name, value in own if name not in self.without] + self.more


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


class _Headers:
    def __init__(self, sent: list[tuple[str, str]]) -> None:
        self._sent = sent

    def items(self) -> list[tuple[str, str]]:
        return self._sent

    def get(self, name: str, default: Any = None) -> Any:
        return next((value for named, value in self._sent if named == name), default)


class _Scope:
    """What Granian tells of a request."""

    http_version, scheme, server, authority = "1.1", "http", "127.0.0.1:8000", None

    def __init__(self, request: Request) -> None:
        self.method, self.path, self.query_string = request.method, request.path, request.query_string
        self.client, self.headers = f"{request.address}:40000", _Headers(request.headers())


class _Protocol:
    answer: Answer | None = None

    def response_bytes(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
        self.answer = Answer(status, {name.lower(): value for name, value in headers}, body)


class Sent:
    """A request that has arrived."""

    def __init__(self, request: Request) -> None:
        content = request.content
        self.scope, self.client = _Scope(request), Client(_Protocol())
        self.body = Body(io.BytesIO(content), len(content)) if content else Body(io.BytesIO())
        self.call = look(self.scope, self.body, self.client)

    @property
    def answer(self) -> Answer | None:
        return self.client.protocol.answer  # type: ignore[no-any-return]

    def through_django(self) -> Answer:
        """After the fast path, or without it."""
        Application(WSGIHandler(), FastPath())._answer(self.scope, self.client, self.body)
        assert self.answer
        return self.answer


def together(sent: Sequence[Sent]) -> list[bool]:
    """Whether the fast path has answered each, all at the same time."""
    taken = [one for one in sent if one.call]
    answered = dict(zip(map(id, taken), answer_all([one.call for one in taken if one.call]), strict=True))
    assert all((one.answer is not None) == answered.get(id(one), False) for one in sent)
    return [answered.get(id(one), False) for one in sent]
