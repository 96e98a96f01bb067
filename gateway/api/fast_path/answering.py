"""Answers requests together, stage by stage."""

import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial

import structlog
from django.db import connection

from accounts.base import cells
from accounts.base.client_address import counted_as
from accounts.base.rows import first_of_groups
from accounts.base.tracing import following
from accounts.cells import SETTLES_S, cell_of
from gateway.api import throttling
from gateway.api.fast_path.calls import JSON, Call
from gateway.api.fast_path.plans import Made, Plan, Row, plan
from gateway.api.middleware import count, headers
from gateway.payments import creation
from gateway.requests import log as requests
from gateway.requests.facts import RequestFacts
from gateway.serving.application import NAMELESS

log = structlog.get_logger()
EVERY_CALL = "all"


def answer_all(calls: Sequence[Call]) -> list[bool]:
    """Whether each was answered. If not, nothing was done but to count it: `client.rate_limits` has that.

    Raises nothing: Django meets the same failure, and says so.
    """
    answered: set[str] = set()
    try:
        by_cell = defaultdict(list)
        for call in _admitted(calls):
            by_cell[cell_of(call.merchant)].append(call)
        for cell, some in by_cell.items():
            with cells.opened(cell):
                answered |= _answered(some)
    except Exception as error:  # noqa: BLE001
        log.warning("fast_path.failed", error=type(error).__name__, requests=len(calls) - len(answered))
    finally:
        connection.close_if_unusable_or_obsolete()
    return [call.id in answered for call in calls]


def _admitted(calls: Sequence[Call]) -> list[Call]:
    verdicts = throttling.hit_each([(_scopes(call), counted_as(call.address)) for call in calls])
    for call, told in zip(calls, verdicts, strict=True):
        call.client.rate_limits = {verdict.scope: verdict for verdict in reversed(told)}
    return [call for call, told in zip(calls, verdicts, strict=True) if all(verdict.admitted for verdict in told)]


def _scopes(call: Call) -> list[str]:
    own = call.route.declared.limit
    return [EVERY_CALL, own] if own else [EVERY_CALL]


def _answered(calls: list[Call]) -> set[str]:
    """The ids of those that were answered, in the cell that is open."""
    planned = [(call, wanted) for call in calls if (wanted := _planned(call))]
    found = first_of_groups([[call.remembered.ask, wanted.asks] for call, wanted in planned])
    made: list[tuple[Call, Made]] = []
    for (call, wanted), rows in zip(planned, found, strict=True):
        if rows and call.remembered.is_so_still(rows[0]) and (one := _made(call, wanted, rows[1])):
            made.append((call, one))
    answered = set()
    for call, one in _effective(made):
        answered.add(call.id)
        _send(call, one)
    return answered


def _effective(made: list[tuple[Call, Made]]) -> Iterator[tuple[Call, Made]]:
    """Those whose answers hold: what was read, and then what was stored."""
    new: list[tuple[Call, Made]] = []
    for call, one in made:
        if one.creation:
            new.append((call, one))
        else:
            yield call, one
    stored = creation.store([one.creation for _, one in new if one.creation]) if new else []
    yield from (one for one, is_stored in zip(new, stored, strict=True) if is_stored)


def _planned(call: Call) -> Plan | None:
    try:
        return plan(call)
    except Exception:  # noqa: BLE001
        return None


def _made(call: Call, wanted: Plan, row: Row) -> Made | None:
    """None for who has waited for so long that the merchant may have begun to move."""
    if time.perf_counter() - call.began > SETTLES_S / 2:
        return None
    try:
        with following(call.id):
            return wanted.make(row)
    except Exception:  # noqa: BLE001
        return None


def _send(call: Call, made: Made) -> None:
    client = call.client
    named = headers(made.body, [*client.rate_limits.values()])
    wire = [
        ("content-type", JSON),
        ("allow", call.route.allowed),
        *((name.lower(), value) for name, value in named.items()),
        ("requestid", call.id),
        NAMELESS,
    ]
    client.send(client.protocol.response_bytes, made.status, wire, made.body)
    with following(call.id):
        _tell(call, made, time.perf_counter() - call.began)


def _tell(call: Call, made: Made, elapsed_s: float) -> None:
    """To the log, to Prometheus and to the merchant's request log."""
    method = call.route.method
    log.info(
        "request",
        method=method,
        path=call.path,
        status=made.status,
        code=None,
        merchant=call.key.merchant_id,
        ms=round(elapsed_s * 1000, 1),
    )
    count(method, call.route.address, made.status, elapsed_s)
    requests.keep(partial(_facts, call, made, elapsed_s))


def _facts(call: Call, made: Made, elapsed_s: float) -> RequestFacts:
    return RequestFacts(
        id=call.id,
        merchant_id=call.key.merchant_id,
        api_key_id=call.key.pk,
        method=call.route.method,
        path=call.path,
        path_ids=tuple(call.parameters.values()),
        query="",
        body=call.body,
        origin=str(call.address) if call.address else None,
        user_agent=call.headers.get("user-agent", ""),
        idempotency_key=call.headers.get("idempotency-key", ""),
        status=made.status,
        refusal_code=None,
        answer=made.body,
        answer_kind=JSON,
        is_replay=False,
        elapsed_s=elapsed_s,
        cell=cells.current(),
    )
