"""Years of postings, some of them late: what is told of a time is right although not everything is read."""

import os
import random
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection, transaction

from accounts.base import clock
from ledger.books.models import Entry
from ledger.chart import BUCKETS, AccountKind
from ledger.wallets.explain import Cause, behind, explain
from ledger.wallets.reach import first_sequence
from ledger.wallets.statement import balance_after, lines, of_cause, statement, summary
from tests.support.companies import Shop
from tests.support.effort import tries

SEED = int(os.environ.get("SEED") or random.SystemRandom().randrange(2**32))
POSTINGS, TIMES = tries(200, 400), tries(4, 60)
STEP = timedelta(hours=7)
BACK = timedelta(days=POSTINGS * 7 / 24)
ACCOUNTS = {"AVAILABLE": "PIX", "RELEASING": "PIX", "BLOCKED": "PIX", "FEE_INCOME": "", "CLEARING": "PIX"}
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


@pytest.fixture
def years(acme: Shop) -> Iterator[list[tuple[datetime, str, dict[str, int]]]]:
    """Postings of a hundred days in the order in which they were written, as (instant, kind, amounts).

    They belong to nothing, and are undone before the books are proved.
    """
    print(f"SEED={SEED}")
    chance = random.Random(SEED)
    began, told = clock.utcnow() - BACK, []
    with transaction.atomic(), connection.cursor() as cursor:
        for kind, method in ACCOUNTS.items():
            cursor.execute(
                "INSERT INTO ledger_account (merchant_id, kind, method, currency) VALUES (%s, %s, %s, 'BRL')",
                [acme.sandbox.pk, kind, method],
            )
        for number in range(POSTINGS):
            written = began + number * STEP
            late = chance.choice((timedelta(0), timedelta(0), timedelta(seconds=40), timedelta(days=3)))
            kind, amounts = _posting(chance)
            _post(cursor, acme, kind, f"it_{number}", amounts, written - late, written)
            told.append((written - late, kind, amounts))
        yield told
        transaction.set_rollback(True)


def _posting(chance: random.Random) -> tuple[str, dict[str, int]]:
    minor = chance.randint(100, 9_000)
    return chance.choice(
        (
            ("payment.paid", {"CLEARING": -minor - 7, "AVAILABLE": minor, "FEE_INCOME": 7}),
            ("payment.paid", {"CLEARING": -minor - 9, "RELEASING": minor, "FEE_INCOME": 9}),
            ("hold.placed", {"CLEARING": -minor, "BLOCKED": minor}),
            ("put.right", {"CLEARING": -minor, "AVAILABLE": minor}),
        )
    )


def _post(cursor: Any, shop: Shop, kind: str, name: str, amounts: dict[str, int], at: datetime, when: datetime) -> None:
    entries = "[" + ", ".join(f'["{account}", {minor}]' for account, minor in amounts.items()) + "]"
    values = {"merchant": shop.sandbox.pk, "kind": kind, "reference": name, "count": len(amounts), "lines": entries}
    cursor.execute(_POST, values | {"at": at, "written": when})


def _times(chance: random.Random) -> list[tuple[datetime, datetime]]:
    now = clock.utcnow()
    found = [sorted(now - BACK * chance.random() for _ in range(2)) for _ in range(TIMES)]
    return [(since, until) for since, until in found]


def test_what_is_told_of_any_time_is_what_was_posted_in_it(acme: Shop, years: list[Any]) -> None:
    for since, at in _times(random.Random(SEED)):
        for kinds in [*((kind,) for kind in BUCKETS), BUCKETS]:
            found = explain(acme.sandbox, "BRL", kinds, at, since)

            moved = [(when, sum(amounts.get(kind, 0) for kind in kinds)) for when, _, amounts in years]
            assert found.opening == sum(minor for when, minor in moved if when <= since)
            assert found.ending == sum(minor for when, minor in moved if when <= at)
            for cause, share in found.causes.items():
                parts = behind(acme.sandbox, "BRL", kinds, cause, at, since, size=POSTINGS)
                assert (len(parts), sum(part.amount for part in parts)) == (share.count, share.amount)


def test_a_late_beginning_skips_what_was_written_long_before_it(acme: Shop, years: list[Any]) -> None:
    count = Entry.objects.filter(account__kind="AVAILABLE", merchant=acme.sandbox).count()

    assert first_sequence(acme.sandbox, "BRL", AccountKind.AVAILABLE, clock.utcnow() - timedelta(days=400)) == 1
    assert first_sequence(acme.sandbox, "BRL", AccountKind.AVAILABLE, clock.utcnow() - timedelta(days=20)) > count // 2
    assert first_sequence(acme.sandbox, "BRL", AccountKind.AVAILABLE, clock.utcnow() + timedelta(days=1)) == count + 1
    assert first_sequence(acme.sandbox, "EUR", AccountKind.AVAILABLE, clock.utcnow()) == 1


def test_what_is_behind_a_cause_is_read_page_by_page(acme: Shop, years: list[Any]) -> None:
    at = clock.utcnow()
    whole = behind(acme.sandbox, "BRL", BUCKETS, Cause.FEES, at, size=POSTINGS)
    first = behind(acme.sandbox, "BRL", BUCKETS, Cause.FEES, at, size=10)
    then = behind(acme.sandbox, "BRL", BUCKETS, Cause.FEES, at, after=first[-1].number, size=10)

    assert [*first, *then] == whole[:20]
    assert {part.amount for part in whole} == {-7, -9}
    assert {part.kind for part in behind(acme.sandbox, "BRL", BUCKETS, Cause.ADJUSTMENTS, at)} == {"put.right"}


@pytest.mark.parametrize("bucket", BUCKETS)
def test_the_lines_of_a_time_run_from_its_ending_to_its_opening(
    acme: Shop, years: list[Any], bucket: AccountKind
) -> None:
    for since, until in _times(random.Random(SEED)):
        told = summary(acme.sandbox, "BRL", bucket, since, until)
        rows = statement(acme.sandbox, "BRL", bucket, since, until)
        found, entries = [], list(rows)
        for start in range(0, len(entries), 7):
            page = entries[start : start + 7]
            found += lines(page, bucket, balance_after(rows, told.ending, page[0]))

        balance = told.ending
        for line in found:
            assert line.balance == balance
            balance -= line.amount
        assert balance == told.opening
        for cause, share in told.causes.items():
            assert sum(line.amount for line in found if line.cause == cause) == share.amount
            of_it = lines(list(of_cause(rows, cause)), bucket, 0)
            assert sum(line.amount for line in of_it if line.cause == cause) == share.amount
