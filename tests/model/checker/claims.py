"""What must hold of a payment in every state, and of every call."""

from collections.abc import Sequence

from gateway.methods.rail import PaymentAction
from tests.model.checker.machine import Asking
from tests.model.checker.outside import CHARGED, GONE, LIVE, NONE, OVER, TWICE, WRONG


def broken(status: str, orders: Sequence[str]) -> str | None:
    """The first claim that does not hold. `orders` is what each institution has of the payment."""
    live = sum(order in LIVE for order in orders)
    claims = (
        ("ordered twice at one provider", TWICE in orders),
        ("charged at the price of another card", WRONG in orders),
        ("two providers may charge", live > 1),
        ("offered elsewhere after the issuer's decline", GONE in orders and live),
        (f"{status} while a charge exists or may still be made", status in ("FAILED", "EXPIRED") and live),
        (f"{status} that was not charged", status in ("PAID", "REFUNDED") and CHARGED not in orders),
    )
    return next((claim for claim, holds in claims if holds), None)


def wrong_call(one: Asking, before: Sequence[str], after: Sequence[str]) -> str:
    """What was wrong with a call that has been made; "" if nothing."""
    if one.about == PaymentAction.PREPARE and not one.again and before[one.account] in OVER:
        return "offered again where it was voided"
    is_sent = before[one.account] == NONE != after[one.account]
    return "sent to a second provider while the first may charge" if is_sent and before[1 - one.account] in LIVE else ""
