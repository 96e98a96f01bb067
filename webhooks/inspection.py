"""The exact bytes that were sent, for debugging receivers."""

from dataclasses import dataclass, field

from accounts.base.sealing import unseal
from webhooks import signing
from webhooks.client import OUR_HEADERS
from webhooks.models import Attempt, Delivery


@dataclass(frozen=True, slots=True)
class SentAttempt:
    """One attempt as sent. `signed` are the bytes under `webhook-signature`; `x-onpay-signature` signs the body."""

    headers: dict[str, str]
    body: bytes = field(repr=False)
    signed: bytes = field(repr=False)


def sent(delivery: Delivery, attempt: Attempt) -> SentAttempt:
    """The request of an attempt, signed with the current secrets: before a rotation the signatures were different."""
    endpoint, event = delivery.endpoint, delivery.event
    sealed = [endpoint.sealed_secret]
    if endpoint.overlap_ends_at and endpoint.sealed_previous_secret:
        sealed.append(endpoint.sealed_previous_secret)
    secrets = [unseal(bytes(one)).decode() for one in sealed]
    body, at = bytes(event.body), int(attempt.started_at.timestamp())
    headers = signing.headers(event.pk, body, secrets, at) | {
        "x-onpay-event": event.type,
        "x-onpay-delivery": delivery.pk,
        "x-onpay-attempt": str(attempt.number),
    }
    return SentAttempt(headers | OUR_HEADERS, body, f"{event.pk}.{at}.".encode() + body)
