"""Funding of refunds: holding the money, and covering shortfalls from incoming money."""

from datetime import datetime, timedelta

import structlog
from django.db.models import F, Q

from accounts.base import clock
from accounts.base.rows import table
from accounts.models import Merchant
from gateway.refunds.med import waits_for_money
from gateway.refunds.models import DISPUTED, OPEN, OWED, Refund, Status
from gateway.refunds.postings import blocked
from ledger.books.models import Account, Balance
from ledger.books.services import hold_wallet, post_for_block
from ledger.chart import AccountKind
from ledger.holds import services as holds
from ledger.holds import shortfalls
from ledger.holds.models import Reason
from ledger.receivables import services as receivables
from ledger.receivables.models import Receivable, State

log = structlog.get_logger()
SANDBOX_TAKES = timedelta(seconds=2)
_LACKING = Q(status__in=OWED, wallet_amount__gt=F("from_releasing") + F("from_available"))
LACKS_WHAT_IS_THERE = f"""
    w.wallet_amount > w.from_releasing + w.from_available
    AND (EXISTS (SELECT FROM {table(Account)} a JOIN {table(Balance)} b ON b.account_id = a.id
                  WHERE a.merchant_id = w.merchant_id AND a.currency = w.wallet_currency
                    AND a.kind = '{AccountKind.AVAILABLE}' AND b.amount > 0)
         OR EXISTS (SELECT FROM {table(Receivable)} v WHERE v.merchant_id = w.merchant_id
                     AND v.currency = w.wallet_currency AND v.state = '{State.SCHEDULED}'))
"""
"""SQL: the refund `w` lacks money that its wallet has, because it was locked when the money came in."""


def collect(refund: Refund, now: datetime) -> tuple[int, int]:
    """Takes money for a refund from its wallet: available money first, then the earliest releases.

    Returns the amounts taken from releasing and from available; the caller posts them.
    """
    held = hold_wallet(refund.merchant, refund.wallet_currency)
    available = min(refund.shortfall, held[AccountKind.AVAILABLE])
    refund.from_available += available
    releasing = 0
    if refund.shortfall and held[AccountKind.RELEASING]:
        releasing = receivables.withhold(refund.merchant, refund.wallet_currency, refund.id, refund.shortfall, now)
    refund.from_releasing += releasing
    return releasing, available


def keep_hold(refund: Refund, now: datetime) -> None:
    holds.keep(
        refund.merchant,
        _reason(refund),
        refund.wallet_currency,
        refund.blocked,
        missing=refund.owed,
        refund_id=refund.id,
        payment_id=refund.payment_id,
        expected_release_at=_expected_end(refund),
        at=now,
    )


def _reason(refund: Refund) -> Reason:
    if refund.is_med:
        return Reason.MED
    return Reason.REFUND_DISPUTE if refund.status in DISPUTED or refund.is_chargeback else Reason.REFUND_PROCESSING


def _expected_end(refund: Refund) -> datetime | None:
    """Unknown while under review, except for a MED claim: the end of its return window. A debt has no end."""
    if refund.is_med:
        return refund.return_due_at if refund.status in OPEN else None
    if refund.status == Status.AWAITING_RESPONSE:
        return refund.response_due_at
    return refund.ask_at if refund.status == Status.PROCESSING else None


def settle_for_held(refund: Refund, now: datetime) -> None:
    """Reduces a MED claim to what was held by the end of its return window: the rest is not owed."""
    assert refund.is_med and refund.currency == refund.wallet_currency
    refund.amount = refund.wallet_amount = refund.blocked
    refund.updated_at = now
    refund.save(update_fields=["amount", "wallet_amount", "updated_at"])
    keep_hold(refund, now)


def fill(merchant: Merchant, currency: str, at: datetime) -> int:
    """Holds incoming money for underfunded refunds, the oldest first; returns how many.

    A refund that another process changes is skipped: that process checks the wallet before it releases the lock, and
    the sweep does afterwards. Call it in the transaction that changes the wallet.
    """
    rows = Refund.objects.select_for_update(no_key=True, skip_locked=True, of=("self",))
    filled = 0
    for refund in rows.filter(_LACKING, merchant=merchant, wallet_currency=currency).order_by("id"):
        refund.merchant = merchant
        filled += fill_one(refund, at)
    return filled


def fill_one(refund: Refund, at: datetime) -> bool:
    """Holds missing money for a locked refund, as far as the wallet covers it; returns whether any was held."""
    now = max(at, refund.updated_at)  # a release that is late is done by its own sweep
    if not waits_for_money(refund, max(now, clock.now(refund.merchant))):  # also if its sweep is late
        return False
    releasing, available = collect(refund, now)
    if not releasing + available:
        return False
    refund.fills += 1
    refund.updated_at = now
    if refund.status == Status.PROCESSING and not refund.shortfall and not refund.is_chargeback:
        refund.ask_at = now + SANDBOX_TAKES
    refund.save(update_fields=["from_releasing", "from_available", "fills", "ask_at", "updated_at"])
    keep_hold(refund, now)
    moves = blocked(refund, releasing, available)
    kind = "refund.repaid" if refund.status == Status.COMPLETED else "refund.filled"
    post_for_block(refund.merchant, kind, f"{refund.id}:{refund.fills}", moves, now)
    return True


shortfalls.filled_by(fill)
