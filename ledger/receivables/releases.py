"""Releases receivables: two statements, for one of them or hundreds."""

from datetime import datetime

from accounts.base.rows import first, table
from accounts.models import Merchant, StuckWork
from ledger.books.services import hold_wallet
from ledger.chart import WALLET_METHOD
from ledger.holds import reserves, shortfalls
from ledger.receivables import payloads
from ledger.receivables.lifecycle import RECEIVABLE_LIFE, ReceivableAction
from ledger.receivables.models import Receivable, State
from webhooks.outbox import emit

KIND = "balance.released"
"""The event, and the kind of due work."""
NOT_STUCK = f"""NOT EXISTS (SELECT FROM {table(StuckWork)} s WHERE s.kind = '{KIND}' AND s.object_id = r.id)"""
_RELEASED = RECEIVABLE_LIFE.transition(ReceivableAction.RELEASE, State.SCHEDULED)
_TABLE = table(Receivable)
_RELEASE = f"""
    WITH due AS (
        SELECT id FROM {_TABLE} r
         WHERE merchant_id = %(merchant)s AND currency = %(currency)s AND state = '{_RELEASED.sources[0]}'
           AND release_at <= %(now)s AND {{which}}
         ORDER BY release_at, id LIMIT %(limit)s FOR NO KEY UPDATE {{waiting}}
    ), released AS (
        UPDATE {_TABLE} r
           SET state = '{_RELEASED.target}', updated_at = greatest(r.release_at, %(not_before)s::timestamptz)
          FROM due WHERE r.id = due.id RETURNING r.id, r.amount, r.payment_id, r.updated_at
    )
    SELECT sum(amount), max(updated_at), array_agg(id), array_agg(payment_id), array_agg(amount), array_agg(updated_at)
      FROM (SELECT * FROM released ORDER BY updated_at, id) ordered HAVING count(*) > 0
"""
# A statement of its own: what reads a table of a cell is carried out on its node, where the function has other numbers.
_POST = """
    SELECT posted, ledger_uncovered(%(merchant)s, jsonb_build_array(
               jsonb_build_array('AVAILABLE', %(wallet)s::text, %(currency)s::text, 1)))
      FROM (SELECT ledger_post_each(%(merchant)s, %(kind)s, jsonb_build_array(
                       jsonb_build_array('RELEASING', %(wallet)s::text, %(currency)s::text, -1),
                       jsonb_build_array('AVAILABLE', %(wallet)s::text, %(currency)s::text, 1)),
                   %(ids)s::text[], %(amounts)s::bigint[], %(times)s::timestamptz[]) AS posted OFFSET 0) posting
"""
_RELEASE_NAMED = _RELEASE.format(which="id = ANY(%(only)s)", waiting="")
_RELEASE_BATCH = _RELEASE.format(which=NOT_STUCK, waiting="SKIP LOCKED")


def release_rows(
    merchant: Merchant,
    currency: str,
    until: datetime,
    *,
    limit: int = 1,
    only: list[str] | None = None,
    not_before: datetime | None = None,
) -> int:
    """Each receivable gets its own transfer at its own time. One event covers all of them."""
    method = WALLET_METHOD[currency]
    if merchant.reserve_percentage:
        hold_wallet(merchant, currency)
    wallet = {"merchant": merchant.pk, "currency": currency, "wallet": method}
    row = first(
        _RELEASE_NAMED if only else _RELEASE_BATCH,
        wallet | {"now": until, "limit": limit, "only": only, "not_before": not_before},
    )
    if row is None:
        return 0
    amount, at, ids, payment_ids, amounts, times = row
    count = len(ids)
    told = {"kind": _RELEASED.posts, "ids": ids, "amounts": amounts, "times": times}
    posted, uncovered = first(_POST, wallet | told) or (0, [])
    assert posted == count, "a receivable is released once"
    payload = payloads.released(method, currency, int(amount), count, at)
    emit(merchant, KIND, merchant.company_id, payload, at)
    if uncovered:
        shortfalls.fill(merchant, currency, at)
    if merchant.reserve_percentage:
        for payment_id, net in zip(payment_ids, amounts, strict=True):
            reserves.take(merchant, currency, net, payment_id, at)
    return count


def release_withheld(merchant: Merchant, currency: str, receivable_ids: list[str], at: datetime) -> int:
    """Releases at `at` the receivables that were withheld past their date; returns how many."""
    return release_rows(merchant, currency, at, limit=len(receivable_ids), only=receivable_ids, not_before=at)
