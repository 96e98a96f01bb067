"""Due work: declared once, found by real time and sandbox clocks, and done one row at a time (or in `batches`).

A row that raises is recorded and postponed, each time for longer; it delays no other row.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar

import structlog
from celery.exceptions import SoftTimeLimitExceeded
from django.db import OperationalError, connection, models, transaction

from accounts.base import cells, tracing
from accounts.base.clock import utcnow
from accounts.base.retryable import is_refused_by_move
from accounts.base.rows import columns, execute, first, load, retry_on_deadlock, table, width
from accounts.cells import every_cell, in_cell_of
from accounts.environments import served, serves
from accounts.models import Environment, Merchant, StuckWork

log = structlog.get_logger()
M = TypeVar("M", bound=models.Model)

DELAYS_S = (10, 30, 120, 600, 1800, 3600)
"""The delay after each consecutive failure; the last one applies to all further failures."""
ALARM_AT = 5
"""After this many consecutive failures, about 45 minutes, the log line is critical."""
SLOW_S = 1.0
"""A row that ran this long when its task timed out is postponed, too: it may have caused the time-out."""
FORGOTTEN_AFTER = timedelta(days=1)
"""Stuck work that was not tried for this long is no longer due."""
STUCK, MERCHANTS = table(StuckWork), table(Merchant)


class Stuck(NamedTuple):
    """A row that failed and is retried later. `id` is that of the `StuckWork` row."""

    id: int
    object_id: str
    since: datetime
    until: datetime
    times: int
    error: str


@dataclass(frozen=True, kw_only=True)
class Work(Generic[M]):
    """Rows that wait for the time in `column`, in one of `statuses`.

    `condition` is an additional SQL condition on `w`, with the parameter `now`. An index must support it.
    """

    title: str
    model: type[M]
    column: str
    statuses: tuple[str, ...] = ()
    status_column: str = "status"
    condition: str = ""

    @property
    def table(self) -> str:
        return table(self.model)

    @property
    def waits(self) -> str:
        """The SQL condition of waiting rows `w`. Statuses are literals, so that partial indexes are used."""
        listed = ", ".join(f"'{status}'" for status in self.statuses)
        asked = [f"w.{self.column} IS NOT NULL", f"w.{self.status_column} IN ({listed})" if listed else ""]
        return " AND ".join(part for part in (*asked, self.condition) if part)


@dataclass(frozen=True, kw_only=True)
class Due(Work[M]):
    """Due work on these rows, each in its own transaction that locks the row.

    `run` gets the row and the time at which it was due, by its merchant's clock. It may return a function that is
    called after the commit, where provider calls are allowed. `holds` names relations that are locked before the row.
    Each process does the work of the environments that it serves, and what is to be done `everywhere`. Rows without a
    merchant are those of providers, so of production.
    """

    kind: str
    run: Callable[[M, datetime], Callable[[], object] | None]
    holds: tuple[str, ...] = field(default=())
    everywhere: bool = False

    def sweep(
        self,
        limit: int = 100,
        *,
        environment: str | None = None,
        merchant: Merchant | None = None,
        retries_only: bool = False,
    ) -> int:
        """Runs all rows that are due by real time or by their merchant's clock; returns how many succeeded.

        At most `limit`, the oldest first, each once; optionally of one environment, of one merchant, or only retries.
        Rows of an environment that this process does not serve, and rows locked by another process, are left.
        """
        done = 0
        tried: list[str] = []
        extra = self._of(environment)
        if extra is None:
            return 0
        extra += f" AND w.merchant_id = {merchant.pk:d}" if merchant else ""
        extra += " AND w.id IN (SELECT object_id FROM stuck)" if retries_only else ""
        while done < limit and (found := self._found(limit - done, tried, extra)):
            tried += [object_id for object_id, _ in found]
            done += self._try_all(found)
        return done

    def first(self, merchant: Merchant, until: datetime) -> tuple[datetime, str] | None:
        """The next row of the merchant that is due until `until`, with its time, or None."""
        sql = f"""
            SELECT w.{self.column}, w.id FROM {self.table} w
             WHERE w.merchant_id = %(merchant)s AND {self.waits} AND w.{self.column} <= %(until)s
               AND NOT EXISTS (SELECT FROM {STUCK} s
                                WHERE s.kind = %(kind)s AND s.object_id = w.id AND s.until > %(now)s)
             ORDER BY w.{self.column}, w.id LIMIT 1
        """
        row = first(sql, {"merchant": merchant.pk, "until": until, "now": utcnow(), "kind": self.kind})
        return (row[0], row[1]) if row else None

    def run_at_clock(self, merchant: Merchant, object_id: str) -> bool:
        """Runs one row in the caller's transaction, for the sandbox clock; False if it raised."""
        try:
            with transaction.atomic():
                row = self._hold(object_id)
                if row is not None:
                    setattr(row, "merchant", merchant)  # noqa: B010
                    later = self.run(row, getattr(row, self.column))
                    assert later is None, "no provider call inside a transaction"
        except OperationalError:  # the caller's transaction is broken
            raise
        except Exception as error:  # noqa: BLE001  (any error of the row)
            put_off(self.kind, object_id, error)
            return False
        self._succeeded(object_id)
        return True

    def stuck(self, limit: int) -> list[Stuck]:
        """Rows that failed and still wait, the longest stuck first."""
        sql = f"""
            SELECT s.id, s.object_id, s.since, s.until, s.times, s.error
              FROM {STUCK} s JOIN {self.table} w ON w.id = s.object_id
             WHERE s.kind = %(kind)s AND {self.waits} ORDER BY s.since LIMIT %(limit)s
        """
        return [Stuck(*row) for row in _all(sql, {"kind": self.kind, "limit": limit, "now": utcnow()})]

    def found_sql(self, extra: str = "") -> str:
        """Rows due by real time, or by merchants' clocks that are ahead of it: each part reads only due rows.

        Stuck rows are read once per statement, so that a thousand of them cost little.
        """
        due = f"""
            SELECT w.id, w.{self.column} AS due_at FROM {self.table} w
             WHERE {self.waits} AND w.id NOT IN (SELECT object_id FROM stuck WHERE until > %(now)s)
               AND NOT w.id = ANY(%(tried)s) {extra} AND w.{self.column} <= %(now)s
        """
        soonest = f"ORDER BY w.{self.column} LIMIT %(limit)s"
        parts = [f"({due} {soonest})"]
        if self._has_merchant:
            parts.append(f"""
                (SELECT ahead.id, ahead.due_at FROM {MERCHANTS} m
                  CROSS JOIN LATERAL ({due} + m.clock_offset AND w.merchant_id = m.id {soonest}) ahead
                  WHERE m.clock_offset > interval '0')
            """)
        return f"""
            WITH stuck AS MATERIALIZED (SELECT object_id, until FROM {STUCK} WHERE kind = %(kind)s)
            SELECT found.id, found.id IN (SELECT object_id FROM stuck) FROM ({" UNION ".join(parts)}) found
             ORDER BY found.due_at LIMIT %(limit)s
        """

    def _of(self, environment: str | None) -> str | None:
        """The condition on rows that this process may do; None if there are none."""
        if self.everywhere:
            return ""
        if self._has_merchant:
            return of_environment(environment, "w")
        return "" if serves(Environment.PRODUCTION) and environment in (None, Environment.PRODUCTION) else None

    def _found(self, limit: int, tried: Sequence[str], extra: str) -> list[tuple[Any, ...]]:
        params = {"now": utcnow(), "tried": list(tried), "limit": limit, "kind": self.kind}
        return _all(self.found_sql(extra), params)

    def _try_all(self, found: Sequence[tuple[str, bool]]) -> int:
        return sum(self._try(object_id, raised_before=raised) for object_id, raised in found)

    def _try(self, object_id: str, *, raised_before: bool) -> bool:
        """Whether the row was done. If not, it is no longer due, locked by another process, or failed and postponed."""
        with tracing.following():
            return self._try_followed(object_id, raised_before=raised_before)

    def _try_followed(self, object_id: str, *, raised_before: bool) -> bool:
        begun = time.monotonic()
        try:
            taken, later, cell = retry_on_deadlock(partial(self._take, object_id))
            if later:
                with cells.opened(cell):
                    later()
        except SoftTimeLimitExceeded as ended:
            if time.monotonic() - begun > SLOW_S:
                put_off(self.kind, object_id, ended)
            raise
        except Exception as error:  # noqa: BLE001  (any error of the row)
            if not self._moves(object_id, error):
                put_off(self.kind, object_id, error)
            return False
        if taken and raised_before:
            self._succeeded(object_id)
        return taken

    def _moves(self, object_id: str, error: Exception) -> bool:
        """Whether it failed because its merchant moves to another cell: it is done there, as soon as it is found."""
        if is_refused_by_move(error):
            return True
        return (
            every_cell(lately=True) != [cells.FIRST]
            and first(f"SELECT FROM {self.table} WHERE id = %s", [object_id]) is None
        )

    def _succeeded(self, object_id: str) -> None:
        execute(f"DELETE FROM {STUCK} WHERE kind = %s AND object_id = %s", [self.kind, object_id])

    @transaction.atomic
    def _take(self, object_id: str) -> tuple[bool, Callable[[], object] | None, str]:
        """Whether it was taken, what is to be called after the commit, and the cell in which both are done."""
        row = self._hold(object_id, now=utcnow())
        if row is None:
            return False, None, cells.current()
        tracing.follow(getattr(row, "request_id", ""))
        with self._cell_of(row):
            return True, self.run(row, getattr(row, self.column)), cells.current()

    def _cell_of(self, row: M) -> AbstractContextManager[None]:
        return in_cell_of(getattr(row, "merchant", None))

    def _hold(self, object_id: str, now: datetime | None = None) -> M | None:
        """The row, locked, with its merchant and the rows named by `holds`; None if it no longer waits.

        With `now` it must also be due, and a row locked by another process is skipped.
        """
        related = [(name, self._to(name)) for name in (*self.holds, *(("merchant",) if self._has_merchant else ()))]
        picked = [columns(self.model, "w"), *(columns(model, name) for name, model in related)]
        joined = " ".join(f"JOIN {table(model)} {name} ON {name}.id = w.{name}_id" for name, model in related)
        ahead = "+ merchant.clock_offset" if self._has_merchant else ""
        sql = f"""
            SELECT {", ".join(picked)} FROM {self.table} w {joined} WHERE w.id = %(id)s AND {self.waits}
              {f"AND w.{self.column} <= %(now)s {ahead}" if now else ""}
              FOR NO KEY UPDATE OF {", ".join((*self.holds, "w"))} {"SKIP LOCKED" if now else ""}
        """
        read = first(sql, {"id": object_id, "now": now or utcnow()})
        return self._loaded(read, related) if read else None

    def _loaded(self, read: Sequence[Any], related: list[tuple[str, type[models.Model]]]) -> M:
        row, at = load(self.model, read[: width(self.model)]), width(self.model)
        for name, model in related:
            setattr(row, name, load(model, read[at : at + width(model)]))
            at += width(model)
        for name in self.holds if self._has_merchant else ():  # one merchant, whichever table it is reached through
            setattr(getattr(row, name), "merchant", getattr(row, "merchant"))  # noqa: B009, B010
        return row

    def _to(self, name: str) -> type[models.Model]:
        related = self.model._meta.get_field(name).related_model
        assert isinstance(related, type)
        return related

    @property
    def _has_merchant(self) -> bool:
        """A row that may be without a merchant is due by real time only."""
        return any(one.name == "merchant" and not one.null for one in self.model._meta.concrete_fields)


def of_environment(environment: str | None, rows: str) -> str | None:
    """The SQL condition on rows of this environment, or of any, as far as this process serves it; None: of none.

    Rows of the other environment that are due are few, since another process does them.
    """
    wanted = [one for one in served() if environment in (None, one)]
    if not wanted:
        return None
    if len(wanted) == len(Environment):
        return ""
    return f"AND {rows}.merchant_id IN (SELECT m.id FROM {MERCHANTS} m WHERE m.environment = '{wanted[0]}')"


@transaction.atomic
def put_off(kind: str, object_id: str, error: Exception) -> None:
    """Postpones a row that failed, each time for longer, with one log line per failure."""
    now, name = utcnow(), type(error).__name__
    held = StuckWork.objects.select_for_update(no_key=True)
    stuck, _ = held.get_or_create(kind=kind, object_id=object_id, defaults={"since": now, "until": now})
    stuck.times += 1
    stuck.until = now + timedelta(seconds=DELAYS_S[min(stuck.times, len(DELAYS_S)) - 1])
    stuck.error = name[:100]
    stuck.save(update_fields=["times", "until", "error"])
    facts: Mapping[str, Any] = {"kind": kind, "id": object_id, "error": name, "times": stuck.times}
    if stuck.times == ALARM_AT:
        log.critical("sweep.still_stuck", **facts, exc_info=error)
    else:
        log.error("sweep.stuck", **facts, until=stuck.until.isoformat(), exc_info=error)


def try_again(kind: str, object_id: str) -> bool:
    """Lets the next sweep retry a postponed row; False if it is not postponed."""
    stuck = StuckWork.objects.filter(kind=kind, object_id=object_id, until__gt=utcnow())
    return bool(stuck.update(until=utcnow()))


def forget_stuck() -> int:
    """Deletes records of stuck work that is no longer due; returns how many."""
    return execute(f"DELETE FROM {STUCK} WHERE until < %s", [utcnow() - FORGOTTEN_AFTER])


def _all(sql: str, params: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return list(cursor.fetchall())
