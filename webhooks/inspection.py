"""The exact bytes that were sent, for debugging receivers."""

from dataclasses import replace

from accounts.base.sealing import unseal
from webhooks.client import OUR_HEADERS
from webhooks.messages import Message, message
from webhooks.models import Attempt, Delivery


def sent(delivery: Delivery, attempt: Attempt) -> Message:
    """The request of an attempt, signed with the current secrets: before a rotation the signatures were different."""
    endpoint, event = delivery.endpoint, delivery.event
    sealed = [endpoint.sealed_secret]
    if endpoint.overlap_ends_at and endpoint.sealed_previous_secret:
        sealed.append(endpoint.sealed_previous_secret)
    secrets = [unseal(bytes(one)).decode() for one in sealed]
    body, at = bytes(event.body), int(attempt.started_at.timestamp())
    made = message(
        delivery.pk, attempt.number, event.pk, event.type, body, secrets, at, disturbance=delivery.disturbance
    )
    return replace(made, headers=made.headers | OUR_HEADERS)
