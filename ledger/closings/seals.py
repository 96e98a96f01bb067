"""Seals of closed days: a chain of the digests of what was proved of them.

A superuser who rewrites the chain cannot rewrite what left the database: the seal of each day is in the log
(`ledger.day_sealed`) and in the manifests of sealed months.
"""

from datetime import date

import structlog
from django.db import transaction

from accounts.base.rows import first, table
from ledger.books.models import Balance, Entry, Transfer
from ledger.closings.models import ClosedDay, Seal
from ledger.proofs.models import ProvedAccount, ProvedBlock

log = structlog.get_logger()
AT_ONCE = 400
"""Days per run when catching up."""

CONTENT = f"""
    SELECT coalesce(sum(transfers), 0) AS transfers, coalesce(sum(entries), 0) AS entries,
           coalesce(string_agg(digest, '' ORDER BY number), '') AS content
      FROM {table(ProvedBlock)} WHERE day = {{day}}
"""
DIGEST = """
    encode(sha256(convert_to(concat_ws('|', {day}, {content}.transfers, {content}.entries, {before}, {content}.content),
                             'UTF8')), 'hex')
"""
_NEXT = f"""
    SELECT min(c.day) FROM {table(ClosedDay)} c
     WHERE c.day > coalesce((SELECT max(day) FROM {table(Seal)}), '-infinity')
"""
_OF_THE_DAY = DIGEST.format(day="%(day)s::date", content="read", before="before.digest")
_UNPROVED = f"""
    SELECT FROM {table(Balance)} b LEFT JOIN {table(ProvedAccount)} p ON p.account_id = b.account_id
      JOIN {table(Entry)} e ON e.account_id = b.account_id AND e.sequence > coalesce(p.sequence, 0)
      JOIN {table(Transfer)} t ON t.id = e.transfer_id
     WHERE b.version > coalesce(p.sequence, 0) AND t.created_at < (%(day)s::date + 1)::timestamp AT TIME ZONE 'UTC'
"""
SEAL = f"""
    INSERT INTO {table(Seal)} (day, transfers, entries, digest, sealed_at)
    SELECT %(day)s, read.transfers, read.entries, {_OF_THE_DAY}, clock_timestamp()
      FROM ({CONTENT.format(day="%(day)s::date")}) read
      LEFT JOIN (SELECT digest FROM {table(Seal)} WHERE day = %(day)s::date - 1) before ON true
"""
_SEAL = f"{SEAL} WHERE NOT EXISTS ({_UNPROVED}) ON CONFLICT DO NOTHING RETURNING digest"


def seal_days(limit: int = AT_ONCE) -> int:
    """Seals closed days, oldest first, as far as all entries are proved; returns how many. Idempotent: may run twice,
    late or not at all.
    """
    sealed = 0
    while sealed < limit and _seal_next():
        sealed += 1
    return sealed


@transaction.atomic
def _seal_next() -> bool:
    row = first(_NEXT)
    day: date | None = row[0] if row else None
    if day is None:
        return False
    first("SELECT set_config('statement_timeout', '0', true)")
    made = first(_SEAL, {"day": day})
    if made:
        transaction.on_commit(lambda: log.info("ledger.day_sealed", day=str(day), seal=made[0]))
    return bool(made)


def last_seal() -> Seal | None:
    return Seal.objects.order_by("-day").first()
