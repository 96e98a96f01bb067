"""The refusals of each operation, and the schema of each status."""

from collections import defaultdict
from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

from accounts.base.errors import InvalidRequest, Refusal, Unavailable
from accounts.errors import EnvironmentNotServed
from gateway.api import errors
from gateway.api.openapi.schemas import reference
from gateway.api.operations import Operation
from gateway.methods.registry import codes_of
from gateway.requests import errors as of_requests
from gateway.requests.envelope import doc_url
from gateway.serving import errors as serving


class ErrorDetail(TypedDict):
    """`code`, `retryable` and `field` for programs, `message` and `docUrl` for people."""

    code: str
    message: str
    retryable: bool
    requestId: str
    docUrl: str
    field: NotRequired[str]
    fields: NotRequired[list[errors.WrongMemberPayload]]
    retryAfter: NotRequired[int]
    paymentId: NotRequired[str]
    paymentStatus: NotRequired[str]
    conversionId: NotRequired[str]


class Error(TypedDict):
    """A failure of any status."""

    success: Literal[False]
    onpayCode: str
    onpayDescription: str
    error: ErrorDetail


ALWAYS: tuple[type[Refusal], ...] = (
    InvalidRequest, errors.Unauthenticated, EnvironmentNotServed, errors.PermissionMissing, errors.RouteUnknown,
    errors.MethodNotAllowed, errors.NotAcceptable, errors.RateLimited, errors.InternalError, Unavailable,
    errors.MalformedHttp, serving.HeaderRepeated, serving.TargetTooLong, errors.Unreachable, serving.NoAnswerInTime,
)  # fmt: skip
WITH_A_BODY: tuple[type[Refusal], ...] = (
    of_requests.MalformedJson, of_requests.CardDataSent, serving.BodyTooLarge, of_requests.UnsupportedMediaType,
    serving.BodyIncomplete, serving.BodyTooSlow, serving.TooManyUnfinished,
)  # fmt: skip
WITH_A_KEY: tuple[type[Refusal], ...] = (
    of_requests.IdempotencyKeyMissing, of_requests.IdempotencyKeyInvalid, of_requests.IdempotencyConflict,
    of_requests.IdempotencyInProgress,
)  # fmt: skip


def refusals_of(method: str, declared: Operation) -> list[type[Refusal]]:
    """Everything an operation may refuse, by its layers and by its own declaration."""
    found = [*ALWAYS, *declared.refuses]
    if method in ("post", "patch"):
        found += WITH_A_BODY
    if method == "post":
        found += WITH_A_KEY
    if declared.is_collection:
        found.append(errors.InvalidPagination)
    return sorted(set(found), key=lambda refusal: refusal.code)


def failures(refusals: list[type[Refusal]], headers: dict[str, Any]) -> dict[str, Any]:
    """The responses by status. Their codes are in `x-onpay-codes`: as an enum they would break clients that were
    generated before a new one was added.
    """
    by_status: dict[str, list[type[Refusal]]] = defaultdict(list)
    for refusal in refusals:
        by_status[refusal.code[3:6]].append(refusal)
    return {status: _failure(found, headers) for status, found in sorted(by_status.items())}


def _failure(refusals: list[type[Refusal]], headers: dict[str, Any]) -> dict[str, Any]:
    return {
        "description": "\n".join(f"- `{refusal.code}`: {refusal.message}" for refusal in refusals),
        "headers": headers,
        "content": {
            "application/json": {
                "schema": reference("Error"),
                "examples": {refusal.code: {"value": _example(refusal)} for refusal in refusals},
            }
        },
        "x-onpay-codes": [code for refusal in refusals for code in codes_of(refusal)],
    }


def _example(refusal: type[Refusal]) -> dict[str, Any]:
    code = codes_of(refusal)[0]
    error = {
        "code": code,
        "message": refusal.message,
        "retryable": refusal.retryable,
        "requestId": "req_01KAGTW3Q8XJ5V0N2B7R4C9D01",
        "docUrl": doc_url(code),
    }
    if refusal.retryable and code.startswith(("ONP429", "ONP502", "ONP503", "ONP409")):
        error["retryAfter"] = getattr(refusal, "retry_after_s", None) or 30
    return {"success": False, "onpayCode": code, "onpayDescription": refusal.message, "error": error}
