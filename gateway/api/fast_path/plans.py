"""How each operation of the fast path is done: what it asks the database, and what becomes of the row."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from accounts.base.ids import is_well_formed
from accounts.base.rows import Statement
from accounts.models import Environment
from gateway.api.fast_path.calls import CREATE, SIMULATE, Call
from gateway.api.inputs.fields import validated
from gateway.api.inputs.payments import PaymentInput
from gateway.api.operations import keyed, rendered
from gateway.api.v2.payments import answer
from gateway.api.v2.simulations import SimulationInput
from gateway.payments import payloads, selectors
from gateway.payments import services as payments
from gateway.payments.creation import Creation
from gateway.payments.errors import PaymentUnknown
from gateway.payments.provider import locking
from gateway.requests import bodies, idempotency

Row = tuple[Any, ...] | None


@dataclass(frozen=True, slots=True)
class Change:
    """Statements that store the response under its key, change a payment and, last, post its books."""

    payment: str
    """Its id."""
    key: Statement
    writes: Sequence[Statement]
    names: tuple[int, str]
    """The merchant and the key."""
    wallet: tuple[int, str]
    """The merchant and the currency of the books."""


@dataclass(frozen=True, slots=True)
class Made:
    """The answer to a call: status and body. It holds once the creation or change is stored, if there is one."""

    status: int
    body: bytes
    creation: Creation | None = None
    change: Change | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """A statement, and what becomes of its row. None: it takes more than the fast path does.

    `locks`: the id of the payment whose row the statement locks. Otherwise it only reads.
    """

    asks: Statement
    make: Callable[[Row], Made | None]
    locks: str = ""


def plan(call: Call) -> Plan | None:
    """Raises what the view would refuse with."""
    if call.route is CREATE:
        return _creation(call)
    return _simulation(call) if call.route is SIMULATE else _reading(call)


def _reading(call: Call) -> Plan:
    return Plan(selectors.row_of(_payment_id(call)), partial(_read, call))


def _payment_id(call: Call) -> str:
    payment_id = call.parameters["payment_id"]
    if not is_well_formed(payment_id):
        raise PaymentUnknown
    return payment_id


def _read(call: Call, row: Row) -> Made:
    return Made(*rendered(call.route.declared, payloads.payment(selectors.owned(call.merchant, row))))


def _keyed(call: Call) -> idempotency.KeyedRequest:
    key = idempotency.key_of(call.headers.get("idempotency-key", ""))
    return keyed(call.merchant, key, call.path, call.id, bodies.parse(call.body))


def _creation(call: Call) -> Plan | None:
    attempt = _keyed(call)
    order = validated(PaymentInput, dict(attempt.content), call.merchant).request()
    drafting = payments.draft_from(call.merchant, order)
    return Plan(drafting.asks, partial(_create, call, attempt, drafting)) if drafting else None


def _create(call: Call, attempt: idempotency.KeyedRequest, drafting: payments.Drafting, row: Row) -> Made | None:
    if (draft := drafting.draft(row)) is None:
        return None
    status, body = rendered(call.route.declared, answer(draft.payment))
    return Made(status, body, Creation(idempotency.row_with(attempt, status, body), draft.payment))


def _simulation(call: Call) -> Plan | None:
    if call.merchant.environment != Environment.SANDBOX:
        return None  # nothing of it is locked
    attempt = _keyed(call)
    wanted = validated(SimulationInput, dict(attempt.content), call.merchant).status
    payment_id = _payment_id(call)
    return Plan(locking(payment_id), partial(_simulate, call, attempt, wanted), locks=payment_id)


def _simulate(call: Call, attempt: idempotency.KeyedRequest, wanted: str, row: Row) -> Made | None:
    if (finishing := payments.simulating(call.merchant, row, wanted)) is None:
        return None
    status, body = rendered(call.route.declared, payloads.payment(finishing.payment))
    merchant, currency = call.merchant.pk, finishing.payment.currency
    key = idempotency.storing(attempt, status, body)
    changed = finishing.payment.pk
    change = Change(changed, key, finishing.writes, names=(merchant, attempt.key), wallet=(merchant, currency))
    return Made(status, body, change=change)
