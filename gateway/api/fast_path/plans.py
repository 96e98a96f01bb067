"""How each operation of the fast path is done: what it asks the database, and what becomes of the row."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from accounts.base.ids import is_well_formed
from accounts.base.rows import Statement
from gateway.api.fast_path.calls import CREATE, Call
from gateway.api.inputs.fields import validated
from gateway.api.inputs.payments import PaymentInput
from gateway.api.operations import keyed, rendered
from gateway.api.v2.payments import answer
from gateway.payments import payloads, selectors
from gateway.payments import services as payments
from gateway.payments.creation import Creation
from gateway.payments.errors import PaymentUnknown
from gateway.requests import bodies, idempotency

Row = tuple[Any, ...] | None


@dataclass(frozen=True, slots=True)
class Made:
    """The answer to a call: status and body. It holds once the creation is stored, if there is one."""

    status: int
    body: bytes
    creation: Creation | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """A statement that only reads, and what becomes of its row. None: it takes more than the fast path does."""

    asks: Statement
    make: Callable[[Row], Made | None]


def plan(call: Call) -> Plan | None:
    """Raises what the view would refuse with."""
    return _creation(call) if call.route is CREATE else _reading(call)


def _reading(call: Call) -> Plan:
    payment_id = call.parameters["payment_id"]
    if not is_well_formed(payment_id):
        raise PaymentUnknown
    return Plan(selectors.row_of(payment_id), partial(_read, call))


def _read(call: Call, row: Row) -> Made:
    return Made(*rendered(call.route.declared, payloads.payment(selectors.owned(call.merchant, row))))


def _creation(call: Call) -> Plan | None:
    key = idempotency.key_of(call.headers.get("idempotency-key", ""))
    content = bodies.parse(call.body)
    attempt = keyed(call.merchant, key, call.path, call.id, content)
    drafting = payments.draft_from(call.merchant, validated(PaymentInput, content, call.merchant).request())
    return Plan(drafting.asks, partial(_create, call, attempt, drafting)) if drafting else None


def _create(call: Call, attempt: idempotency.KeyedRequest, drafting: payments.Drafting, row: Row) -> Made | None:
    if (draft := drafting.draft(row)) is None:
        return None
    status, body = rendered(call.route.declared, answer(draft.payment))
    return Made(status, body, Creation(idempotency.row_with(attempt, status, body), draft.payment))
