"""Whatever happened to a company's money, in whatever order: the explanation of its balance adds up to the cent."""

import os
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection, transaction

from accounts.base import clock
from accounts.models import User
from gateway.customers.payer import Payer
from gateway.payments import services as payments
from gateway.simulations import services as simulations
from ledger.books.models import Entry
from ledger.chart import BUCKETS, AccountKind
from ledger.holds import services as holds
from ledger.holds.models import Reason
from ledger.receivables import advances
from ledger.receivables.errors import AdvanceTooSmall
from ledger.receivables.models import Advance, Receivable, State
from ledger.wallets import selectors as wallets
from ledger.wallets.explain import Cause, behind, cause_of, explain
from ledger.wallets.statement import statement
from tests.support.companies import Shop, a_shop
from tests.support.effort import tries
from tests.support.ledger import MANY
from tests.support.payments import a_payment, a_reference

SEED = int(os.environ.get("SEED") or random.SystemRandom().randrange(2**32))
HISTORIES, STEPS, INSTANTS = tries(3, 25), 20, 10
ASKED: list[tuple[AccountKind, ...]] = [*((kind,) for kind in BUCKETS), BUCKETS]
PARTS = (Cause.FEES, Cause.ADVANCE_FEES)
Entries = list[tuple[str, int, datetime]]


def a_card(shop: Shop, amount: str, method: str = "CREDIT_CARD", currency: str = "BRL") -> None:
    payer = Payer(name="Maria Silva", tax_id="52998224725", tax_id_type="CPF")
    token = "pmt_sandbox_approved"
    request = payments.Request(method, Decimal(amount), currency, a_reference(), payer, payment_method_token=token)
    assert payments.create(shop.sandbox, request).status == "PAID"


class Walk:
    """A company that does what chance says, by itself and by staff, while its time goes on."""

    def __init__(self, shop: Shop, staff: User, chance: random.Random) -> None:
        self.shop, self.staff, self.chance = shop, staff, chance
        self.seen: list[tuple[datetime, wallets.Holding]] = []
        self.held: list[str] = []
        self.asked: list[str] = []

    def step(self, action: Callable[[], None] | None = None) -> None:
        """This action, or one by chance, and then some time."""
        actions: list[Callable[[], None]] = [
            self.pix, self.card, self.card, self.dollars, self.wait, self.hold, self.lift, self.ask, self.decide,
        ]  # fmt: skip
        with transaction.atomic():
            (action or self.chance.choice(actions))()
        self.seen.append((clock.now(self.shop.sandbox), self.holding()))
        with transaction.atomic():
            simulations.advance(self.shop.sandbox, by=timedelta(seconds=self.chance.randint(1, 40_000)))

    def holding(self) -> wallets.Holding:
        return wallets.holdings(self.shop.sandbox, "BRL").currencies.get("BRL", wallets.Holding())

    def amount(self) -> str:
        """Never a whole one: some of those are magic."""
        return f"{self.chance.randint(1, 5000)}.{self.chance.randint(1, 99):02}"

    def pix(self) -> None:
        a_payment(self.shop.sandbox, "PAID", self.amount())

    def card(self) -> None:
        a_card(self.shop, self.amount(), self.chance.choice(("CREDIT_CARD", "DEBIT_CARD")))

    def dollars(self) -> None:
        a_card(self.shop, self.amount(), currency="USD")

    def wait(self) -> None:
        simulations.advance(self.shop.sandbox, by=timedelta(days=self.chance.choice((1, 7, 31))))

    def wait_long(self) -> None:
        simulations.advance(self.shop.sandbox, by=timedelta(days=31))

    def advance(self) -> None:
        a_card(self.shop, "500.10")
        [receivable] = Receivable.objects.filter(merchant=self.shop.sandbox)
        advances.approve(advances.request(self.shop.sandbox, [receivable.id], None).id, self.staff)

    def hold(self) -> None:
        if available := self.holding().available:
            amount = self.chance.randint(1, available)
            self.held.append(
                holds.place(
                    self.shop.sandbox, "BRL", amount, Reason.COMPLIANCE, by=self.staff, note="An invoice is missing"
                ).id
            )

    def lift(self) -> None:
        if self.held:
            holds.lift(self.held.pop(self.chance.randrange(len(self.held))))

    def ask(self) -> None:
        now = clock.now(self.shop.sandbox)
        open_ones = list(
            Receivable.objects.filter(
                merchant=self.shop.sandbox,
                state=State.SCHEDULED,
                release_at__gt=now,
                advance_monthly_rate__isnull=False,
            ).values_list("id", flat=True)
        )
        if open_ones:
            chosen = self.chance.sample(open_ones, self.chance.randint(1, len(open_ones)))
            try:
                with transaction.atomic():
                    self.asked.append(advances.request(self.shop.sandbox, chosen, None).id)
            except AdvanceTooSmall:
                pass

    def decide(self) -> None:
        if self.asked:
            decision = self.chance.choice((advances.approve, advances.refuse))
            decision(self.asked.pop(), self.staff)

    def entries(self) -> Entries:
        rows = Entry.objects.filter(merchant=self.shop.sandbox, currency="BRL")
        return list(rows.values_list("account__kind", "amount", "transfer__posted_at"))


def replayed(entries: Entries, kinds: tuple[AccountKind, ...], at: datetime) -> int:
    return sum(amount for kind, amount, posted_at in entries if kind in kinds and posted_at <= at)


@pytest.fixture
def staff(db: None) -> User:
    return User.objects.create_user("staff@onpay.example", "not a secret")


def test_every_balance_is_explained_to_the_cent(staff: User) -> None:
    print(f"SEED={SEED}")
    chance = random.Random(SEED)
    checks, met = 0, set()
    for number in range(HISTORIES):
        walk = Walk(a_shop(f"Shop {number}"), staff, chance)
        for action in [walk.pix, walk.hold, walk.lift, walk.advance, walk.card, walk.wait_long]:
            walk.step(action)
        for _ in range(STEPS):
            walk.step()
        entries = walk.entries()
        moments = sorted({posted_at for _, _, posted_at in entries})
        began, ended = moments[0] - timedelta(days=1), clock.now(walk.shop.sandbox)
        for _ in range(INSTANTS):
            exactly = chance.choice(moments) + chance.choice((-1, 0, 0, 1)) * timedelta(milliseconds=1)
            anywhere = began + (ended - began) * chance.random()
            at = chance.choice((exactly, anywhere, ended))
            since = chance.choice((None, began + (at - began) * chance.random(), min(at, chance.choice(moments))))
            for kinds in ASKED:
                found = explain(walk.shop.sandbox, "BRL", kinds, at, since)
                assert found.ending == replayed(entries, kinds, at), (number, kinds, at, since)
                assert found.opening == (replayed(entries, kinds, since) if since else 0), (number, kinds, at, since)
                checks += 1
                met |= set(found.causes)
        for at, held in walk.seen:
            endings = [explain(walk.shop.sandbox, "BRL", kinds, at).ending for kinds in ASKED]
            assert endings == [held.available, held.releasing, held.blocked, held.total], (number, at)
    assert checks == HISTORIES * INSTANTS * len(ASKED)
    assert met == {
        Cause.PAYMENTS, Cause.FEES, Cause.RELEASES, Cause.ADVANCES, Cause.ADVANCE_FEES, Cause.BLOCKS
    }  # fmt: skip


def test_what_is_behind_every_cause_comes_to_it(globex: Shop, staff: User) -> None:
    print(f"SEED={SEED}")
    chance = random.Random(SEED)
    walk = Walk(a_shop(), staff, chance)
    for _ in range(2 * STEPS):
        walk.step()
    began, ended = min(at for _, _, at in walk.entries()), clock.now(walk.shop.sandbox)

    for kinds in ASKED:
        at = began + (ended - began) * chance.random()
        for since, until in ((None, ended), (began + (at - began) * chance.random(), at)):
            for cause, share in explain(walk.shop.sandbox, "BRL", kinds, until, since).causes.items():
                found = behind(walk.shop.sandbox, "BRL", kinds, cause, until, since, size=1000)
                assert (len(found), sum(part.amount for part in found)) == (share.count, share.amount)
                assert all(cause_of(part.kind) == cause or cause in PARTS for part in found)
                assert behind(globex.sandbox, "BRL", kinds, cause, until, since) == []


def test_the_statement_runs_from_the_balance_to_nothing(staff: User) -> None:
    print(f"SEED={SEED}")
    walk = Walk(a_shop(), staff, random.Random(SEED))
    for _ in range(2 * STEPS):
        walk.step()

    for kind in BUCKETS:
        after = getattr(walk.holding(), kind.lower())
        for entry in statement(walk.shop.sandbox, "BRL", kind):
            assert entry.balance_after == after
            after -= entry.amount
        assert after == 0


def test_an_advance_is_told_apart_from_its_fee(acme: Shop, staff: User) -> None:
    a_card(acme, "200.00")
    [receivable] = Receivable.objects.all()
    requested = advances.request(acme.sandbox, [receivable.id], None)
    advances.approve(requested.id, staff)
    fee = Advance.objects.get().fee
    assert (receivable.amount, fee > 0) == (19202, True)

    def told(*kinds: AccountKind) -> dict[str, tuple[int, int]]:
        found = explain(acme.sandbox, "BRL", kinds, clock.now(acme.sandbox))
        return {str(cause): (share.count, share.amount) for cause, share in found.causes.items()}

    assert told(AccountKind.AVAILABLE) == {"ADVANCES": (1, 19202), "ADVANCE_FEES": (1, -fee)}
    assert told(AccountKind.RELEASING) == {"PAYMENTS": (1, 20000), "FEES": (1, -798), "ADVANCES": (1, -19202)}
    assert told(*BUCKETS) == {"PAYMENTS": (1, 20000), "FEES": (1, -798), "ADVANCE_FEES": (1, -fee)}


@pytest.mark.parametrize(
    ("kind", "cause"),
    [
        ("payment.paid", "PAYMENTS"),
        ("receivable.released", "RELEASES"),
        ("receivable.advanced", "ADVANCES"),
        ("refund.held", "REFUNDS"),
        ("refund.completed", "REFUNDS"),
        ("withdrawal.returned", "WITHDRAWALS"),
        ("conversion", "CONVERSIONS"),
        ("conversion.completed", "CONVERSIONS"),
        ("hold.placed", "BLOCKS"),
        ("hold.lifted", "BLOCKS"),
        ("debt.covered", "ADJUSTMENTS"),
    ],
)
def test_every_kind_of_posting_has_its_cause(kind: str, cause: str) -> None:
    assert cause_of(kind) == cause


@contextmanager
def plans() -> Iterator[list[str]]:
    """How PostgreSQL would run what is asked meanwhile."""
    made: list[str] = []

    def planned(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        with context["connection"].connection.cursor() as cursor:
            made.extend(line for (line,) in cursor.execute(f"EXPLAIN {sql}", params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(planned):
        yield made


def test_a_long_history_is_read_by_its_index(acme: Shop, globex: Shop) -> None:
    """30,000 payments of a neighbour and 2,000 of the company's own: nobody pays for the neighbour's."""
    a_payment(acme.sandbox, "PAID")
    a_payment(globex.sandbox, "PAID")
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SET LOCAL session_replication_role = replica; SET LOCAL statement_timeout = 0")
        cursor.execute(MANY, {"merchant": globex.sandbox.pk, "count": 30_000})
        cursor.execute(MANY, {"merchant": acme.sandbox.pk, "count": 2_000})
        cursor.execute("ANALYZE ledger_entry, ledger_transfer, ledger_account")

        page = statement(globex.sandbox, "BRL", AccountKind.AVAILABLE)[:20].explain()
        with plans() as made:
            explain(acme.sandbox, "BRL", [AccountKind.AVAILABLE], clock.utcnow())
        transaction.set_rollback(True)

    story = "\n".join(made)
    assert "transfers_as_written" in story and "one_entry_per_line" in story, story
    assert "entries_without_gaps" in page and "Sort" not in page, page
    for table in ("ledger_entry", "ledger_transfer"):
        assert f"Seq Scan on {table}" not in page + story, page + story
