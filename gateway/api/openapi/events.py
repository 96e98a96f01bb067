"""Webhooks of the document: the events by type."""

from typing import Any

from gateway.api.openapi.schemas import Components, reference
from gateway.conversions.payloads import ConversionPayload
from gateway.payments.payloads import PaymentPayload
from gateway.refunds.payloads import RefundPayload
from gateway.saved_cards.payloads import SavedCardPayload
from gateway.withdrawals.payloads import WithdrawalPayload
from ledger.receivables.payloads import AdvancePayload, ReleasedPayload
from webhooks.kinds import KINDS
from webhooks.payloads import TestPayload

DATA: dict[str, Any] = {
    "payment": PaymentPayload,
    "refund": RefundPayload,
    "withdrawal": WithdrawalPayload,
    "conversion": ConversionPayload,
    "advance": AdvancePayload,
    "balance": ReleasedPayload,
    "payment_method": SavedCardPayload,
    "webhook": TestPayload,
}
"""The type of `data` by the first word of the kind."""
_ABOUT = "What it is about, as its lookup showed it at that moment, without what only the payer's browser may see."
_HEADERS = {
    "webhook-id": "The event's id, the same on every attempt: deduplicate by it",
    "webhook-timestamp": "Unix seconds of this attempt",
    "webhook-signature": "`v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`; two during a rotation",
    "x-onpay-signature": "`sha256=` and the hex of HMAC-SHA256 over the body; two during a rotation",
    "x-onpay-event": "The kind of the event",
    "x-onpay-delivery": "The delivery's id",
    "x-onpay-attempt": "The first attempt is 1",
}


def webhooks(components: Components) -> dict[str, Any]:
    """One webhook for each event type, with its body."""
    return {kind: {"post": _delivery(kind, when, components)} for kind, when in KINDS.items()}


def _delivery(kind: str, when: str, components: Components) -> dict[str, Any]:
    return {
        "operationId": "on" + "".join(word.title() for word in kind.replace("_", ".").split(".")),
        "tags": ["Events"],
        "summary": when,
        "description": "Answer 2xx within 15 seconds. Anything else is sent again, for three days.",
        "security": [],
        "parameters": [
            {"name": name, "in": "header", "required": True, "description": text, "schema": {"type": "string"}}
            for name, text in _HEADERS.items()
        ],
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": _body(kind, components)}},
        },
        "responses": {"2XX": {"description": "Received"}},
    }


def _body(kind: str, components: Components) -> dict[str, str]:
    name = "".join(word.title() for word in kind.replace("_", ".").split(".")) + "Event"
    components[name] = {
        "type": "object",
        "description": f"{KINDS[kind]}.",
        "required": ["id", "type", "timestamp", "apiVersion", "environment", "companyId", "sequence", "data"],
        "properties": {
            "id": {"type": "string", "description": "The event's id: deduplicate by it."},
            "type": {"const": kind, "description": "The kind of the event."},
            "timestamp": {"type": "string", "format": "date-time", "description": "When it happened."},
            "apiVersion": {"const": "v2", "description": "The version of `data`."},
            "environment": {"enum": ["SANDBOX", "PRODUCTION"], "description": "That of the endpoint's key."},
            "companyId": {"type": "string", "description": "The company's id."},
            "sequence": {"type": "integer", "description": "Grows with every event of the same object."},
            "data": components.ref(DATA[kind.partition(".")[0]]) | {"description": _ABOUT},
        },
    }
    return reference(name)
