"""Posting: the only way a balance changes."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import IntegrityError

from accounts.base.rows import first
from accounts.models import Merchant
from ledger.books.errors import InsufficientBalance
from ledger.books.models import Balance
from ledger.chart import BUCKETS, WALLET_METHOD, AccountKind
from ledger.holds import shortfalls

Lines = list[list[Any]]
"""One line for each account that is touched: kind, method, currency and signed amount."""


@dataclass(frozen=True, slots=True)
class Side:
    """One end of a movement: an account of the merchant's book."""

    kind: AccountKind
    method: str
    currency: str


@dataclass(frozen=True, slots=True)
class Move:
    """`minor` units, more than zero, from one account to another of the same currency. It cannot be unbalanced."""

    minor: int
    debit: Side
    credit: Side

    def __post_init__(self) -> None:
        assert self.minor > 0, "a movement has a positive amount"
        assert self.debit.currency == self.credit.currency, "a movement has one currency"
        assert self.debit != self.credit, "a movement has two ends"


def wallet(kind: AccountKind, currency: str) -> Side:
    """A bucket of the wallet in which the merchant keeps this currency."""
    return Side(kind, WALLET_METHOD[currency], currency)


def fx(kind: AccountKind, currency: str) -> Side:
    """FX_POSITION or FX_SPREAD in a currency or an asset."""
    return Side(kind, "", currency)


def hold_wallet(merchant: Merchant, currency: str) -> dict[str, int]:
    """What the buckets of a wallet hold, in minor units, held until the transaction ends.

    In the order of the accounts, like every posting: who reads a balance to decide how much to post reads it here.
    """
    held = {str(kind): 0 for kind in BUCKETS}
    rows = Balance.objects.select_for_update(no_key=True, of=("self",)).filter(
        account__merchant=merchant, account__kind__in=BUCKETS, account__currency=currency
    )
    for kind, amount in rows.order_by("account_id").values_list("account__kind", "amount"):
        held[kind] = amount
    return held


_POST = "SELECT ledger_post(%(book)s, %(kind)s, %(reference)s, %(lines)s::jsonb, %(at)s) AS posted"
# In this order: only what is read after the wallet is held knows of a block that was made a moment ago.
_POST_AND_LOOK = f"""
    SELECT posted, ledger_uncovered(%(book)s, %(lines)s::jsonb) FROM ({_POST} OFFSET 0) posting
"""


def post(merchant: Merchant, kind: str, reference: str, moves: Sequence[Move], at: datetime) -> bool:
    """Posts the movements as one transfer; False when (kind, reference) was posted before, and nothing moves again.

    Blocks that lack money come first: they get what comes in, and available money leaves only when they have theirs.

    Accounts come into being on first use and are locked in one order. Call it last in the transaction: it holds the
    busiest rows. Refuses with ONP422_INSUFFICIENT_BALANCE where a bucket of a wallet would fall below zero.
    """
    entries = _entries(moves)
    if not shortfalls.matter_to(entries):
        return bool(_post(_POST, merchant, kind, reference, entries, at)[0])
    posted, uncovered = _post(_POST_AND_LOOK, merchant, kind, reference, entries, at)
    for currency in uncovered:
        shortfalls.fill(merchant, currency, at)
        if _leaves(entries, currency) and shortfalls.remain(merchant, currency):
            raise InsufficientBalance
    return bool(posted)


def post_for_block(merchant: Merchant, kind: str, reference: str, moves: Sequence[Move], at: datetime) -> bool:
    """Posts like `post` what a block takes that lacks money itself."""
    return bool(_post(_POST, merchant, kind, reference, _entries(moves), at)[0])


def _post(sql: str, merchant: Merchant, kind: str, reference: str, entries: Lines, at: datetime) -> tuple[Any, ...]:
    asked = {"book": merchant.pk, "kind": kind, "reference": reference, "lines": json.dumps(entries), "at": at}
    try:
        row = first(sql, asked)
    except IntegrityError as error:
        if "balance_floor" in str(error):
            raise InsufficientBalance from error
        raise
    assert row is not None
    return row


def _leaves(entries: Lines, currency: str) -> bool:
    """Whether available money of a currency leaves with these entries."""
    return any(kind == AccountKind.AVAILABLE and code == currency and minor < 0 for kind, _, code, minor in entries)


def _entries(moves: Sequence[Move]) -> Lines:
    """One signed amount for each account that the movements touch."""
    totals: dict[tuple[str, str, str], int] = {}
    for move in moves:
        for side, signed in ((move.debit, -move.minor), (move.credit, move.minor)):
            key = (str(side.kind), side.method, side.currency)
            totals[key] = totals.get(key, 0) + signed
    return [[*key, amount] for key, amount in totals.items() if amount]
