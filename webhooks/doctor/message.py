"""Diagnosis of one attempt's headers: which signatures they hold, and whose."""

import base64
import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from webhooks.doctor.verdicts import (
    ID,
    OF_BODY,
    OF_CONTENT,
    TIMESTAMP,
    Diagnosis,
    Known,
    Verdict,
    as_bytes,
    key_of,
    unknown,
)

TOLERANCE_S = 300  # as in the Standard Webhooks libraries
MOST_SIGNATURES = 20


@dataclass(frozen=True, slots=True)
class Message:
    """The headers of one attempt, as far as they can be parsed."""

    headers: Mapping[str, str]
    of_content: list[bytes]
    of_body: list[bytes]

    def unreadable(self) -> list[str]:
        """The headers that a verification needs and cannot use, each with its problem."""
        usable = {
            ID: ID in self.headers,
            TIMESTAMP: self.sent_at() is not None,
            OF_CONTENT: bool(self.of_content),
            OF_BODY: bool(self.of_body),
        }
        needed = {TIMESTAMP} | ({OF_CONTENT, OF_BODY} & set(self.headers))
        if OF_CONTENT in self.headers:
            needed |= {ID}
        elif OF_BODY not in self.headers:
            needed |= {OF_CONTENT, OF_BODY}
        return [
            f"{name} {'cannot be read' if name in self.headers else 'is missing'}"
            for name in usable
            if name in needed and not usable[name]
        ]

    def sent_at(self) -> int | None:
        text = self.headers.get(TIMESTAMP, "")
        return int(text) if re.fullmatch("[0-9]{1,12}", text) else None

    def signatures(self) -> set[str]:
        """The names of the headers with verifiable signatures."""
        content = self.of_content and ID in self.headers and self.sent_at() is not None
        return ({OF_CONTENT} if content else set()) | ({OF_BODY} if self.of_body else set())

    def fitting(self, secret: str, body: bytes) -> set[str]:
        """The names of the headers that match this secret and body."""
        expected = {OF_BODY: hmac.digest(as_bytes(secret), body, "sha256")}
        key = key_of(secret)
        if key is not None:
            content = as_bytes(f"{self.headers.get(ID)}.{self.headers.get(TIMESTAMP)}.") + body
            expected[OF_CONTENT] = hmac.digest(key, content, "sha256")
        signatures = {OF_CONTENT: self.of_content, OF_BODY: self.of_body}
        return {
            name
            for name in self.signatures() & set(expected)
            if any(hmac.compare_digest(expected[name], signature) for signature in signatures[name])
        }


def read_message(headers: Mapping[str, str]) -> Message:
    read = {name.strip().lower().replace("_", "-").removeprefix("http-"): headers[name].strip() for name in headers}
    read = {name: value for name, value in read.items() if value}
    of_content = re.findall(r"\bv1,+([A-Za-z0-9+/]{43}=)(?![A-Za-z0-9+/=])", read.get(OF_CONTENT, ""))
    of_body = re.findall(r"\bsha256=([0-9a-fA-F]{64})\b", read.get(OF_BODY, ""))
    return Message(
        read,
        [base64.b64decode(text) for text in of_content[:MOST_SIGNATURES]],
        [bytes.fromhex(text) for text in of_body[:MOST_SIGNATURES]],
    )


def diagnose_headers(message: Message, fitting: set[str], at: datetime) -> Diagnosis:
    """The current secret signed this body: checks the other headers and the clock."""
    right = " and ".join(sorted(fitting))
    unreadable = message.unreadable()
    sent_at = message.sent_at()
    if unreadable or sent_at is None:
        return unknown(
            f"Body and secret are right, as {right} shows, but {', '.join(unreadable)}.",
            "See that no proxy or framework drops or rewrites the headers.",
        )
    altered = message.signatures() - fitting
    if altered:
        return unknown(
            f"Body and secret are right, as {right} shows, but {' and '.join(altered)} does not fit: it was changed"
            f"{f', or {ID} or {TIMESTAMP} was' if OF_CONTENT in altered else ''}.",
            "Pass the headers of one and the same attempt on unchanged.",
        )
    late_s = round(at.timestamp() - sent_at)
    if abs(at.timestamp() - sent_at) > TOLERANCE_S:
        return Diagnosis(
            Verdict.TIMESTAMP_SKEW,
            f"The signature is right, but the message arrived {abs(late_s)} seconds "
            f"{'after' if late_s > 0 else 'before'} its {TIMESTAMP}; libraries accept {TOLERANCE_S}.",
            "Set the receiver's clock by NTP, and verify each message as it arrives: no queue, no stored copy.",
        )
    return Diagnosis(
        Verdict.OK,
        "The signature is right: this body, these headers and the endpoint's current secret belong together.",
        "If the receiver still refuses it, its code compares something else: let it verify the raw bytes of the body.",
    )


def other_signer(message: Message, body: bytes, known: Known) -> Diagnosis | None:
    """The other secret that signed this body, if any."""
    if known.previous_secret and message.fitting(known.previous_secret, body):
        valid = "is valid until the overlap ends" if known.previous_is_valid else "is no longer valid"
        return Diagnosis(
            Verdict.PREVIOUS_SECRET,
            f"The message is signed with this endpoint's previous secret only, which {valid}: "
            "it was sent before the rotation.",
            "Accept both secrets while they overlap, and let old events be delivered again.",
        )
    for endpoint, secret in known.other_secrets.items():
        if message.fitting(secret, body):
            return Diagnosis(
                Verdict.WRONG_ENDPOINT_SECRET,
                f"The message is signed with the secret of another endpoint, {endpoint}: it was meant for that one.",
                "Verify it with that endpoint's secret, or give each endpoint a URL of its own.",
            )
    return None
