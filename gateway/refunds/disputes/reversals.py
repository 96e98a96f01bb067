"""Completed chargebacks whose money comes back from the acquirer, and is taken once more: COMPLETED stays final."""

from datetime import datetime

from gateway.refunds import payloads
from gateway.refunds.models import Refund
from gateway.refunds.postings import given_back, taken_again
from gateway.refunds.shortfalls import collect, keep_hold
from ledger.books.services import post, post_for_block
from ledger.receivables import services as receivables
from webhooks.outbox import emit


def reverse(refund: Refund, now: datetime) -> None:
    """The acquirer gave the money back: the company gets it as other money, less what it still owed of it."""
    moves = given_back(refund)
    refund.from_available += refund.shortfall
    refund.reversed_at = now
    receivables.forget_takings(refund.id)
    _changed(refund, now)
    posted = post(refund.merchant, "refund.reversed", _number(refund), moves, now)
    assert posted, "each reversal has its number"


def take_again(refund: Refund, now: datetime) -> None:
    """The acquirer took it back once more: what the wallet lacks is owed."""
    refund.reversed_at = None
    refund.from_releasing = refund.from_available = 0
    moves = taken_again(refund, *collect(refund, now))
    _changed(refund, now)
    posted = post_for_block(refund.merchant, "refund.taken_again", _number(refund), moves, now)
    assert posted, "each reversal has its number"


def _changed(refund: Refund, now: datetime) -> None:
    refund.fills += 1
    refund.updated_at = now
    refund.save(update_fields=["reversed_at", "from_releasing", "from_available", "fills", "updated_at"])
    keep_hold(refund, now)
    emit(refund.merchant, "refund.updated", refund.id, payloads.refund(refund), now)


def _number(refund: Refund) -> str:
    return f"{refund.id}:{refund.fills}"
