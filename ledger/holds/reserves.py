"""The rolling reserve: a share of each payment's net is held for some days once it is available, then released.

The terms are those of the merchant at that moment. What is held keeps its end, whatever the terms become.
"""

from datetime import datetime, timedelta
from decimal import ROUND_FLOOR, Decimal

from accounts.base.ids import new_id
from accounts.base.rows import execute, insert_into, values
from accounts.models import Merchant
from ledger.books.services import Move, hold_wallet, post, wallet
from ledger.chart import AccountKind
from ledger.holds import shortfalls
from ledger.holds.models import Hold, Reason


def take(merchant: Merchant, currency: str, net: int, payment_id: str, at: datetime) -> None:
    """Holds the merchant's share of `net` minor units that have just become available.

    Less is held if a refund that waited for money has taken it first, and nothing while one still waits: the money is
    its. Costs nothing without a reserve. Call it after
    the posting that made the money available, in the same transaction.
    """
    if not merchant.reserve_percentage:
        return
    share = int((net * merchant.reserve_percentage / Decimal(100)).to_integral_value(ROUND_FLOOR))
    amount = min(share, hold_wallet(merchant, currency)[AccountKind.AVAILABLE])
    if amount <= 0 or shortfalls.has_shortfall(merchant, currency):
        return
    hold = Hold(
        id=new_id("blk"),
        merchant=merchant,
        reason=Reason.ROLLING_RESERVE,
        currency=currency,
        amount=amount,
        payment_id=payment_id,
        expected_release_at=at + timedelta(days=merchant.reserve_days),
        created_at=at,
    )
    execute(insert_into(Hold), values(hold))
    available, blocked = wallet(AccountKind.AVAILABLE, currency), wallet(AccountKind.BLOCKED, currency)
    posted = post(merchant, "reserve.held", hold.id, [Move(amount, debit=available, credit=blocked)], at)
    assert posted, "a reserve is held once"


def release(hold: Hold, at: datetime) -> None:
    """Makes a reserve available again; the caller has locked its hold."""
    hold.ended_at = at
    hold.save(update_fields=["ended_at"])
    available, blocked = wallet(AccountKind.AVAILABLE, hold.currency), wallet(AccountKind.BLOCKED, hold.currency)
    posted = post(hold.merchant, "reserve.released", hold.id, [Move(hold.amount, debit=blocked, credit=available)], at)
    assert posted, "a reserve is released once"


def release_all(merchant: Merchant, at: datetime) -> int:
    """Ends what is held of a merchant's reserve now: the next sweep releases it. Returns how many holds."""
    held = Hold.objects.filter(merchant=merchant, reason=Reason.ROLLING_RESERVE, ended_at=None)
    return held.filter(expected_release_at__gt=at).update(expected_release_at=at)
