"""A request and its response: as passed to the log, and as stored."""

import re
from typing import Any, NamedTuple
from uuid import UUID

from django.http import HttpRequest, HttpResponse

from accounts.base import cells
from accounts.base.client_address import client_address
from accounts.base.ids import made_at
from gateway.requests import redaction
from gateway.requests.errors import CardDataSent
from gateway.requests.traced import traced

LONGEST_PATH, LONGEST_QUERY, LONGEST_AGENT = 255, 2048, 255
OVERHEAD = 1024
CARD_DATA = "[card data]"
_PUBLIC_ID = re.compile(r"[a-z]{3,4}_[0-9A-HJKMNP-TV-Z]{26}")
_COMPANY = "cmp_"
_NAMED_BY_DATA = ("id", "paymentId", "objectId")
_NAMED_BY_ERROR = ("paymentId", "refundId", "withdrawalId", "conversionId")


class RequestFacts(NamedTuple):
    """Facts collected in the request's own thread."""

    id: str
    merchant_id: int
    api_key_id: str
    method: str
    path: str
    path_ids: tuple[str, ...]
    query: str
    body: bytes
    origin: str | None
    user_agent: str
    idempotency_key: str
    status: int
    refusal_code: str | None
    answer: bytes
    answer_kind: str
    is_replay: bool
    elapsed_s: float
    cell: str = cells.FIRST

    @property
    def size(self) -> int:
        """Their approximate size in memory, in bytes."""
        return OVERHEAD + len(self.body) + len(self.answer)


def facts_of(request: HttpRequest, response: HttpResponse, elapsed_s: float) -> RequestFacts:
    """The facts of a request with a valid key. An unread body is not read for this."""
    meta, origin = request.META, client_address(request)
    return RequestFacts(
        id=traced(request).request_id,
        merchant_id=traced(request).merchant_id,
        api_key_id=traced(request).api_key_id,
        method=str(request.method),
        path=request.path,
        path_ids=tuple(request.resolver_match.kwargs.values()) if request.resolver_match else (),
        query=meta.get("QUERY_STRING", ""),
        body=getattr(request, "_body", b""),
        origin=str(origin) if origin else None,
        user_agent=meta.get("HTTP_USER_AGENT", ""),
        idempotency_key=meta.get("HTTP_IDEMPOTENCY_KEY", ""),
        status=response.status_code,
        refusal_code=getattr(request, "refusal_code", None),
        answer=response.content,
        answer_kind=response.headers["Content-Type"],
        is_replay="Idempotent-Replayed" in response.headers,
        elapsed_s=elapsed_s,
        cell=traced(request).cell,
    )


def row_of(facts: RequestFacts) -> dict[str, Any]:
    """The columns of an `ApiRequest`, redacted, as JSON types."""
    answer, response_body = redaction.body(facts.answer if facts.method != "HEAD" else b"", facts.answer_kind)
    _, request_body = redaction.body(facts.body)
    return {
        "id": facts.id,
        "merchant_id": facts.merchant_id,
        "api_key_id": facts.api_key_id,
        "method": facts.method[:8],
        "path": _line(facts.path, LONGEST_PATH),
        "query": redaction.query(facts.query)[:LONGEST_QUERY].replace("\0", ""),
        "status": facts.status,
        "code": facts.refusal_code or _member(answer, "onpayCode"),
        "elapsed_ms": round(facts.elapsed_s * 1000, 1),
        "origin": facts.origin,
        "user_agent": _line(facts.user_agent, LONGEST_AGENT),
        "idempotency_key": _key(facts.idempotency_key),
        "is_replay": facts.is_replay,
        "objects_named": _named(facts.path_ids, answer),
        "request_body": CARD_DATA if facts.refusal_code == CardDataSent.code else request_body,
        "response_body": response_body,
        "created_at": made_at(facts.id).isoformat(),
    }


def _line(text: str, longest: int) -> str:
    return redaction.scrubbed(text)[:longest].replace("\0", "")


def _key(text: str) -> str | None:
    try:
        return str(UUID(text.strip().strip('"')))
    except ValueError:
        return None


def _member(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None


def _named(path_ids: tuple[str, ...], answer: Any) -> list[str]:
    """Public ids: first what was created, then its parents, then those in the path; the company has its own column."""
    data, error = _member(answer, "data"), _member(answer, "error")
    named = [_member(data, name) for name in _NAMED_BY_DATA] + [_member(error, name) for name in _NAMED_BY_ERROR]
    ids = [one for one in (*named, *path_ids) if isinstance(one, str) and _PUBLIC_ID.fullmatch(one)]
    return [one for one in dict.fromkeys(ids) if not one.startswith(_COMPANY)]
