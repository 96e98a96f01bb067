"""Posting: the only way a balance changes."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import DatabaseError

from accounts.base import cells
from accounts.base.rows import Statement, execute, first, table
from accounts.base.tracing import span
from accounts.cells import cell_of, in_cell_of
from accounts.models import Merchant
from ledger.books.errors import InsufficientBalance
from ledger.books.models import Account, Balance
from ledger.chart import BUCKETS, WALLET_METHOD, AccountKind
from ledger.holds import shortfalls

Lines = list[list[Any]]
"""One line per account: kind, method, currency and signed amount."""


@dataclass(frozen=True, slots=True)
class Side:
    """One end of a movement: an account of the merchant's book."""

    kind: AccountKind
    method: str
    currency: str


@dataclass(frozen=True, slots=True)
class Move:
    """A positive amount in `minor` units from one account to another of the same currency; always balanced."""

    minor: int
    debit: Side
    credit: Side

    def __post_init__(self) -> None:
        assert self.minor > 0, "a movement has a positive amount"
        assert self.debit.currency == self.credit.currency, "a movement has one currency"
        assert self.debit != self.credit, "a movement has two ends"


def wallet(kind: AccountKind, currency: str) -> Side:
    """A bucket of the merchant's wallet for this currency."""
    return Side(kind, WALLET_METHOD[currency], currency)


def fx(kind: AccountKind, currency: str) -> Side:
    """FX_POSITION or FX_SPREAD in a currency or an asset."""
    return Side(kind, "", currency)


def hold_wallet(merchant: Merchant, currency: str) -> dict[str, int]:
    """The balances of a wallet's buckets in minor units, locked until the transaction ends.

    Available money is locked first, as in every posting. Read balances here to decide how much to post.
    """
    held = {str(kind): 0 for kind in BUCKETS}
    rows = Balance.objects.select_for_update(no_key=True, of=("self",)).filter(
        account__merchant=merchant, account__kind__in=BUCKETS, account__currency=currency
    )
    for kind, amount in rows.order_by("account__kind").values_list("account__kind", "amount"):
        held[kind] = amount
    return held


_POST = "SELECT ledger_post(%(book)s, %(kind)s, %(reference)s, %(lines)s::jsonb, %(at)s) AS posted"
# In this order: only rows read after the wallet is locked include a hold that was just placed.
_POST_AND_LOOK = f"""
    SELECT posted, ledger_uncovered(%(book)s, %(lines)s::jsonb) FROM ({_POST} OFFSET 0) posting
"""


def post(merchant: Merchant, kind: str, reference: str, moves: Sequence[Move], at: datetime) -> bool:
    """Posts the moves as one transfer; returns False if (kind, reference) was posted before, and moves nothing.

    Holds that lack money are served first from what comes in, and available money leaves only when they are covered.

    Accounts are created on first use and locked in one order. Call it last in the transaction: it locks the busiest
    rows. Raises ONP422_INSUFFICIENT_BALANCE if a bucket of a wallet would become negative.
    """
    with in_cell_of(merchant), span("ledger post", {"onpay.transfer": kind, "onpay.about": reference}):
        return _posted(merchant, kind, reference, moves, at)


def posting(merchant: Merchant, kind: str, reference: str, moves: Sequence[Move], at: datetime) -> Statement:
    """What `post` asks PostgreSQL, for who asks several things at once in the merchant's cell.

    Unless `is_all` says so of its row, the transaction has to be rolled back.
    """
    return _POST_AND_LOOK, _asked(merchant, kind, reference, _entries(moves), at)


def is_all(row: tuple[Any, ...] | None) -> bool:
    """Whether the moves were posted, and no hold lacks money that they could bring."""
    return row is not None and bool(row[0]) and not row[1]


def _posted(merchant: Merchant, kind: str, reference: str, moves: Sequence[Move], at: datetime) -> bool:
    entries = _entries(moves)
    if not shortfalls.affect_shortfalls(entries):
        return bool(_post(_POST, merchant, kind, reference, entries, at)[0])
    posted, uncovered = _post(_POST_AND_LOOK, merchant, kind, reference, entries, at)
    for currency in uncovered:
        shortfalls.fill(merchant, currency, at)
        if _leaves(entries, currency) and shortfalls.has_shortfall(merchant, currency):
            raise InsufficientBalance
    return bool(posted)


@dataclass(frozen=True, slots=True)
class Posting:
    """A transfer to be posted, once, in the book of a merchant."""

    merchant: Merchant
    kind: str
    reference: str
    moves: Sequence[Move]


# All accounts of all books at once, in their order: the transfers that follow wait for nobody.
_LOCK_ALL = f"""
    SELECT FROM {table(Balance)} b JOIN {table(Account)} a ON a.id = b.account_id
     WHERE (a.merchant_id, a.kind, a.method, a.currency) IN (
           SELECT (p->>'book')::bigint, l->>0, l->>1, l->>2
             FROM jsonb_array_elements(%(postings)s::jsonb) p, jsonb_array_elements(p->'lines') l)
     ORDER BY a.id FOR NO KEY UPDATE OF b
"""
_POST_ALL = """
    SELECT count(*) FILTER (WHERE posted) FROM (
        SELECT ledger_post((p->>'book')::bigint, p->>'kind', p->>'reference', p->'lines', %(at)s) AS posted
          FROM jsonb_array_elements(%(postings)s::jsonb) WITH ORDINALITY x(p, n) ORDER BY n OFFSET 0) postings
"""


def post_all(postings: Sequence[Posting], at: datetime) -> int:
    """Posts many transfers that move no wallet, in two statements a cell; returns how many were not posted before.

    Call it last in the transaction, like `post`.
    """
    sides = {side.kind for one in postings for move in one.moves for side in (move.debit, move.credit)}
    assert not sides.intersection(BUCKETS), "holds may lack the money of a wallet"
    told: dict[str, list[dict[str, Any]]] = {}
    for one in postings:
        said = {"book": one.merchant.pk, "kind": one.kind, "reference": one.reference, "lines": _entries(one.moves)}
        told.setdefault(cell_of(one.merchant), []).append(said)
    return sum(_post_all(cell, told[cell], at) for cell in sorted(told))


def _post_all(cell: str, told: list[dict[str, Any]], at: datetime) -> int:
    asked = {"postings": json.dumps(told), "at": at}
    with cells.opened(cell):
        execute(_LOCK_ALL, asked)
        posted = first(_POST_ALL, asked)
    assert posted is not None
    return int(posted[0])


def post_for_block(merchant: Merchant, kind: str, reference: str, moves: Sequence[Move], at: datetime) -> bool:
    """Posts like `post`, for a hold that itself lacks money."""
    return bool(_post(_POST, merchant, kind, reference, _entries(moves), at)[0])


def _post(sql: str, merchant: Merchant, kind: str, reference: str, entries: Lines, at: datetime) -> tuple[Any, ...]:
    try:
        row = first(sql, _asked(merchant, kind, reference, entries, at))
    except DatabaseError as error:  # Citus forgets the kind of an error on a node
        if "balance_floor" in str(error):
            raise InsufficientBalance from error
        raise
    assert row is not None
    return row


def _asked(merchant: Merchant, kind: str, reference: str, entries: Lines, at: datetime) -> dict[str, Any]:
    return {"book": merchant.pk, "kind": kind, "reference": reference, "lines": json.dumps(entries), "at": at}


def _leaves(entries: Lines, currency: str) -> bool:
    """Whether these entries take available money of a currency."""
    return any(kind == AccountKind.AVAILABLE and code == currency and minor < 0 for kind, _, code, minor in entries)


def _entries(moves: Sequence[Move]) -> Lines:
    """One signed amount per account of the moves."""
    totals: dict[tuple[str, str, str], int] = {}
    for move in moves:
        for side, signed in ((move.debit, -move.minor), (move.credit, move.minor)):
            key = (str(side.kind), side.method, side.currency)
            totals[key] = totals.get(key, 0) + signed
    return [[*key, amount] for key, amount in totals.items() if amount]
