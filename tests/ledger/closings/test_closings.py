"""Days that are over are summed up once, and what is told of any time is the same with their sums as without."""

import os
import random
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Any

import pytest
from django.db import connection, transaction

from accounts.base import clock
from ledger.chart import BUCKETS, AccountKind
from ledger.closings import tasks
from ledger.closings.models import ClosedDay, Closing
from ledger.closings.services import close_days
from ledger.verify import all_invariants
from ledger.wallets.explain import Cause, Explanation, Part, behind, explain
from tests.support.companies import Shop
from tests.support.effort import tries
from tests.support.payments import a_payment

SEED = int(os.environ.get("SEED") or random.SystemRandom().randrange(2**32))
POSTINGS, TIMES = 300, tries(3, 30)
STEP = timedelta(hours=5)
BACK = POSTINGS * STEP
ASKED: list[tuple[AccountKind, ...]] = [*((kind,) for kind in BUCKETS), BUCKETS]
ACCOUNTS = {
    "AVAILABLE": "PIX", "RELEASING": "PIX", "BLOCKED": "PIX", "FEE_INCOME": "", "ADVANCE_INCOME": "", "CLEARING": "PIX",
}  # fmt: skip
_POST = """
    WITH posted AS (
        INSERT INTO ledger_transfer (merchant_id, kind, reference, entry_count, posted_at, created_at)
        VALUES (%(merchant)s, %(kind)s, %(reference)s, %(count)s, %(at)s, %(written)s) RETURNING id
    )
    INSERT INTO ledger_entry (transfer_id, line, merchant_id, account_id, currency, amount, balance_after, sequence)
    SELECT posted.id, row_number() OVER (), %(merchant)s, a.id, 'BRL', (l->>1)::bigint, 0, 0
      FROM posted, jsonb_array_elements(%(lines)s::jsonb) l
      JOIN ledger_account a ON a.merchant_id = %(merchant)s AND a.currency = 'BRL' AND a.kind = l->>0
"""


def _posting(chance: random.Random) -> tuple[str, dict[str, int]]:
    minor = chance.randint(10_000, 90_000)
    return chance.choice(
        (
            ("payment.paid", {"CLEARING": -minor - 7, "AVAILABLE": minor, "FEE_INCOME": 7}),
            ("payment.paid", {"CLEARING": -minor - 9, "RELEASING": minor, "FEE_INCOME": 9}),
            ("payment.paid", {"CLEARING": -minor, "AVAILABLE": minor}),
            ("receivable.released", {"RELEASING": -100, "AVAILABLE": 100}),
            ("receivable.advanced", {"RELEASING": -100, "AVAILABLE": 90, "ADVANCE_INCOME": 10}),
            ("hold.placed", {"CLEARING": -minor, "BLOCKED": minor}),
            ("withdrawal.completed", {"BLOCKED": -500, "CLEARING": 480, "FEE_INCOME": 20}),
            ("put.right", {"CLEARING": -minor, "AVAILABLE": minor}),
        )
    )


@pytest.fixture
def years(acme: Shop, globex: Shop) -> Iterator[Any]:
    """Two months of postings of both companies, some late and some ahead of their day; undone before the proof."""
    print(f"SEED={SEED}")
    chance, began = random.Random(SEED), clock.utcnow() - BACK
    late = (timedelta(0), timedelta(0), timedelta(seconds=40), timedelta(days=3), timedelta(days=-2))
    with transaction.atomic(), connection.cursor() as cursor:
        for shop in (acme, globex):
            for kind, method in ACCOUNTS.items():
                cursor.execute(
                    "INSERT INTO ledger_account (merchant_id, kind, method, currency) VALUES (%s, %s, %s, 'BRL')",
                    [shop.sandbox.pk, kind, method],
                )
            first = {"CLEARING": -2_000_000, "AVAILABLE": 1_000_000, "RELEASING": 500_000, "BLOCKED": 500_000}
            _post(cursor, shop, "put.right", "first", first, began, began)
        for number in range(POSTINGS):
            written = began + number * STEP
            shop = chance.choice((acme, acme, globex))
            _post(cursor, shop, *_named(number, chance), written - chance.choice(late), written)
        yield
        assert _violations(cursor) == []
        transaction.set_rollback(True)


def _named(number: int, chance: random.Random) -> tuple[str, str, dict[str, int]]:
    kind, amounts = _posting(chance)
    return kind, f"it_{number}", amounts


def _post(cursor: Any, shop: Shop, kind: str, name: str, amounts: dict[str, int], at: datetime, when: datetime) -> None:
    lines = "[" + ", ".join(f'["{account}", {minor}]' for account, minor in amounts.items()) + "]"
    values = {"merchant": shop.sandbox.pk, "kind": kind, "reference": name, "count": len(amounts), "lines": lines}
    cursor.execute(_POST, values | {"at": at, "written": when})


def _violations(cursor: Any) -> list[Any]:
    [known] = [one for one in all_invariants() if one.number == "I23"]
    findings = []
    for query in known.queries:
        cursor.execute(query.on())
        findings += cursor.fetchall()
    return findings


def _told(shop: Shop, times: list[tuple[datetime | None, datetime]]) -> list[tuple[Explanation, list[Part]]]:
    """Every explanation of these times, with all that is behind it, three postings at a time."""
    found = []
    for since, at in times:
        for kinds in ASKED:
            told = explain(shop.sandbox, "BRL", kinds, at, since)
            parts: list[Part] = []
            for cause, share in told.causes.items():
                of_it: list[Part] = []
                while page := behind(
                    shop.sandbox, "BRL", kinds, cause, at, since, after=of_it[-1].number if of_it else None, size=7
                ):
                    of_it += page
                assert (len(of_it), sum(part.amount for part in of_it)) == (share.count, share.amount)
                parts += of_it
            found.append((told, parts))
    return found


def test_what_is_told_is_the_same_with_sums_as_without(acme: Shop, globex: Shop, years: Any) -> None:
    chance, now = random.Random(SEED), clock.utcnow()
    times: list[tuple[datetime | None, datetime]] = [(None, now + timedelta(days=9))]
    for _ in range(TIMES):
        since, at = sorted(now - BACK * chance.random() for _ in "ab")
        times.append((chance.choice((None, since)), at))
    shops = (acme, globex)
    without = [_told(shop, times) for shop in shops]

    closed = [close_days(chance.randint(5, 30)), close_days()]

    assert (min(closed) > 0, sum(closed)) == (True, (now - timedelta(hours=1)).toordinal() - (now - BACK).toordinal())
    assert [_told(shop, times) for shop in shops] == without
    assert {cause for told, _ in without[0] for cause in told.causes} == {
        Cause.PAYMENTS, Cause.FEES, Cause.RELEASES, Cause.ADVANCES, Cause.ADVANCE_FEES, Cause.WITHDRAWALS, Cause.BLOCKS,
        Cause.ADJUSTMENTS,
    }  # fmt: skip


def test_a_day_is_closed_once_and_never_before_it_is_over(acme: Shop, years: Any) -> None:
    assert close_days() > 0
    sums, days = Closing.objects.count(), ClosedDay.objects.count()

    assert (close_days(), Closing.objects.count(), ClosedDay.objects.count()) == (0, sums, days)
    assert ClosedDay.objects.latest("day").day < clock.utcnow().date()
    first: date = ClosedDay.objects.earliest("day").day
    assert days == (ClosedDay.objects.latest("day").day - first).days + 1


def test_the_timetable_closes_days(acme: Shop, years: Any) -> None:
    tasks.close_days()
    assert ClosedDay.objects.exists()


def test_a_sum_that_is_wrong_is_found(acme: Shop, years: Any) -> None:
    tasks.close_days()
    wrong = Closing.objects.filter(merchant=acme.sandbox, fee__gt=0)[0]
    with connection.cursor() as cursor:
        Closing.objects.filter(pk=wrong.pk).update(amount=wrong.amount + 1)
        assert [row[:3] for row in _violations(cursor)] == [(wrong.day, acme.sandbox.pk, wrong.kind)]
        Closing.objects.filter(pk=wrong.pk).update(amount=wrong.amount)


def test_nothing_is_closed_where_nothing_was_posted(acme: Shop) -> None:
    assert close_days() == 0
    a_payment(acme.sandbox, "PAID")
    assert close_days() == 0
