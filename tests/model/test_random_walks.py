"""Random operations on the books, each compared with a model that a child could check. The seed is printed."""

import os
import random
from collections import Counter
from collections.abc import Iterator

import pytest
from django.db import connection, transaction

from accounts.base.clock import utcnow
from ledger.books.errors import InsufficientBalance
from ledger.books.models import Balance
from ledger.books.services import Move, Side, post, wallet
from ledger.chart import BUCKETS, AccountKind
from ledger.verify import verify
from tests.support.companies import Shop
from tests.support.tally import survived

OPS = int(os.environ.get("OPS") or 2_000)
SEED = int(os.environ.get("SEED") or random.SystemRandom().randrange(2**32))
COMPARE_EVERY = 500

CLEARING = Side(AccountKind.CLEARING, "PIX", "BRL")
FEES = Side(AccountKind.FEE_INCOME, "", "BRL")
PAYOUT = Side(AccountKind.PAYOUT, "PIX", "BRL")
AVAILABLE, RELEASING, BLOCKED = (wallet(kind, "BRL") for kind in BUCKETS)
ROUTES = [
    (CLEARING, AVAILABLE), (CLEARING, RELEASING), (RELEASING, AVAILABLE), (AVAILABLE, BLOCKED), (BLOCKED, PAYOUT),
    (BLOCKED, AVAILABLE), (AVAILABLE, CLEARING), (CLEARING, FEES),
]  # fmt: skip


def stored(shop: Shop) -> dict[tuple[str, str, str], int]:
    rows = Balance.objects.filter(account__merchant=shop.sandbox)
    return {
        (kind, method, currency): amount
        for kind, method, currency, amount in rows.values_list(
            "account__kind", "account__method", "account__currency", "amount"
        )
    }


@pytest.mark.django_db(transaction=True)
def test_the_books_do_what_the_model_says(acme_committed: Shop) -> None:
    print(f"SEED={SEED} OPS={OPS}")
    chance = random.Random(SEED)
    model: Counter[tuple[str, str, str]] = Counter()
    posted: list[tuple[str, list[Move]]] = []
    for number in range(OPS):
        if posted and chance.random() < 0.05:  # somebody repeats themselves
            reference, moves = chance.choice(posted)
            assert post(acme_committed.sandbox, "walk", reference, moves, utcnow()) is False
            continue
        debit, credit = chance.choice(ROUTES)
        moves = [Move(chance.choice((1, chance.randint(1, 99), chance.randint(1, 10**9))), debit, credit)]
        after = Counter(model)
        after[key(debit)] -= moves[0].minor
        after[key(credit)] += moves[0].minor
        possible = all(after[key(side)] >= 0 for side in (AVAILABLE, RELEASING, BLOCKED))
        try:
            with transaction.atomic():
                post(acme_committed.sandbox, "walk", str(number), moves, utcnow())
            assert possible, f"op {number}: {moves} went through"
            model = after
            posted = [*posted[-200:], (str(number), moves)]
        except InsufficientBalance:
            assert not possible, f"op {number}: {moves} was refused"
        if number % COMPARE_EVERY == 0:
            assert stored(acme_committed) == {k: v for k, v in model.items() if k in stored(acme_committed)}
    right, found = [{k: v for k, v in one.items() if v} for one in (model, stored(acme_committed))]
    survived("operations on the books, as a model does them", OPS, lost=[k for k in right if right[k] != found.get(k)])
    assert found == right
    # The walk knows no receivables, blocks and withdrawals, of which these must be the sum at the end.
    for side in (RELEASING, BLOCKED, PAYOUT):
        if model[key(side)]:
            post(acme_committed.sandbox, "walk.end", side.kind, [Move(model[key(side)], side, AVAILABLE)], utcnow())
    connection.close()


def key(side: Side) -> tuple[str, str, str]:
    return (str(side.kind), side.method, side.currency)


@pytest.fixture(autouse=True)
def the_books_are_right(transactional_db: None) -> Iterator[None]:
    """As production proves them: the plans of the proof after other tests are for a few rows, and here are many."""
    yield
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    assert verify() == []


@pytest.fixture
def acme_committed(transactional_db: None) -> Shop:
    from tests.support.companies import a_shop

    return a_shop("Acme")
