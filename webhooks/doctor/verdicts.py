"""Input and output of the diagnosis."""

import base64
import hmac
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from webhooks.signing import PREFIX

ID, TIMESTAMP = "webhook-id", "webhook-timestamp"
OF_CONTENT, OF_BODY = "webhook-signature", "x-onpay-signature"

NOT_POSSIBLE = (ValueError, ArithmeticError, RecursionError, zlib.error)


class Verdict(StrEnum):
    """The most likely cause."""

    OK = "OK"
    BODY_REENCODED = "BODY_REENCODED"
    WRONG_ENDPOINT_SECRET = "WRONG_ENDPOINT_SECRET"  # noqa: S105
    PREVIOUS_SECRET = "PREVIOUS_SECRET"  # noqa: S105
    TIMESTAMP_SKEW = "TIMESTAMP_SKEW"
    TRAILING_NEWLINE = "TRAILING_NEWLINE"
    WRONG_ENCODING = "WRONG_ENCODING"
    API_KEY_PASTED = "API_KEY_PASTED"
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True, slots=True)
class Received:
    """What the receiver got, when, and the secret it verifies with if given."""

    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)
    at: datetime
    secret: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Known:
    """Our records: the secrets, and the exact bytes of the event if the id is one of ours."""

    secret: str = field(repr=False)
    previous_secret: str | None = field(default=None, repr=False)
    previous_is_valid: bool = False
    other_secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    event_body: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The verdict and two sentences for the merchant, without secrets, signatures or parts of the body."""

    verdict: Verdict
    explanation: str
    advice: str


def both(first: Diagnosis, second: Diagnosis) -> Diagnosis:
    return replace(
        first,
        explanation=f"{first.explanation} Besides: {second.explanation}",
        advice=f"{first.advice} {second.advice}",
    )


def unknown(explanation: str, advice: str) -> Diagnosis:
    return Diagnosis(Verdict.UNKNOWN, explanation, advice)


def is_same(one: str, other: str) -> bool:
    return hmac.compare_digest(as_bytes(one), as_bytes(other))


def as_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def key_of(secret: str) -> bytes | None:
    try:
        return base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except ValueError:
        return None
