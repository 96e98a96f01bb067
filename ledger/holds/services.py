"""Placing and releasing holds."""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from accounts.base import clock
from accounts.base.errors import Fault
from accounts.base.ids import new_id
from accounts.base.rows import execute, insert_into, values
from accounts.errors import OwnRequest
from accounts.models import Merchant, User
from ledger.books.services import Move, post, wallet
from ledger.chart import AccountKind
from ledger.holds.errors import HoldEnded, HoldUnexplained
from ledger.holds.models import BY_STAFF, Hold, Reason

SHORTEST_NOTE = 5
SENT_AGAIN_WITHIN = timedelta(minutes=1)


@transaction.atomic(savepoint=False)
def place(
    merchant: Merchant,
    currency: str,
    amount: int,
    reason: str,
    *,
    note: str,
    case_number: str = "",
    by: User | None = None,
    expected_release_at: datetime | None = None,
) -> Hold:
    """Staff hold available money, in minor units. The company sees the case number, and staff the note.

    A person who asks for the same hold again within a minute gets the one that stands. Raises ONP400_HOLD without a
    note, or for a legal order without the number of its case, and ONP422_INSUFFICIENT_BALANCE.
    """
    assert reason in BY_STAFF, "what belongs to a refund or a withdrawal is blocked by that"
    note, case_number = note.strip(), case_number.strip()
    if faults := list(_unexplained(reason, note, case_number)):
        raise HoldUnexplained(faults=faults)
    now = clock.now(merchant)
    wanted: dict[str, Any] = {
        "merchant": merchant,
        "reason": reason,
        "currency": currency,
        "amount": amount,
        "note": note,
        "case_number": case_number,
        "placed_by": by,
        "expected_release_at": expected_release_at,
    }
    if by and (standing := _just_placed(by, wanted, now)):
        return standing
    hold = Hold.objects.create(id=new_id("blk"), created_at=now, **wanted)
    available, blocked = wallet(AccountKind.AVAILABLE, currency), wallet(AccountKind.BLOCKED, currency)
    posted = post(merchant, "hold.placed", hold.id, [Move(amount, debit=available, credit=blocked)], now)
    assert posted, "a block is placed once"
    return hold


def _just_placed(by: User, wanted: Mapping[str, Any], now: datetime) -> Hold | None:
    """What a double click has placed already. The person's requests wait for each other."""
    User.objects.select_for_update(no_key=True).get(pk=by.pk)
    return Hold.objects.filter(**wanted, ended_at=None, created_at__gt=now - SENT_AGAIN_WITHIN).first()


def _unexplained(reason: str, note: str, case_number: str) -> Iterator[Fault]:
    if len(note) < SHORTEST_NOTE:
        yield Fault("note", "REQUIRED", "Explain the hold in at least %(least)s characters.", {"least": SHORTEST_NOTE})
    if reason == Reason.LEGAL_ORDER and not case_number:
        yield Fault("case_number", "REQUIRED", "A legal order has the number of its case.")


def begin(
    merchant: Merchant,
    reason: str,
    currency: str,
    amount: int,
    *,
    at: datetime,
    missing: int = 0,
    expected_release_at: datetime | None = None,
    **owner: str | None,
) -> None:
    """Creates the hold of a refund or a withdrawal, by their ids. The caller posts it."""
    hold = Hold(
        id=new_id("blk"),
        merchant=merchant,
        reason=reason,
        currency=currency,
        amount=amount,
        missing=missing,
        expected_release_at=expected_release_at,
        created_at=at,
        **owner,
    )
    execute(insert_into(Hold), values(hold))


def keep(
    merchant: Merchant,
    reason: str,
    currency: str,
    amount: int,
    *,
    at: datetime,
    missing: int = 0,
    expected_release_at: datetime | None = None,
    payment_id: str | None = None,
    **owner: str,
) -> None:
    """Updates how much is held for a refund or a withdrawal, how much of it is `missing`, and why.

    The hold ends when nothing is held and nothing is missing. The caller posts the money.
    """
    open_now = Hold.objects.filter(merchant=merchant, ended_at=None, **owner)
    if not amount and not missing:
        open_now.update(ended_at=at)
    elif not open_now.update(amount=amount, missing=missing, reason=reason, expected_release_at=expected_release_at):
        begin(
            merchant,
            reason,
            currency,
            amount,
            at=at,
            missing=missing,
            expected_release_at=expected_release_at,
            payment_id=payment_id,
            **owner,
        )


@transaction.atomic(savepoint=False)
def lift(hold_id: str, by: User | None = None) -> Hold:
    """Releases a hold that staff placed; not by the person who placed it.

    Raises ONP409_HOLD_STATE and ONP403_OWN_REQUEST.
    """
    hold = Hold.objects.select_for_update(no_key=True, of=("self",)).select_related("merchant__company").get(pk=hold_id)
    if hold.ended_at is not None or hold.reason not in BY_STAFF:
        raise HoldEnded
    if by and hold.placed_by_id == by.pk:
        raise OwnRequest
    now = clock.now(hold.merchant)
    hold.ended_at, hold.lifted_by = now, by
    hold.save(update_fields=["ended_at", "lifted_by"])
    available, blocked = wallet(AccountKind.AVAILABLE, hold.currency), wallet(AccountKind.BLOCKED, hold.currency)
    posted = post(hold.merchant, "hold.lifted", hold.id, [Move(hold.amount, debit=blocked, credit=available)], now)
    assert posted, "a block is lifted once"
    return hold
