"""When merchants move to another cell: what the books of a cell keep of all of its merchants together.

Their accounts, transfers and entries are copied like any rows of theirs. Closed days, digests of what was proved and
seals are about everybody in the cell, so in both cells they are made again as far as they are about these merchants:
from the day of their first transfer on the chain of seals is another one, here and there.
"""

from dataclasses import dataclass
from datetime import date
from typing import Any

from accounts.base import cells
from accounts.base.rows import every, execute, first, table
from accounts.models import Merchant
from ledger.books.models import Account, Balance, Entry, Transfer
from ledger.closings import replaced
from ledger.closings.models import ClosedBalance, ClosedDay, Closing, Seal
from ledger.closings.seals import SEAL
from ledger.proofs.blocks import BITS, EXTEND
from ledger.proofs.models import Proof, ProvedAccount, ProvedBlock
from ledger.verify import LOCK

# How many rows a block has is not known to the planner: a loop over entries for each transfer takes minutes.
_PLANNED = "SELECT set_config('enable_nestloop', %s, true)"
_HOLD = f"LOCK TABLE {table(ClosedDay)}, {table(Seal)}, {table(ProvedBlock)} IN SHARE ROW EXCLUSIVE MODE"
_PROVED = f"""
    WITH gone AS (
        DELETE FROM {{source}}.{table(ProvedAccount)}
         WHERE account_id IN (SELECT id FROM {{target}}.{table(Account)} WHERE merchant_id = ANY(%(merchants)s))
        RETURNING account_id, sequence, balance)
    INSERT INTO {{target}}.{table(ProvedAccount)} (account_id, sequence, balance)
    SELECT account_id, sequence, balance FROM gone
"""
_BLOCKS = f"""
    SELECT array_agg(day), array_agg(number) FROM (
        SELECT DISTINCT (created_at AT TIME ZONE 'UTC')::date AS day, id >> {BITS} AS number
          FROM {table(Transfer)} WHERE merchant_id = ANY(%(merchants)s)) touched
"""
_TOUCHED = "(SELECT * FROM unnest(%(days)s::date[], %(numbers)s::bigint[]) AS touched (day, number))"
_DIGEST_AGAIN = EXTEND.format(blocks=_TOUCHED)
_EMPTY = (
    f"DELETE FROM {table(ProvedBlock)} WHERE entries = 0 AND (day, number) IN (SELECT day, number FROM {_TOUCHED} t)"
)
_CLOSED = f"SELECT min(day), max(day) FROM {table(ClosedDay)}"
_WROTE_UNTIL = f"""
    SELECT EXISTS (SELECT FROM {table(Transfer)}
                    WHERE created_at < (%(day)s::date + 1)::timestamp AT TIME ZONE 'UTC'
                      AND merchant_id <> ALL(%(merchants)s))
"""
_CLOSE_AS_WELL = f"""
    INSERT INTO {{target}}.{table(ClosedDay)} (day, closed_at)
    SELECT day, closed_at FROM {{source}}.{table(ClosedDay)} WHERE day >= %(first)s ON CONFLICT DO NOTHING
"""
# What the merchants had at the end of each closed day.
_HAD = f"""
    WITH grew AS (
        SELECT c.day, m.environment, c.currency, c.bucket, sum(c.amount - c.fee - c.advance_fee) AS grew
          FROM {{target}}.{table(Closing)} c JOIN public.{table(Merchant)} m ON m.id = c.merchant_id
         WHERE c.merchant_id = ANY(%(merchants)s) GROUP BY 1, 2, 3, 4
    ), had AS (
        SELECT day, environment, currency, bucket,
               sum(coalesce(grew, 0)) OVER (PARTITION BY environment, currency, bucket ORDER BY day) AS amount
          FROM (SELECT day FROM {{source}}.{table(ClosedDay)} WHERE day >= %(first)s) days
         CROSS JOIN (SELECT DISTINCT environment, currency, bucket FROM grew) each_one
          LEFT JOIN grew USING (day, environment, currency, bucket)
    )
"""
_NO_LONGER = (
    _HAD
    + f"""
    UPDATE {{source}}.{table(ClosedBalance)} b SET amount = b.amount - had.amount FROM had
     WHERE (b.day, b.environment, b.currency, b.bucket) = (had.day, had.environment, had.currency, had.bucket)
"""
)
_FROM_NOW_ON = (
    _HAD
    + f"""
    INSERT INTO {{target}}.{table(ClosedBalance)} AS known (day, environment, currency, bucket, amount)
    SELECT day, environment, currency, bucket, amount FROM had
        ON CONFLICT (day, environment, currency, bucket) DO UPDATE SET amount = known.amount + excluded.amount
"""
)
_SEALED = f"SELECT max(day) FROM {table(Seal)}"
_BREAK = f"DELETE FROM {table(Seal)} WHERE day >= %(first)s RETURNING day, digest"
_SEAL = f"{SEAL} RETURNING digest"
_DAYS = f"SELECT day FROM {table(ClosedDay)} WHERE day BETWEEN %(first)s AND %(last)s ORDER BY day"
_TOLD = f"""
    UPDATE {table(Proof)} p SET sealed_day = s.day, seal = coalesce(s.digest, '')
      FROM {table(Proof)} told
      LEFT JOIN {table(Seal)} s ON s.day = least(told.sealed_day, (SELECT max(day) FROM {table(Seal)}))
     WHERE p.id = told.id AND told.sealed_day >= %(first)s
"""
_WRONG = f"""
    SELECT a.id, b.amount FROM {table(Account)} a LEFT JOIN {table(Balance)} b ON b.account_id = a.id
      LEFT JOIN {table(Entry)} e ON (e.account_id, e.sequence) = (a.id, b.version)
     WHERE a.merchant_id = ANY(%(merchants)s)
       AND (b.amount IS DISTINCT FROM coalesce(e.balance_after, 0) OR b.version <> 0 AND e.id IS NULL)
    UNION ALL
    SELECT NULL, sum(b.amount) FROM {table(Account)} a JOIN {table(Balance)} b ON b.account_id = a.id
     WHERE a.merchant_id = ANY(%(merchants)s) GROUP BY a.merchant_id, a.currency HAVING sum(b.amount) <> 0
"""


class NotClosedAlike(Exception):
    """The two cells are not closed until the same day."""


@dataclass(frozen=True, slots=True)
class Resealed:
    """The new seal of a day in a cell, and the one before, if there was one."""

    cell: str
    day: date
    seal: str
    before: str


def hold_books(source: str, target: str) -> None:
    """Until the end of the transaction nobody proves any books, or closes or seals days in these cells."""
    for lock in (LOCK, LOCK + 1):
        execute("SELECT pg_advisory_xact_lock(%s)", [lock])
    for cell in (source, target):
        with cells.opened(cell):
            execute(_HOLD)


def pass_on(source: str, target: str, company: str, merchants: list[int]) -> list[Resealed]:
    """Takes the part of these merchants out of what is kept of all in one cell, and adds it in the other, where their
    rows are already copied. Returns the days whose seals are others now.

    In the transaction that holds the books. Raises NotClosedAlike.
    """
    names = {"source": source or "public", "target": target or "public"}
    asked: dict[str, Any] = {"merchants": merchants}
    with cells.opened(target):
        days, numbers = first(_BLOCKS, asked) or (None, None)
    if not days:
        return []
    asked |= {"days": days, "numbers": numbers, "first": min(days)}
    sealed = _sealed_alike(source, target)
    _require_alike(source, target, asked)
    execute(_PROVED.format(**names), asked)
    first(_PLANNED, ["off"])
    for cell in (source, target):
        with cells.opened(cell):
            execute(_DIGEST_AGAIN, asked)
            execute(_EMPTY, asked)
    first(_PLANNED, ["on"])
    for statement in (_CLOSE_AS_WELL, _NO_LONGER, _FROM_NOW_ON):
        execute(statement.format(**names), asked)
    return [again for cell in (source, target) for again in _reseal(cell, company, asked, sealed)]


def wrong_in(cell: str, merchants: list[int]) -> list[tuple[Any, ...]]:
    """Accounts of these merchants whose balance is not that of their last entry, and sums that are not zero."""
    with cells.opened(cell):
        return every(_WRONG, {"merchants": merchants})


def _require_alike(source: str, target: str, asked: dict[str, Any]) -> None:
    ends = {cell: _closed(cell)[1] for cell in (source, target)}
    last = max((day for day in ends.values() if day), default=None)
    for cell, end in ends.items():
        if end == last or last is None:
            continue
        with cells.opened(cell):
            others = dict(asked, day=last, merchants=asked["merchants"] if cell == target else [])
            if end is not None or (first(_WROTE_UNTIL, others) or (True,))[0]:
                raise NotClosedAlike


def _sealed_alike(source: str, target: str) -> date | None:
    """Until which day both are sealed. None: one of them is not sealed at all, and has closed days; the days before
    these may be.
    """
    until = [day for cell in (source, target) if (day := _sealed(cell)) is not None]
    return min(until, default=None)


def _sealed(cell: str) -> date | None:
    """The last sealed day, or the day before the first that could have been. None: no day is closed."""
    with cells.opened(cell):
        (day,) = first(_SEALED) or (None,)
    begins = _closed(cell)[0]
    return day or (begins and date.fromordinal(begins.toordinal() - 1))


def _closed(cell: str) -> tuple[date | None, date | None]:
    with cells.opened(cell):
        begins, ends = first(_CLOSED) or (None, None)
        return begins, ends


def _reseal(cell: str, company: str, asked: dict[str, Any], until: date | None) -> list[Resealed]:
    with cells.opened(cell):
        before = dict(every(_BREAK, asked))
        replaced.keep(cell, company, asked["first"], before)
        days = every(_DAYS, {"first": asked["first"], "last": until}) if until else []
        made = [Resealed(cell, day, (first(_SEAL, {"day": day}) or ("",))[0], before.get(day, "")) for (day,) in days]
        execute(_TOLD, asked)
        return made
