"""What must be true of the table of every lifecycle."""

from typing import Any

from accounts.base.lifecycle import Table
from gateway.payments.lifecycle import PAYMENT_LIFE
from gateway.refunds.lifecycle import REFUND_LIFE
from gateway.suspense.lifecycle import SUSPENSE_LIFE
from gateway.withdrawals.lifecycle import WITHDRAWAL_LIFE
from ledger.receivables.lifecycle import ADVANCE_LIFE, RECEIVABLE_LIFE
from webhooks.lifecycle import DELIVERY_LIFE

LIVES: dict[str, Table[Any, Any]] = {
    "payment": PAYMENT_LIFE,
    "refund": REFUND_LIFE,
    "withdrawal": WITHDRAWAL_LIFE,
    "suspense": SUSPENSE_LIFE,
    "receivable": RECEIVABLE_LIFE,
    "advance": ADVANCE_LIFE,
    "delivery": DELIVERY_LIFE,
}


def wrong_answers(life: Table[Any, Any]) -> list[tuple[Any, str]]:
    """The pairs of action and status that the table neither lists nor refuses, or answers otherwise than it lists."""
    return [(action, status) for action, status, listed in life.pairs() if _answer(life, action, status) != listed]


def _answer(life: Table[Any, Any], action: Any, status: str) -> Any:
    try:
        return life.transition(action, status)
    except life.refusal:
        return None


def unreachable(life: Table[Any, Any]) -> set[str]:
    """The statuses that nothing leads to."""
    reached, found = {""}, True
    while found:
        found = {one.target for one in life.transitions if reached & set(one.starts_from)} - reached
        reached |= found
    return set(life.statuses) - reached
