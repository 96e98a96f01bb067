"""Seals that were replaced when merchants moved to or from their cell: what they sealed can still be proved.

From the day of the first transfer of who moves on, the days of both cells are sealed again. Transfers and entries
stay as they were, though in another cell. So an old seal is proved by what is in all cells of the merchants who lived
in its cell when it was made, and by the old seals of the days before.
"""

from collections.abc import Mapping
from datetime import date

from accounts.base import cells
from accounts.base.rows import first, table
from accounts.cells import all_cells
from accounts.models import Merchant
from ledger.books.models import Transfer
from ledger.closings.models import ReplacedSeal, Resealing, Seal
from ledger.closings.seals import DIGEST
from ledger.proofs.blocks import BITS, CONTENT

# The transfers of those merchants alone stand for the table.
_WAS = f"""
    WITH {table(Transfer)} AS NOT MATERIALIZED (
        SELECT * FROM {cells.ALL}.{table(Transfer)} WHERE merchant_id = ANY(%(merchants)s)
    ), blocks AS (
        SELECT DISTINCT %(day)s::date AS day, id >> {BITS} AS number FROM {table(Transfer)}
         WHERE created_at >= %(day)s::date::timestamp AT TIME ZONE 'UTC'
           AND created_at < (%(day)s::date + 1)::timestamp AT TIME ZONE 'UTC'
    ), read AS (
        SELECT coalesce(sum(transfers), 0) AS transfers, coalesce(sum(entries), 0) AS entries,
               coalesce(string_agg(digest, '' ORDER BY number), '') AS content
          FROM ({CONTENT.format(blocks="blocks")}) found
    )
    SELECT {DIGEST.format(day="%(day)s::date", content="read", before="%(before)s::text")} FROM read
"""


def keep(cell: str, company: str, begins: date, seals: Mapping[date, str]) -> None:
    """Keeps all seals from this day on, which a move of the company replaces in the cell. Call it before the merchants
    live elsewhere.
    """
    living = list(Merchant.objects.filter(cell=cell or None).order_by("pk").values_list("pk", flat=True))
    resealing = Resealing.objects.create(cell=cell, company_id=company, begins=begins, merchants=living)
    ReplacedSeal.objects.bulk_create(
        ReplacedSeal(resealing=resealing, day=day, digest=digest) for day, digest in sorted(seals.items())
    )


def find(digest: str) -> ReplacedSeal | None:
    return ReplacedSeal.objects.select_related("resealing__company").filter(digest=digest).first()


def is_right(seal: ReplacedSeal) -> bool:
    """Whether what was sealed is still there, unchanged, and continues the seal of the day before; and so on, until the
    day before is one that was not replaced with it.
    """
    resealing = seal.resealing
    replaced = dict(resealing.seals.values_list("day", "digest"))
    day = seal.day
    while day in replaced:
        yesterday = date.fromordinal(day.toordinal() - 1)
        before = replaced.get(yesterday) if yesterday >= resealing.begins else _of_then(resealing, yesterday)
        if _was(resealing, day, before) != replaced[day]:
            return False
        day = yesterday
    return True


def _of_then(resealing: Resealing, day: date) -> str | None:
    """The seal of the day at the time, if it had one: that which the next move replaced, or that of now."""
    later = Resealing.objects.filter(cell=resealing.cell, pk__gt=resealing.pk, begins__lte=day).order_by("pk").first()
    with cells.opened(resealing.cell):
        known = later.seals.filter(day=day) if later else Seal.objects.filter(day=day)
        return known.values_list("digest", flat=True).first()


def _was(resealing: Resealing, day: date, before: str | None) -> str:
    with all_cells():
        row = first(_WAS, {"merchants": resealing.merchants, "day": day, "before": before})
    assert row is not None
    return str(row[0])
