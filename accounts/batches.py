"""Due work that is done many rows at a time."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import structlog
from celery.exceptions import SoftTimeLimitExceeded
from django.db import connection, models, transaction

from accounts.base.clock import utcnow
from accounts.base.rows import columns, load, retry_on_deadlock
from accounts.cells import all_cells
from accounts.due import Due, put_off

log = structlog.get_logger()
M = TypeVar("M", bound=models.Model)
Later = list[tuple[str, Callable[[], object]]]
"""What is called after the commit, each with the id of its row."""


@dataclass(frozen=True, kw_only=True)
class DueInBatches(Due[M]):
    """Due work on many rows in one transaction that locks them in the order of their ids. They are rows in `public`,
    about merchants of any cells, whose rows are seen.

    If a batch raises, its rows are done one by one with `run`, so that one that raises delays no other.
    """

    run_many: Callable[[Sequence[M]], Later]
    size: int = 100

    def _try_all(self, found: Sequence[tuple[str, bool]]) -> int:
        fresh = [object_id for object_id, raised_before in found if not raised_before]
        done = sum(self._try_many(fresh[at : at + self.size]) for at in range(0, len(fresh), self.size))
        return done + super()._try_all([one for one in found if one[1]])

    def _try_many(self, ids: Sequence[str]) -> int:
        try:
            done, later = retry_on_deadlock(partial(self._take_many, ids))
        except SoftTimeLimitExceeded:
            raise
        except Exception as error:  # noqa: BLE001  (any error of a row)
            log.warning("sweep.one_by_one", kind=self.kind, rows=len(ids), error=type(error).__name__)
            return super()._try_all([(object_id, False) for object_id in ids])
        for object_id, act in later:
            self._follow(object_id, act)
        return done

    def _follow(self, object_id: str, act: Callable[[], object]) -> None:
        try:
            with all_cells():
                act()
        except SoftTimeLimitExceeded:
            raise
        except Exception as error:  # noqa: BLE001  (any error of the row)
            put_off(self.kind, object_id, error)

    def _cell_of(self, row: M) -> AbstractContextManager[None]:
        return all_cells()

    @transaction.atomic
    def _take_many(self, ids: Sequence[str]) -> tuple[int, Later]:
        rows = self._hold_many(ids)
        with all_cells():
            return len(rows), self.run_many(rows) if rows else []

    def _hold_many(self, ids: Sequence[str]) -> list[M]:
        """Those that are still due, locked; rows locked by another process are skipped."""
        assert not self.holds and not self._has_merchant, "rows alone"
        sql = f"""
            SELECT {columns(self.model, "w")} FROM {self.table} w
             WHERE w.id = ANY(%(ids)s) AND {self.waits} AND w.{self.column} <= %(now)s
             ORDER BY w.id FOR NO KEY UPDATE SKIP LOCKED
        """
        with connection.cursor() as cursor:
            cursor.execute(sql, {"ids": list(ids), "now": utcnow()})
            return [load(self.model, row) for row in cursor.fetchall()]
