"""Receivables: scheduled when a payment is paid, and released exactly once when due."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.db.models import Q

from accounts.base.ids import new_id
from accounts.base.rows import every, execute, table
from accounts.models import Merchant
from ledger.books.services import Move, Side, post, wallet
from ledger.chart import AccountKind
from ledger.holds import reserves
from ledger.receivables.lifecycle import RECEIVABLE_LIFE, ReceivableAction
from ledger.receivables.models import Receivable, State, Taking

# The earliest releases that add up to the amount; rows locked by others are skipped.
_WITHHOLD = f"""
    WITH soonest AS (
        SELECT id FROM (
            SELECT id, sum(amount) OVER (ORDER BY release_at, id) - amount AS before FROM {table(Receivable)}
             WHERE merchant_id = %(merchant)s AND currency = %(currency)s AND state = '{State.SCHEDULED}') scheduled
         WHERE before < %(wanted)s
    ), held AS (
        SELECT r.id, r.amount, r.release_at FROM {table(Receivable)} r JOIN soonest USING (id)
         WHERE r.state = '{State.SCHEDULED}' ORDER BY r.id FOR NO KEY UPDATE OF r SKIP LOCKED
    ), shares AS (
        SELECT id, least(amount, %(wanted)s - (sum(amount) OVER (ORDER BY release_at, id) - amount)) AS minor FROM held
    ), taken AS (
        UPDATE {table(Receivable)} r
           SET amount = amount - minor, refunded_amount = refunded_amount + minor,
               state = CASE WHEN amount = minor THEN %(canceled)s ELSE state END,
               updated_at = greatest(updated_at, %(at)s)
          FROM shares WHERE r.id = shares.id AND minor > 0 RETURNING r.id, minor::bigint
    )
    SELECT id, minor FROM taken
"""
# A statement of its own: Citus cannot carry out one that numbers rows it has just read elsewhere in it.
_NOTE = f"""
    INSERT INTO {table(Taking)} AS known (receivable_id, refund_id, amount)
    SELECT id, %s, minor FROM unnest(%s::varchar[], %s::bigint[]) AS taken (id, minor)
    ON CONFLICT (refund_id, receivable_id) DO UPDATE SET amount = known.amount + excluded.amount
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


def advance(receivable: Receivable, fee: int, at: datetime) -> None:
    """Makes a reserved receivable available now, less the fee. Raises ONP409_RECEIVABLE_STATE."""
    taken = RECEIVABLE_LIFE.transition(ReceivableAction.ADVANCE, receivable.state)
    receivable.state, receivable.updated_at = taken.target, at
    receivable.save(update_fields=["state", "updated_at"])
    releasing = wallet(AccountKind.RELEASING, receivable.currency)
    moves = [Move(receivable.amount - fee, debit=releasing, credit=wallet(AccountKind.AVAILABLE, receivable.currency))]
    if fee:
        moves.append(Move(fee, debit=releasing, credit=Side(AccountKind.ADVANCE_INCOME, "", receivable.currency)))
    merchant, currency = receivable.merchant, receivable.currency
    posted = post(merchant, str(taken.posts), receivable.id, moves, at)
    assert posted, "a receivable is advanced once"
    reserves.take(merchant, currency, receivable.amount - fee, receivable.payment_id, at)


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
    """Takes up to `wanted` minor units for a refund from the wallet's earliest releases.

    The caller has locked the wallet and posts them.
    """
    canceled = RECEIVABLE_LIFE.transition(ReceivableAction.CANCEL, State.SCHEDULED).target
    asked = {"merchant": merchant.pk, "currency": currency, "wanted": wanted, "at": at, "canceled": canceled}
    taken: dict[str, int] = dict(every(_WITHHOLD, asked))
    if taken:
        execute(_NOTE, [refund_id, [*taken], [*taken.values()]])
    return sum(taken.values())


def return_all(refund_id: str, payment_id: str, minor: int, at: datetime) -> int:
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


def forget_takings(refund_id: str) -> None:
    """What a refund took from receivables of other payments will never return to them."""
    Taking.objects.filter(refund_id=refund_id).delete()


def _save(receivable: Receivable, at: datetime) -> None:
    receivable.updated_at = at
    receivable.save(update_fields=["state", "amount", "refunded_amount", "updated_at"])
