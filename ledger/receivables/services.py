"""Receivables: scheduled when a payment is paid, and released exactly once when their day has come."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

import structlog
from django.db import DatabaseError, transaction

from accounts import clock
from accounts.ids import new_id
from accounts.models import Merchant
from accounts.rows import columns, first, load, width
from accounts.wire import timestamp
from ledger.books.services import Move, Side, post, wallet
from ledger.chart import WALLET_METHOD, Kind
from ledger.money import to_decimal
from ledger.receivables.lifecycle import Asked, step
from ledger.receivables.models import Receivable, State
from webhooks.outbox import emit

log = structlog.get_logger()

BATCH = 500
"""Receivables of one wallet in one transaction."""
_RELEASED = step(Asked.RELEASE, State.SCHEDULED)
# The second bound is for the index. One wallet a transaction: two of them could wait for each other.
_NEXT_WALLET = f"""
    SELECT r.currency, {columns(Merchant, "m")} FROM ledger_receivable r
      JOIN accounts_merchant m ON m.id = r.merchant_id
     WHERE r.state = 'SCHEDULED' AND r.release_at <= %(now)s + m.clock_offset
       AND r.release_at <= %(now)s + (SELECT max(clock_offset) FROM accounts_merchant)
       AND NOT ((r.merchant_id, r.currency) IN (SELECT * FROM unnest(%(merchants)s::bigint[], %(currencies)s::text[])))
     ORDER BY r.release_at LIMIT 1 FOR NO KEY UPDATE OF r SKIP LOCKED
"""
_RELEASE = """
    WITH due AS (
        SELECT id FROM ledger_receivable
         WHERE merchant_id = %(merchant)s AND currency = %(currency)s AND state = 'SCHEDULED'
           AND release_at <= %(now)s AND (%(only)s::text IS NULL OR id = %(only)s)
         ORDER BY release_at, id LIMIT %(limit)s FOR NO KEY UPDATE SKIP LOCKED
    ), released AS (
        UPDATE ledger_receivable r
           SET state = 'RELEASED', updated_at = greatest(r.release_at, %(not_before)s::timestamptz)
          FROM due WHERE r.id = due.id RETURNING r.id, r.amount, r.updated_at
    )
    SELECT count(*), sum(amount), max(updated_at),
           bool_and(ledger_post(%(merchant)s, %(kind)s, id, jsonb_build_array(
               jsonb_build_array('RELEASING', %(wallet)s::text, %(currency)s::text, -amount),
               jsonb_build_array('AVAILABLE', %(wallet)s::text, %(currency)s::text, amount)), updated_at))
      FROM (SELECT * FROM released ORDER BY updated_at, id) ordered
"""
_FIRST = """
    SELECT release_at, id FROM ledger_receivable
     WHERE merchant_id = %s AND state = 'SCHEDULED' AND release_at <= %s ORDER BY release_at, id LIMIT 1
"""


@dataclass(frozen=True, slots=True)
class Terms:
    """What holds for a receivable: when it is released, and what having it sooner costs (per cent a month)."""

    release_at: datetime
    advance_monthly_rate: Decimal | None
    advance_minimum: int


def schedule(
    merchant: Merchant,
    *,
    payment_id: str,
    reference: str,
    method: str,
    currency: str,
    gross: int,
    fee: int,
    terms: Terms,
    at: datetime,
) -> None:
    """Writes down what becomes available at `terms.release_at`; the caller posts the money itself."""
    Receivable.objects.create(
        id=new_id("rcv"),
        merchant=merchant,
        payment_id=payment_id,
        payment_reference=reference,
        method=method,
        currency=currency,
        gross_amount=gross,
        fee=fee,
        amount=gross - fee,
        release_at=terms.release_at,
        advance_monthly_rate=terms.advance_monthly_rate,
        advance_minimum=terms.advance_minimum,
        created_at=at,
        updated_at=at,
    )


def release_due(limit: int = BATCH) -> int:
    """Releases what is due of every wallet, a batch a transaction; returns how many. Harmless when doubled or late.

    A wallet that cannot be released is said and left; it does not hold up the others.
    """
    released = 0
    stuck: list[tuple[int, str]] = []
    while True:
        try:
            with transaction.atomic():
                found = _next_wallet(stuck)
                if found is None:
                    return released
                merchant, currency = found
                released += _release(merchant, currency, clock.now(merchant), limit=limit)
        except DatabaseError:
            log.exception("receivables.not_released", merchant=merchant.pk, currency=currency)
            stuck.append((merchant.pk, currency))


def _next_wallet(stuck: list[tuple[int, str]]) -> tuple[Merchant, str] | None:
    row = first(
        _NEXT_WALLET,
        {
            "now": clock.wall(),
            "merchants": [merchant for merchant, _ in stuck],
            "currencies": [currency for _, currency in stuck],
        },
    )
    if row is None:
        return None
    assert len(row) == 1 + width(Merchant)
    return load(Merchant, row[1:]), row[0]


def _release(
    merchant: Merchant,
    currency: str,
    until: datetime,
    *,
    limit: int = 1,
    only: str | None = None,
    not_before: datetime | None = None,
) -> int:
    """One statement: each receivable has a transfer of its own, at its own time. One event for all of them."""
    method = WALLET_METHOD[currency]
    row = first(
        _RELEASE,
        {
            "merchant": merchant.pk,
            "currency": currency,
            "wallet": method,
            "now": until,
            "limit": limit,
            "only": only,
            "kind": _RELEASED.posts,
            "not_before": not_before,
        },
    )
    assert row is not None
    count, amount, at, posted = row
    if not count:
        return 0
    assert posted, "a receivable is released once"
    told = {
        "walletMethod": method,
        "currency": currency,
        "amount": to_decimal(int(amount), currency),
        "count": count,
        "releasedAt": timestamp(at),
    }
    emit(merchant, "balance.released", merchant.company_id, told, at)
    return int(count)


def first_release(merchant: Merchant, until: datetime) -> tuple[datetime, str] | None:
    """When the merchant's next receivable is due, and which it is; None when not `until` then."""
    row = first(_FIRST, [merchant.pk, until])
    return (row[0], row[1]) if row else None


@transaction.atomic(savepoint=False)
def release(merchant: Merchant, receivable_id: str) -> int:
    """Releases one receivable at its own time, if it is still scheduled; how many (0 or 1)."""
    kept = Receivable.objects.get(merchant=merchant, pk=receivable_id)
    return _release(merchant, kept.currency, kept.release_at, only=kept.id)


def release_late(receivable: Receivable, at: datetime) -> int:
    """Releases at `at` what was held back over its day."""
    return _release(receivable.merchant, receivable.currency, at, only=receivable.id, not_before=at)


def advance(receivable: Receivable, fee: int, at: datetime) -> None:
    """Makes a reserved receivable available now, less the fee. Refuses with ONP409_RECEIVABLE_STATE."""
    taken = step(Asked.ADVANCE, receivable.state)
    receivable.state, receivable.updated_at = taken.target, at
    receivable.save(update_fields=["state", "updated_at"])
    releasing = wallet(Kind.RELEASING, receivable.currency)
    moves = [Move(receivable.amount - fee, debit=releasing, credit=wallet(Kind.AVAILABLE, receivable.currency))]
    if fee:
        moves.append(Move(fee, debit=releasing, credit=Side(Kind.ADVANCE_INCOME, "", receivable.currency)))
    posted = post(receivable.merchant, str(taken.posts), receivable.id, moves, at)
    assert posted, "a receivable is advanced once"


def held_of_payment(payment_id: str) -> Receivable | None:
    """The receivable of a payment, locked, whatever its state. None: its money was available at once."""
    rows = Receivable.objects.select_for_update(no_key=True, of=("self",)).select_related("merchant__company")
    return rows.filter(payment_id=payment_id).first()


def take(receivable: Receivable, wanted: int, at: datetime) -> int:
    """Takes up to `wanted` minor units out of a scheduled receivable for a refund; the caller posts them."""
    if receivable.state != State.SCHEDULED:
        return 0
    taken = min(wanted, receivable.amount)
    receivable.amount -= taken
    receivable.refunded_amount += taken
    if receivable.amount == 0:
        receivable.state = step(Asked.CANCEL, receivable.state).target
    _save(receivable, at)
    return taken


def give_back(receivable: Receivable, minor: int, at: datetime) -> bool:
    """Puts back what a refund had taken, if it has a day to wait for; else False: it belongs to what is available."""
    if receivable.state not in (State.SCHEDULED, State.CANCELED) or receivable.release_at <= at:
        return False
    if receivable.state == State.CANCELED:
        receivable.state = step(Asked.RESTORE, receivable.state).target
    receivable.amount += minor
    receivable.refunded_amount -= minor
    _save(receivable, at)
    return True


def _save(receivable: Receivable, at: datetime) -> None:
    receivable.updated_at = at
    receivable.save(update_fields=["state", "amount", "refunded_amount", "updated_at"])
