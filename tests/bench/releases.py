"""Receivables released a second: as the timetable does it, one at a time, and by one statement without triggers."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from django.db import connection, transaction

from accounts.models import Merchant
from ledger.receivables import due as receivables_due
from ledger.receivables.due import RELEASE
from ledger.receivables.models import Receivable
from tests.bench import stage
from tests.bench.scale import scaled

MERCHANTS = 50
DUE = scaled(100_000, 2_000)
ONE_AT_A_TIME = scaled(2_000, 100)
BARE = scaled(20_000, 1_000)
ROUNDS = scaled(3, 1)
HEADINGS = ("receivables", "rounds", "s", "released/s", "of the bare", "±")

_FILL = """
    INSERT INTO ledger_receivable (id, merchant_id, payment_id, payment_reference, method, currency, gross_amount, fee,
           refunded_amount, amount, state, release_at, advance_monthly_rate, advance_minimum, created_at, updated_at)
    SELECT 'rcv_' || lpad(n::text, 26, '0'), (%(merchants)s::bigint[])[1 + n %% %(count)s::bigint],
           'pay_' || lpad(n::text, 26, '0'), 'bench-' || n, 'CREDIT_CARD', 'BRL', 20000, 798, 0, 19202, 'SCHEDULED',
           now() - interval '1 hour' + n * interval '1 microsecond', 2.5, 0, now() - interval '30 days', now()
      FROM generate_series(%(first)s::bigint, %(last)s::bigint) n
"""
_CONFIRM = """
    SELECT ledger_post(merchant_id, 'bench.paid', 'bench-' || %(first)s::bigint, jsonb_build_array(
           jsonb_build_array('RELEASING', 'PIX', 'BRL', sum(amount)),
           jsonb_build_array('CLEARING', 'CREDIT_CARD', 'BRL', -sum(amount))), now())
      FROM ledger_receivable WHERE state = 'SCHEDULED' GROUP BY merchant_id ORDER BY merchant_id
"""
_OPEN = """
    INSERT INTO ledger_account (merchant_id, kind, method, currency)
    SELECT unnest(%s::bigint[]), 'AVAILABLE', 'PIX', 'BRL' ON CONFLICT DO NOTHING
"""
_BARE = """
    WITH released AS (
        UPDATE ledger_receivable SET state = 'RELEASED', updated_at = release_at WHERE state = 'SCHEDULED'
        RETURNING id, merchant_id, amount, release_at
    ), transfer AS (
        INSERT INTO ledger_transfer (merchant_id, kind, reference, entry_count, posted_at, created_at)
        SELECT merchant_id, 'receivable.released', id, 2, release_at, now() FROM released
        RETURNING id, merchant_id, reference
    ), line AS (
        SELECT t.id AS transfer_id, s.line, t.merchant_id, a.id AS account_id, r.amount * s.sign AS amount
          FROM transfer t JOIN released r ON r.id = t.reference
         CROSS JOIN (VALUES (1, 'RELEASING', -1), (2, 'AVAILABLE', 1)) s(line, kind, sign)
          JOIN ledger_account a ON a.merchant_id = t.merchant_id AND a.kind = s.kind AND a.method = 'PIX'
           AND a.currency = 'BRL'
    ), entry AS (
        INSERT INTO ledger_entry (transfer_id, line, merchant_id, account_id, currency, amount, balance_after, sequence)
        SELECT l.transfer_id, l.line, l.merchant_id, l.account_id, 'BRL', l.amount,
               b.amount + sum(l.amount) OVER running, b.version + row_number() OVER running
          FROM line l JOIN ledger_balance b ON b.account_id = l.account_id
        WINDOW running AS (PARTITION BY l.account_id ORDER BY l.transfer_id)
        RETURNING account_id, amount
    )
    UPDATE ledger_balance b SET amount = b.amount + e.amount, version = b.version + e.entries, updated_at = now()
      FROM (SELECT account_id, sum(amount) AS amount, count(*) AS entries FROM entry GROUP BY account_id) e
     WHERE b.account_id = e.account_id
"""


@dataclass
class Way:
    """One way of releasing what is due, and how long it took each time."""

    title: str
    count: int
    rounds: int
    release: Callable[[], object]
    seconds: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        return self.count / statistics.median(self.seconds)

    def line(self, bare: float) -> list[str]:
        spread = (max(self.seconds) - min(self.seconds)) / 2 / statistics.median(self.seconds)
        return [
            f"{self.count:,}",
            str(self.rounds),
            f"{statistics.median(self.seconds):.2f}",
            f"{self.rate:,.0f}",
            f"{self.rate / bare:.3f}",
            f"{spread:.0%}" if self.rounds > 1 else "-",
        ]


class Stock:
    """Receivables that are due, of payments that are none, with the balances that belong to them."""

    def __init__(self, merchants: list[Merchant]) -> None:
        self.merchants = [merchant.pk for merchant in merchants]
        self.next_number = 1
        _execute(_OPEN, [self.merchants])

    def fill(self, count: int) -> None:
        first, self.next_number = self.next_number, self.next_number + count
        numbers = {"first": first, "last": self.next_number - 1}
        with transaction.atomic():
            _execute(_FILL, numbers | {"merchants": self.merchants, "count": len(self.merchants)})
            _execute(_CONFIRM, numbers)
        stage.settle()


def measure(merchants: list[Merchant]) -> list[Way]:
    """Fills and releases in turn; afterwards nothing is left, and the books are proved elsewhere."""
    ways = [
        Way("bare SQL, no triggers", BARE, ROUNDS, _bare),
        Way("release(), one at a time", ONE_AT_A_TIME, ROUNDS, _one_at_a_time),
        Way("release_due()", DUE, 1, receivables_due.run_due),
    ]
    stock = Stock(merchants)
    for number in range(ROUNDS):
        for way in ways:
            if number < way.rounds:
                stock.fill(way.count)
                begun = time.perf_counter()
                way.release()
                way.seconds.append(time.perf_counter() - begun)
                assert not Receivable.objects.filter(state="SCHEDULED").exists()
    return ways


def table(ways: list[Way]) -> str:
    bare = ways[0].rate
    rows = [("", *HEADINGS), *((way.title, *way.line(bare)) for way in ways)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    title = f"release of what is due, {MERCHANTS} merchants, {receivables_due.BATCH} in a transaction"
    lines = (
        f"  {row[0]:<{widths[0]}}  " + "  ".join(f"{t:>{w}}" for t, w in zip(row[1:], widths[1:], strict=True))
        for row in rows
    )
    return "\n".join([title, *lines, ""])


def _bare() -> None:
    """Everything that the database checks is off: what is left is the writing of the rows."""
    with transaction.atomic():
        _execute("SET LOCAL session_replication_role = replica")
        _execute(_BARE)


def _one_at_a_time() -> None:
    for receivable in Receivable.objects.filter(state="SCHEDULED").select_related("merchant__company").order_by("id"):
        RELEASE.run_at_clock(receivable.merchant, receivable.id)


def _execute(sql: str, values: Any = None) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
