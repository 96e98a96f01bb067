"""Receivables: scheduled when a payment is paid, and released exactly once when due."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import partial

import structlog
from django.db import transaction
from django.db.models import Q

from accounts.base import clock
from accounts.base.ids import new_id
from accounts.base.rows import first, retry_on_deadlock
from accounts.models import Merchant
from ledger.books.services import Move, Side, post, wallet
from ledger.chart import WALLET_METHOD, AccountKind
from ledger.holds import shortfalls
from ledger.receivables import payloads
from ledger.receivables.lifecycle import RECEIVABLE_LIFE, ReceivableAction
from ledger.receivables.models import Receivable, State, Taking
from webhooks.outbox import emit

log = structlog.get_logger()

BATCH = 500
"""Receivables of one wallet per transaction."""
_RELEASED = RECEIVABLE_LIFE.transition(ReceivableAction.RELEASE, State.SCHEDULED)
# By the real time, and by the clocks of merchants that are ahead of it. One wallet a transaction: two of them could
# wait for each other.
_NEXT_WALLET = """
    SELECT found.merchant_id, found.currency FROM (
        (SELECT r.merchant_id, r.currency, r.release_at FROM ledger_receivable r
          WHERE r.state = 'SCHEDULED' AND r.release_at <= %(now)s AND NOT {stuck} ORDER BY r.release_at LIMIT 1)
        UNION ALL
        SELECT r.merchant_id, r.currency, r.release_at FROM accounts_merchant m
         CROSS JOIN LATERAL (SELECT * FROM ledger_receivable r
                              WHERE r.merchant_id = m.id AND r.state = 'SCHEDULED'
                                AND r.release_at <= %(now)s + m.clock_offset AND NOT {stuck}
                              ORDER BY r.release_at LIMIT 1) r
         WHERE m.clock_offset > interval '0') found
     ORDER BY found.release_at LIMIT 1
""".format(
    stuck="((r.merchant_id, r.currency) IN (SELECT * FROM unnest(%(merchants)s::bigint[], %(currencies)s::text[])))"
)
_RELEASE = """
    WITH due AS (
        SELECT id FROM ledger_receivable
         WHERE merchant_id = %(merchant)s AND currency = %(currency)s AND state = 'SCHEDULED'
           AND release_at <= %(now)s AND (%(only)s::text[] IS NULL OR id = ANY(%(only)s))
         ORDER BY release_at, id LIMIT %(limit)s FOR NO KEY UPDATE {waiting}
    ), released AS (
        UPDATE ledger_receivable r
           SET state = 'RELEASED', updated_at = greatest(r.release_at, %(not_before)s::timestamptz)
          FROM due WHERE r.id = due.id RETURNING r.id, r.amount, r.updated_at
    )
    SELECT *, ledger_uncovered(%(merchant)s, jsonb_build_array(
               jsonb_build_array('AVAILABLE', %(wallet)s::text, %(currency)s::text, 1))) FROM (
    SELECT count(*), sum(amount), max(updated_at),
           bool_and(ledger_post(%(merchant)s, %(kind)s, id, jsonb_build_array(
               jsonb_build_array('RELEASING', %(wallet)s::text, %(currency)s::text, -amount),
               jsonb_build_array('AVAILABLE', %(wallet)s::text, %(currency)s::text, amount)), updated_at))
      FROM (SELECT * FROM released ORDER BY updated_at, id) ordered OFFSET 0) posted
"""
_RELEASE_ONE, _RELEASE_BATCH = _RELEASE.format(waiting=""), _RELEASE.format(waiting="SKIP LOCKED")
# As many of those that are released soonest as it takes; one that somebody else changes is passed over.
_WITHHOLD = """
    WITH soonest AS (
        SELECT id FROM (
            SELECT id, sum(amount) OVER (ORDER BY release_at, id) - amount AS before FROM ledger_receivable
             WHERE merchant_id = %(merchant)s AND currency = %(currency)s AND state = 'SCHEDULED') scheduled
         WHERE before < %(wanted)s
    ), held AS (
        SELECT r.id, r.amount, r.release_at FROM ledger_receivable r JOIN soonest USING (id)
         WHERE r.state = 'SCHEDULED' ORDER BY r.id FOR NO KEY UPDATE OF r SKIP LOCKED
    ), shares AS (
        SELECT id, least(amount, %(wanted)s - (sum(amount) OVER (ORDER BY release_at, id) - amount)) AS minor FROM held
    ), taken AS (
        UPDATE ledger_receivable r
           SET amount = amount - minor, refunded_amount = refunded_amount + minor,
               state = CASE WHEN amount = minor THEN %(canceled)s ELSE state END,
               updated_at = greatest(updated_at, %(at)s)
          FROM shares WHERE r.id = shares.id AND minor > 0 RETURNING r.id, minor
    ), noted AS (
        INSERT INTO ledger_taking AS known (receivable_id, refund_id, amount) SELECT id, %(refund)s, minor FROM taken
        ON CONFLICT (refund_id, receivable_id) DO UPDATE SET amount = known.amount + excluded.amount
    )
    SELECT coalesce(sum(minor), 0) FROM taken
"""
_FIRST = """
    SELECT release_at, id FROM ledger_receivable
     WHERE merchant_id = %s AND state = 'SCHEDULED' AND release_at <= %s ORDER BY release_at, id LIMIT 1
"""


@dataclass(frozen=True, slots=True)
class ReceivableTerms:
    """The terms of a receivable: its release date, and the cost of an advance (per cent per month)."""

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
    terms: ReceivableTerms,
    at: datetime,
) -> None:
    """Creates what becomes available at `terms.release_at`; the caller posts the money."""
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
        state=RECEIVABLE_LIFE.transition(ReceivableAction.SCHEDULE, "").target,
        release_at=terms.release_at,
        advance_monthly_rate=terms.advance_monthly_rate,
        advance_minimum=terms.advance_minimum,
        created_at=at,
        updated_at=at,
    )


def release_due(limit: int = BATCH) -> int:
    """Releases due receivables of all wallets, one batch per transaction; returns how many. May run twice or late.

    A wallet that another process releases is left for the next run, and so is a receivable that cannot be released:
    they do not delay the others.
    """
    released = 0
    left: list[tuple[int, str]] = []
    while found := _next_wallet(left):
        merchant, currency = found
        try:
            count = retry_on_deadlock(partial(_release_batch, merchant, currency, limit))
        except Exception:
            log.exception("receivables.not_released", merchant=merchant.pk, currency=currency)
            count = _release_singly(merchant, currency, limit)
        if not count:
            left.append((merchant.pk, currency))
        released += count
    return released


def _release_singly(merchant: Merchant, currency: str, limit: int) -> int:
    """Releases each due receivable of a wallet in a transaction of its own, after a batch failed."""
    released = 0
    tried: list[str] = []
    due = Receivable.objects.filter(merchant=merchant, currency=currency, state=State.SCHEDULED)
    due = due.filter(release_at__lte=clock.now(merchant)).order_by("release_at", "id")
    while found := list(due.exclude(pk__in=tried).values_list("pk", flat=True)[:limit]):
        for receivable_id in found:
            try:
                released += retry_on_deadlock(partial(_release_alone, merchant, receivable_id))
            except Exception:
                log.exception("receivable.not_released", receivable=receivable_id)
        tried += found
    return released


@transaction.atomic
def _release_alone(merchant: Merchant, receivable_id: str) -> int:
    return release(merchant, receivable_id)


@transaction.atomic
def _release_batch(merchant: Merchant, currency: str, limit: int) -> int:
    return _release(merchant, currency, clock.now(merchant), limit=limit)


def _next_wallet(left: list[tuple[int, str]]) -> tuple[Merchant, str] | None:
    row = first(
        _NEXT_WALLET,
        {
            "now": clock.utcnow(),
            "merchants": [merchant for merchant, _ in left],
            "currencies": [currency for _, currency in left],
        },
    )
    return (Merchant.objects.select_related("company").get(pk=row[0]), row[1]) if row else None


def _release(
    merchant: Merchant,
    currency: str,
    until: datetime,
    *,
    limit: int = 1,
    only: list[str] | None = None,
    not_before: datetime | None = None,
) -> int:
    """One statement: each receivable has a transfer of its own, at its own time. One event for all of them."""
    method = WALLET_METHOD[currency]
    row = first(
        _RELEASE_ONE if only else _RELEASE_BATCH,
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
    count, amount, at, posted, uncovered = row
    if not count:
        return 0
    assert posted, "a receivable is released once"
    told = payloads.released(method, currency, int(amount), count, at)
    emit(merchant, "balance.released", merchant.company_id, told, at)
    if uncovered:
        shortfalls.fill(merchant, currency, at)
    return int(count)


def first_release(merchant: Merchant, until: datetime) -> tuple[datetime, str] | None:
    """When the merchant's next receivable is due, and its id; None if not by `until`."""
    row = first(_FIRST, [merchant.pk, until])
    return (row[0], row[1]) if row else None


@transaction.atomic(savepoint=False)
def release(merchant: Merchant, receivable_id: str) -> int:
    """Releases one receivable at its own time if it is still scheduled; returns 0 or 1."""
    kept = Receivable.objects.get(merchant=merchant, pk=receivable_id)
    return _release(merchant, kept.currency, kept.release_at, only=[kept.id])


def release_late(merchant: Merchant, currency: str, receivable_ids: list[str], at: datetime) -> int:
    """Releases at `at`, together, what was held back over its date; returns how many."""
    return _release(merchant, currency, at, limit=len(receivable_ids), only=receivable_ids, not_before=at)


def advance(receivable: Receivable, fee: int, at: datetime) -> None:
    """Makes a reserved receivable available now, less the fee. Raises ONP409_RECEIVABLE_STATE."""
    taken = RECEIVABLE_LIFE.transition(ReceivableAction.ADVANCE, receivable.state)
    receivable.state, receivable.updated_at = taken.target, at
    receivable.save(update_fields=["state", "updated_at"])
    releasing = wallet(AccountKind.RELEASING, receivable.currency)
    moves = [Move(receivable.amount - fee, debit=releasing, credit=wallet(AccountKind.AVAILABLE, receivable.currency))]
    if fee:
        moves.append(Move(fee, debit=releasing, credit=Side(AccountKind.ADVANCE_INCOME, "", receivable.currency)))
    posted = post(receivable.merchant, str(taken.posts), receivable.id, moves, at)
    assert posted, "a receivable is advanced once"


def held_of_payment(payment_id: str) -> Receivable | None:
    """The receivable of a payment, locked, in any status. None: its money was available immediately."""
    rows = Receivable.objects.select_for_update(no_key=True, of=("self",)).select_related("merchant__company")
    return rows.filter(payment_id=payment_id).first()


def take(receivable: Receivable, wanted: int, at: datetime) -> int:
    """Takes up to `wanted` minor units from a scheduled receivable for a refund; the caller posts them."""
    if receivable.state != State.SCHEDULED:
        return 0
    taken = min(wanted, receivable.amount)
    receivable.amount -= taken
    receivable.refunded_amount += taken
    if receivable.amount == 0:
        receivable.state = RECEIVABLE_LIFE.transition(ReceivableAction.CANCEL, receivable.state).target
    _save(receivable, at)
    return taken


def give_back(receivable: Receivable, minor: int, at: datetime) -> bool:
    """Returns what a refund had taken if it still has a release date; otherwise False: it belongs to AVAILABLE."""
    if receivable.state not in (State.SCHEDULED, State.CANCELED) or receivable.release_at <= at:
        return False
    if receivable.state == State.CANCELED:
        receivable.state = RECEIVABLE_LIFE.transition(ReceivableAction.RESTORE, receivable.state).target
    receivable.amount += minor
    receivable.refunded_amount -= minor
    _save(receivable, at)
    return True


def withhold(merchant: Merchant, currency: str, refund_id: str, wanted: int, at: datetime) -> int:
    """Takes up to `wanted` minor units for a refund from whatever the wallet releases soonest.

    The caller has locked the wallet and posts them.
    """
    asked = {"merchant": merchant.pk, "currency": currency, "refund": refund_id, "wanted": wanted, "at": at}
    row = first(
        _WITHHOLD, asked | {"canceled": RECEIVABLE_LIFE.transition(ReceivableAction.CANCEL, State.SCHEDULED).target}
    )
    assert row is not None
    return int(row[0])


def give_all_back(refund_id: str, payment_id: str, minor: int, at: datetime) -> int:
    """Returns `minor` units that a refund took from its payment's receivable and from others.

    Returns how much of it waits for its release date again; the rest belongs to AVAILABLE.
    """
    takings = dict(Taking.objects.filter(refund_id=refund_id).values_list("receivable_id", "amount"))
    rows = Receivable.objects.select_for_update(no_key=True).filter(Q(payment_id=payment_id) | Q(pk__in=takings))
    own, waits = minor - sum(takings.values()), 0
    for receivable in rows.order_by("id"):
        taken = takings.get(receivable.id, 0) + (own if receivable.payment_id == payment_id else 0)
        if taken and give_back(receivable, taken, at):
            waits += taken
    Taking.objects.filter(refund_id=refund_id).delete()
    return waits


def _save(receivable: Receivable, at: datetime) -> None:
    receivable.updated_at = at
    receivable.save(update_fields=["state", "amount", "refunded_amount", "updated_at"])
