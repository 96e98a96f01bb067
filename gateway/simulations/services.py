"""The sandbox of a merchant: its clock, which runs everything that falls due on the way, and money from nowhere."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from accounts.base.clock import now, to_the_millisecond, utcnow
from accounts.base.ids import new_id
from accounts.due import Due
from accounts.models import Environment, Merchant
from gateway.payments.errors import SandboxOnly
from gateway.payments.services import require_active
from gateway.simulations.errors import ClockOnlyForward
from gateway.sweeps import OF_MERCHANTS
from ledger.books.services import Move, Side, post, wallet
from ledger.chart import WALLET_METHOD, AccountKind
from webhooks.services import move_clock

FARTHEST = timedelta(days=10 * 366)
AT_ONCE = 500
RAISED_AT_ONCE = 20
"""More would lock the merchant's rows for too long."""


@dataclass(frozen=True, slots=True)
class Fired:
    kind: str
    id: str
    at: datetime


def require_sandbox(merchant: Merchant) -> None:
    """Raises ONP403_SANDBOX_ONLY."""
    if merchant.environment != Environment.SANDBOX:
        raise SandboxOnly


@transaction.atomic(savepoint=False)
def top_up(merchant: Merchant, currency: str, minor: int) -> None:
    """Makes so much more available in the wallet, as if it came from nowhere: no payment, no fee, no event.

    Raises ONP403_SANDBOX_ONLY and ONP403_COMPANY_STATUS.
    """
    require_sandbox(merchant)
    require_active(merchant)
    nowhere = Side(AccountKind.CLEARING, WALLET_METHOD[currency], currency)
    moves = [Move(minor, debit=nowhere, credit=wallet(AccountKind.AVAILABLE, currency))]
    post(merchant, "sandbox.topped_up", new_id("top"), moves, now(merchant))


@transaction.atomic(savepoint=False)
def advance(merchant: Merchant, *, by: timedelta | None = None, to: datetime | None = None) -> list[Fired]:
    """Moves the merchant's clock forward and returns what ran on the way, oldest first.

    Everything runs at its own time, not at the time of arrival: one jump of thirty days equals thirty of one day. After
    500 events, or 20 that raised, the clock stops at the time of the last one; call again to continue. Raises
    ONP403_SANDBOX_ONLY and ONP409_CLOCK (never back, at most ten years ahead).
    """
    require_sandbox(merchant)
    held = Merchant.objects.select_for_update(no_key=True).get(pk=merchant.pk)
    merchant.clock_offset = held.clock_offset
    here = now(merchant)
    target = to_the_millisecond(to if to is not None else here + (by or timedelta(0)))
    if target < here or target - utcnow() > FARTHEST:
        raise ClockOnlyForward
    fired, reached = _live_until(merchant, target)
    reached = max(here, reached)
    merchant.clock_offset += reached - here
    move_clock(merchant, reached - here)
    Merchant.objects.filter(pk=merchant.pk).update(clock_offset=merchant.clock_offset)
    return fired


def coming(merchant: Merchant) -> list[Fired]:
    """The next scheduled event of each kind, soonest first. Raises ONP403_SANDBOX_ONLY."""
    require_sandbox(merchant)
    found = [
        Fired(due.kind, first[1], first[0])
        for due in OF_MERCHANTS
        if (first := due.first(merchant, utcnow() + FARTHEST))
    ]
    return sorted(found, key=lambda one: one.at)


def _live_until(merchant: Merchant, target: datetime) -> tuple[list[Fired], datetime]:
    """The due work that ran, and the time reached: that of the last run if the limit stopped it."""
    fired: list[Fired] = []
    raised = 0
    while earliest := _earliest(merchant, target):
        due, at, object_id = earliest
        if due.run_at_clock(merchant, object_id):
            fired.append(Fired(due.kind, object_id, at))
        else:
            raised += 1
        if len(fired) == AT_ONCE or raised == RAISED_AT_ONCE:
            return fired, at
    return fired, target


def _earliest(merchant: Merchant, until: datetime) -> tuple[Due[Any], datetime, str] | None:
    found = [(due, *first) for due in OF_MERCHANTS if (first := due.first(merchant, until))]
    return min(found, key=lambda one: (one[1], one[2])) if found else None
