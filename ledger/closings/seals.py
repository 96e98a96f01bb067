"""Seals of closed days: a chain of digests, so that no posting of a closed day can be changed and stay unnoticed.

A superuser who rewrites the chain cannot rewrite what left the database: the seal of each day is in the log
(`ledger.day_sealed`) and in the manifests of sealed months.
"""

from datetime import date

import structlog
from django.db import transaction

from accounts.base.rows import first, table
from ledger.books.models import Entry, Transfer
from ledger.closings.models import ClosedDay, Seal

log = structlog.get_logger()
AT_ONCE = 400
"""Days per run when catching up."""

# One line per transfer and one per entry, joined in blocks of 4,096 transfers. OFFSET 0: see `PARTS`.
CONTENT = f"""
    SELECT coalesce(sum(transfers), 0) AS transfers, coalesce(sum(entries), 0) AS entries,
           coalesce(string_agg(block, '' ORDER BY number), '') AS content
      FROM (SELECT number, count(*) AS transfers, sum(entries) AS entries,
                   encode(sha256(convert_to(string_agg(told, '' ORDER BY id), 'UTF8')), 'hex') AS block
              FROM (SELECT t.id, t.id >> 12 AS number, count(*) AS entries,
                           concat_ws('|', t.id, t.merchant_id, t.kind, t.reference, t.entry_count,
                                     extract(epoch FROM t.posted_at), extract(epoch FROM t.created_at)) || E'\\n' ||
                           string_agg(concat_ws('|', e.id, e.line, e.merchant_id, e.account_id, e.currency, e.amount,
                                                e.balance_after, e.sequence) || E'\\n', '' ORDER BY e.line) AS told
                      FROM (SELECT * FROM {table(Transfer)}
                             WHERE created_at >= {{day}}::timestamp AT TIME ZONE 'UTC'
                               AND created_at < ({{day}} + 1)::timestamp AT TIME ZONE 'UTC' OFFSET 0) t
                     CROSS JOIN LATERAL (SELECT * FROM {table(Entry)} WHERE transfer_id = t.id OFFSET 0) e
                     GROUP BY t.id, t.merchant_id, t.kind, t.reference, t.entry_count, t.posted_at, t.created_at) lines
             GROUP BY number) blocks
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
_SEAL = f"""
    INSERT INTO {table(Seal)} (day, transfers, entries, digest, sealed_at)
    SELECT %(day)s, read.transfers, read.entries, {_OF_THE_DAY}, now()
      FROM ({CONTENT.format(day="%(day)s::date")}) read
      LEFT JOIN (SELECT digest FROM {table(Seal)} WHERE day = %(day)s::date - 1) before ON true
        ON CONFLICT DO NOTHING RETURNING digest
"""


def seal_days(limit: int = AT_ONCE) -> int:
    """Seals closed days, oldest first; returns how many. Idempotent: may run twice, late or not at all."""
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
