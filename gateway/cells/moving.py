"""Moves the merchants of a company to another cell while they sell.

Everything that makes the move is one transaction. It first copies all of their rows, beside those who go on writing
them: nobody sees the copies. Then it waits until those who are writing have ended, lets nobody else write, copies once
more what has changed since, deletes the rows where they were, and says where the merchants live now. Whatever fails
leaves them where they are.

Ids, numbers and addresses stay. Rows of the books are moved as they are, past the triggers that keep them, which only
the owner of the tables may do.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import structlog
from django.db import OperationalError, transaction
from django.db.models import Model
from psycopg.errors import DeadlockDetected, DiskFull, LockNotAvailable, QueryCanceled

from accounts import audit
from accounts.base.clock import utcnow
from accounts.base.rows import every, execute, first, table
from accounts.cells import SETTLES_S, WAITS, cell_of
from accounts.models import Cell, Company, Merchant
from gateway.cells import gates
from gateway.cells.leading import Lead, leads
from gateway.cells.spreading import is_spread
from ledger.moving import NotClosedAlike, Resealed, hold_books, pass_on, wrong_in
from webhooks.order import write_no_events

log = structlog.get_logger()
LONGEST_PAUSE_S = 2.0
TRIES = 3
HOLDS_FOR_MS = 30_000
"""How long it waits for a proof of the books that is running."""
FEW = 1_000
"""A table that got more rows than this has its statistics made, by which PostgreSQL plans what follows."""
_ONE = f"'public.{table(Cell)}'::regclass::oid::int, 0"
# Of a table that has no primary key, columns that are unique.
_KEYS = """
    SELECT DISTINCT ON (relname) relname,
           (SELECT array_agg(attname::text) FROM pg_attribute WHERE attrelid = indrelid AND attnum = ANY(indkey))
      FROM pg_index JOIN pg_class ON pg_class.oid = indrelid
     WHERE indisunique AND indpred IS NULL AND indexprs IS NULL AND relnamespace = 'public'::regnamespace
     ORDER BY relname, indisprimary DESC, indexrelid
"""
_COLUMNS = """
    SELECT relname, array_agg(attname::text ORDER BY attnum) FROM pg_attribute
      JOIN pg_class ON pg_class.oid = attrelid
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND attnum > 0 AND NOT attisdropped
       AND attgenerated = '' GROUP BY 1
"""
_UNCHANGED_BELOW = "SELECT pg_snapshot_xmin(pg_current_snapshot())::text::numeric %% 4294967296"
# Numbers of transactions begin again after 2^32 of them.
_IS_NEW = "((xmin::text::bigint - %(since)s + 4294967296) %% 4294967296 < 2147483648)"
_COPY = "INSERT INTO {target} ({columns}) SELECT {columns} FROM {source} WHERE {condition}"
_REST = f"""
    WITH gone AS (
        DELETE FROM {{source}} WHERE {{condition}} RETURNING {{columns}}, {_IS_NEW} AS is_new
    ), changed AS (
        INSERT INTO {{target}} AS known ({{columns}}) SELECT {{columns}} FROM gone WHERE is_new
            ON CONFLICT ({{key}}) DO UPDATE SET ({{columns}}) = ROW({{excluded}})
    )
    SELECT count(*), count(*) FILTER (WHERE is_new AND NOT EXISTS (
                         SELECT FROM {{target}} copied WHERE ROW({{copied}}) = ROW({{deleted}})))
      FROM gone
"""
_VANISHED = """
    DELETE FROM {target} copied WHERE {condition}
       AND NOT EXISTS (SELECT FROM {source} there WHERE ROW({there}) = ROW({copied}))
"""
_AT_ONCE = f"DELETE FROM {{source}} WHERE {{condition}} AND NOT {_IS_NEW}"
WRITTEN_ONCE = frozenset({"gateway.ApiRequest", "ledger.Entry", "webhooks.Attempt"})
"""Models whose rows nobody changes, locks or refers to: they are deleted as soon as they are copied."""


class CannotMove(ValueError):
    """Why a company cannot be moved; the message is a sentence."""


class _Again(Exception):
    """The pause was too long, or the rows of a table are not those that were copied and added."""


class _Vanished(Exception):
    """Rows of a table were deleted between their copy and the end."""


@dataclass(slots=True)
class Move:
    """What was moved, and how long it took."""

    company: Company
    source: str
    target: str
    rows: dict[str, int] = field(default_factory=dict)
    pause_s: float = 0.0
    took_s: float = 0.0
    resealed: list[Resealed] = field(default_factory=list)


Tell = Callable[[str], None]


def move(
    company: Company, cell: str, tell: Tell, *, longest_pause_s: float = LONGEST_PAUSE_S, settles_s: float = SETTLES_S
) -> Move:
    """Moves both merchants of the company to the cell; `cell` is empty for `public`. As the owner of the tables.

    Raises CannotMove, and Busy if a table was in use each time: then nothing was moved.
    """
    began = time.monotonic()
    with _alone():
        made = _checked(company, cell)
        merchants = list(company.merchants.order_by("pk").values_list("pk", flat=True))
        gates.open_old()
        Merchant.objects.filter(pk__in=merchants).update(moving_since=utcnow())
        since = time.monotonic()
        gates.put_up(made.source, tell)
        time.sleep(max(0.0, since + settles_s - time.monotonic()))
        for left in reversed(range(TRIES)):
            try:
                _Transaction(made, merchants, longest_pause_s, tell).run()
                break
            except NotClosedAlike as error:
                raise CannotMove(
                    "The two cells are not closed until the same day: try again in ten minutes."
                ) from error
            except (OperationalError, _Again) as error:
                if isinstance(error.__cause__, DiskFull):
                    raise CannotMove(f"The database has no room for the copies: {_reason(error)}.") from error
                if not _is_busy(error):
                    raise
                if not left:
                    raise CannotMove(
                        f"{TRIES} times others were in the way, or it took longer than {longest_pause_s:g} s: "
                        f"{_reason(error)}."
                    ) from error
                log.warning("cells.moved_once_more", company=company.pk, reason=_reason(error))
        made.took_s = time.monotonic() - began
        _tell_of(made)
    return made


@contextmanager
def _alone() -> Iterator[None]:
    (is_first,) = first(f"SELECT pg_try_advisory_lock({_ONE})") or (False,)
    if not is_first:
        raise CannotMove("Another move is going on.")
    try:
        yield
    finally:
        first(f"SELECT pg_advisory_unlock({_ONE})")


def _checked(company: Company, cell: str) -> Move:
    if is_spread():
        raise CannotMove("Cells are on nodes, between which nothing is moved yet.")
    if company.is_operator:
        raise CannotMove("The operator's own book stays where it is.")
    if cell and not Cell.objects.filter(name=cell).exists():
        raise CannotMove(f"There is no {cell}.")
    sources = {cell_of(merchant) for merchant in company.merchants.all()}
    if not sources:
        raise CannotMove("The company has no merchant.")
    if sources == {cell}:
        raise CannotMove(f"The company is in {cell or 'public'} already.")
    if len(sources) > 1:
        raise CannotMove("Its merchants are in two cells.")
    return Move(company, sources.pop(), cell)


def _is_busy(error: Exception) -> bool:
    return isinstance(error, _Again) or isinstance(error.__cause__, LockNotAvailable | DeadlockDetected | QueryCanceled)


def _reason(error: Exception) -> str:
    return str(error.__cause__ or error).partition("\n")[0]


def _tell_of(made: Move) -> None:
    for one in made.resealed:
        log.info("ledger.day_sealed", day=str(one.day), seal=one.seal, cell=one.cell or "public", before=one.before)
    log.info(
        "cells.moved",
        company=made.company.pk,
        source=made.source or "public",
        target=made.target or "public",
        rows=sum(made.rows.values()),
        pause_s=round(made.pause_s, 2),
        took_s=round(made.took_s, 2),
    )


class _Transaction:
    """The transaction of one move."""

    def __init__(self, made: Move, merchants: list[int], longest_pause_s: float, tell: Tell) -> None:
        self.made, self.merchants, self.longest_pause_s, self.tell = made, merchants, longest_pause_s, tell
        self.columns, self.keys = dict(every(_COLUMNS)), dict(every(_KEYS))
        self.asked: dict[str, Any] = {"merchants": merchants}
        self.left: dict[type[Model], int] = {}
        made.rows.clear()

    def run(self) -> None:
        with transaction.atomic():
            self._prepare()
            for lead in leads():
                self._copy(lead)
            self.tell("passing on the books")
            self.made.resealed = pass_on(self.made.source, self.made.target, self.made.company.pk, self.merchants)
            began = time.monotonic()
            self._hold(began)
            self.tell("moving what has changed")
            for lead in leads():
                self._within(began)
                self._finish(lead)
            self._within(began)
            self._settle()
        self.made.pause_s = time.monotonic() - began

    def _prepare(self) -> None:
        """Of what follows, the triggers of tables know nothing, and no statement is too long."""
        for name, value in (
            ("statement_timeout", "0"),
            ("idle_in_transaction_session_timeout", "0"),
            ("lock_timeout", str(HOLDS_FOR_MS)),
            ("session_replication_role", "replica"),
        ):
            first("SELECT set_config(%s, %s, true)", [name, value])
        write_no_events()
        hold_books(self.made.source, self.made.target)
        self.asked["since"] = int((first(_UNCHANGED_BELOW) or (0,))[0])

    def _copy(self, lead: Lead) -> None:
        """`left` is how many rows have been copied and are still where they were."""
        self.tell(f"copying {table(lead.model)}")
        self.left[lead.model] = copied = execute(self._sql(_COPY, lead), self.asked)
        if copied > FEW:
            execute(f"ANALYZE {self.made.target or 'public'}.{table(lead.model)}")
        if lead.model._meta.label in WRITTEN_ONCE:
            gone = execute(self._sql(_AT_ONCE, lead), self.asked)
            self.left[lead.model] -= gone
            self._count(lead, gone)

    def _hold(self, began: float) -> None:
        """Waits for those who are writing rows of these merchants. From here on nobody does."""
        self._within(began)
        for merchant in self.merchants:
            first(f"SELECT pg_advisory_xact_lock({WAITS}, %s)", [merchant])

    def _within(self, began: float) -> None:
        """The next statement ends within the longest pause, or is given up."""
        left_ms = int((began + self.longest_pause_s - time.monotonic()) * 1000)
        if left_ms <= 0:
            raise _Again("the pause is over")
        first(
            "SELECT set_config('statement_timeout', %(ms)s, true), set_config('lock_timeout', %(ms)s, true)",
            {"ms": str(left_ms)},
        )

    def _finish(self, lead: Lead) -> None:
        try:
            with transaction.atomic():
                self._rest(lead, _Vanished)
        except _Vanished:
            self.left[lead.model] -= execute(self._sql(_VANISHED, lead), self.asked)
            self._rest(lead, _Again)

    def _rest(self, lead: Lead, otherwise: type[Exception]) -> None:
        """Raises `otherwise` if the rows are not those that were copied and added since."""
        ((gone, added),) = every(self._sql(_REST, lead), self.asked)
        left = self.left[lead.model]
        if left + added != gone:
            may_vanish = lead.model._meta.label not in WRITTEN_ONCE
            raise (otherwise if may_vanish else _Again)(
                f"{table(lead.model)}: {left} copied, {added} added, {gone} gone"
            )
        self._count(lead, gone)

    def _count(self, lead: Lead, rows: int) -> None:
        if rows:
            self.made.rows[table(lead.model)] = self.made.rows.get(table(lead.model), 0) + rows

    def _settle(self) -> None:
        """Says where the merchants live, once their books are right there."""
        if wrong := wrong_in(self.made.target, self.merchants):
            raise AssertionError(f"what was copied is not right: {wrong}")
        execute(
            f"UPDATE {table(Merchant)} SET cell_id = %s WHERE id = ANY(%s)", [self.made.target or None, self.merchants]
        )
        for name, value in (("session_replication_role", "origin"), ("statement_timeout", "0")):
            first("SELECT set_config(%s, %s, true)", [name, value])
        audit.record(
            audit.ON_HOST,
            "company.moved",
            company=self.made.company,
            before={"cell": self.made.source or "public", "seals": self._last("before")},
            after={"cell": self.made.target or "public", "seals": self._last("seal")},
            note=audit.note_on_host("", "move_cell"),
            by_staff=True,
        )

    def _last(self, which: str) -> dict[str, str]:
        """Of each cell whose chain of seals is another one now: its last seal that was made again."""
        return {one.cell or "public": getattr(one, which) for one in self.made.resealed}

    def _sql(self, statement: str, lead: Lead) -> str:
        name = table(lead.model)
        source, target = self.made.source or "public", self.made.target or "public"
        return statement.format(
            source=f"{source}.{name}",
            target=f"{target}.{name}",
            condition=lead.condition(target),
            columns=", ".join(f'"{column}"' for column in self.columns[name]),
            excluded=", ".join(f'excluded."{column}"' for column in self.columns[name]),
            key=", ".join(f'"{column}"' for column in self.keys[name]),
            copied=", ".join(f'copied."{column}"' for column in self.keys[name]),
            there=", ".join(f'there."{column}"' for column in self.keys[name]),
            deleted=", ".join(f'gone."{column}"' for column in self.keys[name]),
        )
