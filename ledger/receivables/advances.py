"""Advances: paying receivables out early, for a fee. A company requests them, staff decide."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal

from django.db import transaction

from accounts.base import clock
from accounts.base.ids import new_id
from accounts.errors import OwnRequest
from accounts.models import Merchant, User
from ledger.holds import shortfalls
from ledger.receivables import notices, payloads
from ledger.receivables import services as receivables
from ledger.receivables.errors import AdvanceDisabled, AdvanceTooSmall, ReceivableState
from ledger.receivables.lifecycle import ADVANCE_LIFE, RECEIVABLE_LIFE, AdvanceAction, ReceivableAction
from ledger.receivables.models import Advance, AdvanceItem, Receivable, State
from ledger.receivables.offers import offered
from ledger.receivables.releases import release_withheld
from webhooks.outbox import emit

DAY = timedelta(days=1)
MONTH_DAYS = 30
MOST = 500
"""The limit of receivables that are not chosen by id: each is decided with a posting of its own."""


@dataclass(frozen=True, slots=True)
class QuotedReceivable:
    """One receivable of a quote. Minor units; `days` gained, each begun day counted."""

    receivable: Receivable
    fee: int
    days: int

    @property
    def amount(self) -> int:
        return self.receivable.amount

    @property
    def net(self) -> int:
        return self.amount - self.fee


@dataclass(frozen=True, slots=True)
class AdvanceQuote:
    """The exact price of an advance if it were decided now. Nothing is stored."""

    currency: str
    items: list[QuotedReceivable]

    @property
    def gross(self) -> int:
        return sum(item.amount for item in self.items)

    @property
    def fee(self) -> int:
        return sum(item.fee for item in self.items)

    @property
    def net(self) -> int:
        return self.gross - self.fee

    @property
    def days(self) -> Decimal:
        """The average number of days gained per unit of money, to a tenth."""
        weighed = sum(item.amount * item.days for item in self.items)
        return (Decimal(weighed) / self.gross).quantize(Decimal("0.1"), ROUND_HALF_UP)


def quote(merchant: Merchant, receivable_ids: Sequence[str]) -> AdvanceQuote:
    """The current price of advancing these receivables.

    Raises ONP403_ADVANCE_DISABLED, ONP409_RECEIVABLE_STATE (not all of them scheduled, of one currency, not yet due and
    open to advances) and ONP422_ADVANCE_AMOUNT_TOO_SMALL.
    """
    return _quoted(merchant, _chosen(merchant, receivable_ids), clock.now(merchant))


def quote_amount(merchant: Merchant, currency: str, net: int) -> AdvanceQuote:
    """Quotes the receivables released soonest, at most MOST of them, that together pay at least `net`, in minor units.

    Raises what `quote` raises, and ONP409_RECEIVABLE_STATE if all of them together pay less.
    """
    if not merchant.advance_enabled:
        raise AdvanceDisabled
    now = clock.now(merchant)
    chosen: list[Receivable] = []
    given = 0
    for receivable in offered(merchant, now).filter(currency=currency)[:MOST]:
        chosen.append(receivable)
        given += _priced(receivable, now).net
        if given >= net:
            return _quoted(merchant, chosen, now)
    raise ReceivableState


def quote_until(merchant: Merchant, currency: str, until: datetime | None = None) -> AdvanceQuote:
    """Quotes what is released before `until` (None: everything), soonest first and at most MOST. Raises what `quote`
    raises.
    """
    now = clock.now(merchant)
    found = offered(merchant, now).filter(currency=currency)
    chosen = list((found.filter(release_at__lt=until) if until else found)[:MOST])
    if merchant.advance_enabled and not chosen:
        raise ReceivableState
    return _quoted(merchant, chosen, now)


@transaction.atomic(savepoint=False)
def request(merchant: Merchant, receivable_ids: Sequence[str], by: User | None) -> Advance:
    """Reserves the receivables and requests the advance at the current price. Raises what `quote` raises."""
    now = clock.now(merchant)
    quoted = _quoted(merchant, _chosen(merchant, receivable_ids, held=True), now)
    advance = Advance.objects.create(
        id=new_id("adv"),
        merchant=merchant,
        currency=quoted.currency,
        state=ADVANCE_LIFE.transition(AdvanceAction.REQUEST, "").target,
        gross_amount=quoted.gross,
        fee=quoted.fee,
        requested_by=by,
        requested_at=now,
    )
    reserved = {
        RECEIVABLE_LIFE.transition(ReceivableAction.RESERVE, item.receivable.state).target for item in quoted.items
    }.pop()
    chosen = Receivable.objects.filter(pk__in=[item.receivable.pk for item in quoted.items])
    chosen.update(state=reserved, updated_at=now)
    AdvanceItem.objects.bulk_create(
        AdvanceItem(advance=advance, receivable=item.receivable, amount=item.amount, fee=item.fee, days=item.days)
        for item in quoted.items
    )
    return advance


@transaction.atomic(savepoint=False)
def approve(advance_id: str, by: User, note: str = "") -> Advance:
    """Credits the net of every receivable. A receivable that became due in the meantime costs nothing.

    Raises ONP403_OWN_REQUEST and ONP409_ADVANCE_STATE.
    """
    advance, now = _undecided(advance_id, AdvanceAction.APPROVE, by)
    fee = 0
    for item, receivable in _items(advance):
        priced = _priced(receivable, now)
        item.fee, item.days = min(item.fee, priced.fee), min(item.days, priced.days)
        item.save(update_fields=["fee", "days"])
        fee += item.fee
        receivables.advance(receivable, item.fee, now)
    advance.fee = fee
    return _decided(advance, AdvanceAction.APPROVE, by, note, now)


@transaction.atomic(savepoint=False)
def refuse(advance_id: str, by: User, note: str = "") -> Advance:
    """Returns the receivables to their schedule; those due by now are released immediately.

    Raises ONP403_OWN_REQUEST and ONP409_ADVANCE_STATE.
    """
    advance, now = _undecided(advance_id, AdvanceAction.REFUSE, by)
    overdue = []
    for _, receivable in _items(advance):
        receivable.state = RECEIVABLE_LIFE.transition(ReceivableAction.GIVE_BACK, receivable.state).target
        receivable.updated_at = now
        receivable.save(update_fields=["state", "updated_at"])
        if receivable.release_at <= now:
            overdue.append(receivable.id)
    if overdue:
        release_withheld(advance.merchant, advance.currency, overdue, now)
    if shortfalls.has_shortfall(advance.merchant, advance.currency):
        shortfalls.fill(advance.merchant, advance.currency, now)
    return _decided(advance, AdvanceAction.REFUSE, by, note, now)


def _chosen(merchant: Merchant, receivable_ids: Sequence[str], *, held: bool = False) -> list[Receivable]:
    """The merchant's receivables with these ids, in the global lock order."""
    rows = Receivable.objects.filter(merchant=merchant, pk__in=set(receivable_ids)).order_by("id")
    found = list(rows.select_for_update(no_key=True) if held else rows)
    if not found or len(found) != len(set(receivable_ids)):
        raise ReceivableState
    return found


def _quoted(merchant: Merchant, chosen: Sequence[Receivable], now: datetime) -> AdvanceQuote:
    if not merchant.advance_enabled:
        raise AdvanceDisabled
    if len({receivable.currency for receivable in chosen}) != 1 or not all(_is_open(one, now) for one in chosen):
        raise ReceivableState
    quoted = AdvanceQuote(chosen[0].currency, [_priced(receivable, now) for receivable in chosen])
    if quoted.gross < max(one.advance_minimum for one in chosen) or any(item.net <= 0 for item in quoted.items):
        raise AdvanceTooSmall
    return quoted


def _is_open(receivable: Receivable, now: datetime) -> bool:
    return (
        receivable.state == State.SCHEDULED
        and receivable.release_at > now
        and receivable.advance_monthly_rate is not None
    )


def _priced(receivable: Receivable, now: datetime) -> QuotedReceivable:
    """The monthly rate for each begun thirtieth of a month, halves rounded up."""
    days = max(0, -((now - receivable.release_at) // DAY))
    share = Decimal(receivable.amount) * (receivable.advance_monthly_rate or 0) / 100 * days / MONTH_DAYS
    return QuotedReceivable(receivable, int(share.quantize(Decimal(1), ROUND_HALF_UP)), days)


def _undecided(advance_id: str, action: AdvanceAction, by: User) -> tuple[Advance, datetime]:
    advance = (
        Advance.objects.select_for_update(no_key=True, of=("self",))
        .select_related("merchant__company")
        .get(pk=advance_id)
    )
    if advance.requested_by_id == by.pk:
        raise OwnRequest
    ADVANCE_LIFE.transition(action, advance.state)
    return advance, clock.now(advance.merchant)


def _items(advance: Advance) -> list[tuple[AdvanceItem, Receivable]]:
    items = {item.receivable_id: item for item in advance.items.all()}
    held = Receivable.objects.filter(pk__in=items).order_by("id").select_for_update(no_key=True)
    found = []
    for receivable in held:
        receivable.merchant = advance.merchant
        found.append((items[receivable.id], receivable))
    return found


def _decided(advance: Advance, action: AdvanceAction, by: User, note: str, now: datetime) -> Advance:
    taken = ADVANCE_LIFE.transition(action, advance.state)
    advance.state, advance.decided_by, advance.decided_at, advance.note = taken.target, by, now, note
    advance.save(update_fields=["state", "fee", "decided_by", "decided_at", "note"])
    for kind in taken.announces:
        emit(advance.merchant, kind, advance.id, payloads.advance(advance), now)
    notices.decided(advance)
    return advance
