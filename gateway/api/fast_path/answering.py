"""Answers requests together, stage by stage."""

import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import structlog
from django.db import DatabaseError, InterfaceError, connection, transaction

from accounts.base import cells
from accounts.base.client_address import counted_as
from accounts.base.rows import Statement, first_of, first_of_groups
from accounts.base.tracing import following
from accounts.cells import SETTLES_S, cell_of
from gateway.api import throttling
from gateway.api.fast_path.calls import JSON, Call
from gateway.api.fast_path.plans import Change, Made, Plan, Row, plan
from gateway.api.middleware import count, headers, note
from gateway.database.nodes import has_nodes
from gateway.payments import creation
from gateway.requests import log as requests
from gateway.requests.facts import RequestFacts
from gateway.serving.application import NAMELESS
from ledger.books.services import is_all

log = structlog.get_logger()
EVERY_CALL = "all"
BRIEFLY: Statement = ("SELECT set_config('lock_timeout', '100ms', true)", ())
"""Whoever waits longer for a lock waits for it alone."""


def answer_all(calls: Sequence[Call]) -> list[bool]:
    """Whether each was answered. If not, nothing was done but to count it, which `client.rate_limits` has; or what was
    done is found by Django under its key.

    Raises nothing: Django meets the same failure, and says so.
    """
    by_cell = defaultdict(list)
    with _for_themselves(calls):
        connection.close_if_unusable_or_obsolete()
        plans = Plans([call for call in calls if not call.client.is_answered])  # for the others nobody waits any more
        for call in _admitted(plans):
            if wanted := plans[call]:
                by_cell[cell_of(call.merchant)].append((call, wanted))
    for cell, some in by_cell.items():
        with _for_themselves([call for call, _ in some]), cells.opened(cell):
            if not cell or not has_nodes():  # all of this process would wait for a node that hangs
                _answer(some)
    with _for_themselves(calls):
        connection.close_if_unusable_or_obsolete()
    return [call.client.is_answered for call in calls]


@contextmanager
def _for_themselves(calls: Sequence[Call]) -> Iterator[None]:
    """What fails within keeps no other call from its answer."""
    try:
        yield
    except Exception as error:  # noqa: BLE001
        log.warning("fast_path.failed", error=type(error).__name__, requests=len(calls))


class Plans:
    """How calls are to be answered. They are made while Valkey counts, or when they are needed."""

    def __init__(self, calls: Sequence[Call]) -> None:
        self.calls = calls
        self._made: dict[str, Plan | None] = {}

    def make(self) -> None:
        for call in self.calls:
            self[call]

    def __getitem__(self, call: Call) -> Plan | None:
        if call.id not in self._made:
            self._made[call.id] = _planned(call)
        return self._made[call.id]


def _admitted(plans: Plans) -> list[Call]:
    calls = plans.calls
    verdicts = throttling.hit_each([(_scopes(call), counted_as(call.address)) for call in calls], meanwhile=plans.make)
    for call, told in zip(calls, verdicts, strict=True):
        call.client.rate_limits = {verdict.scope: verdict for verdict in reversed(told)}
    return [call for call, told in zip(calls, verdicts, strict=True) if all(verdict.admitted for verdict in told)]


def _scopes(call: Call) -> list[str]:
    own = call.route.declared.limit
    return [EVERY_CALL, own] if own else [EVERY_CALL]


def _answer(planned: list[tuple[Call, Plan]]) -> None:
    """Those that take the usual course, in the cell that is open."""
    for done, some in (
        (_read_or_created, [one for one in planned if not one[1].locks]),
        (_changed, [one for one in planned if one[1].locks]),
    ):
        with _for_themselves([call for call, _ in some]):
            for call, made in done(some):
                with _for_themselves([call]), following(call.id):
                    _send(call, made)


def _read_or_created(planned: list[tuple[Call, Plan]]) -> Iterator[tuple[Call, Made]]:
    """Those whose answers hold: what was read, and then what was stored."""
    if not planned:
        return
    asked_at = time.perf_counter()
    found = first_of_groups([[call.remembered.ask, wanted.asks] for call, wanted in planned])
    made = [
        one for (call, wanted), rows in zip(planned, found, strict=True) if (one := _made(call, wanted, rows, asked_at))
    ]
    yield from ((call, one) for call, one in made if not one.creation)
    new = [(call, one) for call, one in made if one.creation]
    stored = creation.store([one.creation for _, one in new if one.creation]) if new else []
    yield from (one for one, is_stored in zip(new, stored, strict=True) if is_stored)


def _changed(planned: list[tuple[Call, Plan]]) -> list[tuple[Call, Made]]:
    """Those that were changed. What takes more is left out, and undone with all others before: they are done again."""
    while planned:
        try:
            return _changed_together(planned)
        except Incomplete as error:
            planned = [one for one in planned if one[1].locks not in error.payments]
        except (DatabaseError, InterfaceError) as error:
            log.info("fast_path.not_changed", error=type(error).__name__, requests=len(planned))
            break
    return []


def _changed_together(planned: list[tuple[Call, Plan]]) -> list[tuple[Call, Made]]:
    """Those that were changed, in one transaction: all or none. Rows are locked in one order, books last, and nobody
    waits for a lock for long. Raises Incomplete.
    """
    apart = sorted({wanted.locks: (call, wanted) for call, wanted in reversed(planned)}.items())
    asked = [statement for _, (call, wanted) in apart for statement in (call.remembered.ask, wanted.asks)]
    with transaction.atomic():
        asked_at = time.perf_counter()
        rows = first_of([BRIEFLY, *asked])[1:]
        pairs = zip((one for _, one in apart), zip(rows[::2], rows[1::2], strict=True), strict=True)
        made = [one for (call, wanted), found in pairs if (one := _made(call, wanted, found, asked_at))]
        _write([one.change for _, one in made if one.change])
    return made


class Incomplete(Exception):
    """The keys of these payments are used, or their money goes on to a hold: that takes more. Unlike after an error of
    PostgreSQL, what is prepared on the connection stays.
    """

    def __init__(self, payments: set[str]) -> None:
        super().__init__(payments)
        self.payments = payments


def _write(changes: list[Change]) -> None:
    """The keys first and the books last, each in one order. Raises Incomplete."""
    if not changes:
        return
    keys = sorted(changes, key=lambda one: one.names)
    books = sorted(changes, key=lambda one: one.wallet)
    others = [write for change in changes for write in change.writes[:-1]]
    rows = first_of([*(one.key for one in keys), *others, *(one.writes[-1] for one in books)])
    lacking = {one.payment for one, row in zip(keys, rows[: len(keys)], strict=True) if not row}
    lacking |= {one.payment for one, row in zip(books, rows[-len(books) :], strict=True) if not is_all(row)}
    if lacking:
        raise Incomplete(lacking)


def _planned(call: Call) -> Plan | None:
    try:
        with cells.opened(cell_of(call.merchant)):
            return plan(call)
    except Exception:  # noqa: BLE001
        return None


def _made(call: Call, wanted: Plan, rows: Sequence[Row] | None, asked_at: float) -> tuple[Call, Made] | None:
    """`rows`: how the key is now, and what the plan has asked for; None if that was refused.

    None: Django answers, also where the database has taken so long that the merchant may have begun to move.
    """
    is_late = time.perf_counter() - asked_at > SETTLES_S / 2
    if rows is None or is_late or not call.remembered.is_so_still(rows[0]):
        return None
    try:
        with following(call.id):
            made = wanted.make(rows[1])
    except Exception:  # noqa: BLE001
        return None
    return (call, made) if made else None


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
    try:
        client.send(client.protocol.response_bytes, made.status, wire, made.body)
    finally:  # it is done, whoever has heard of it
        _tell(call, made, time.perf_counter() - call.began)


def _tell(call: Call, made: Made, elapsed_s: float) -> None:
    """To the log, to Prometheus and to the merchant's request log."""
    method = call.route.method
    note(method, call.path, made.status, elapsed_s, code=None, merchant=call.key.merchant_id)
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
