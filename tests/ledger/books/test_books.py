"""PostgreSQL keeps the books right by itself, whatever anybody tries."""

import re

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction

from accounts.base.clock import utcnow
from accounts.base.rows import first
from ledger.books.errors import InsufficientBalance
from ledger.books.models import Account, Balance, Entry, Transfer
from ledger.books.services import Move, Side, post, wallet
from ledger.chart import AccountKind
from ledger.verify import verify
from tests.support.books import violations
from tests.support.companies import Shop

CLEARING = Side(AccountKind.CLEARING, "PIX", "BRL")
AVAILABLE = wallet(AccountKind.AVAILABLE, "BRL")
BLOCKED = wallet(AccountKind.BLOCKED, "BRL")
FEES = Side(AccountKind.FEE_INCOME, "", "BRL")


RECEIVED = '[["CLEARING", "PIX", "BRL", -1], ["AVAILABLE", "PIX", "BRL", 1]]'
EACH = "SELECT ledger_post_each(%s, 'test.batch', %s::jsonb, %s, %s, %s)"


def deposit(shop: Shop, minor: int, reference: str = "pay_1") -> bool:
    moves = [Move(minor - 1, debit=CLEARING, credit=AVAILABLE), Move(1, debit=CLEARING, credit=FEES)]
    return post(shop.sandbox, "test.deposit", reference, moves, utcnow())


def amount(shop: Shop, kind: AccountKind) -> int:
    return Balance.objects.get(account__merchant=shop.sandbox, account__kind=kind).amount


def attack(sql: str, *params: object) -> str:
    """What PostgreSQL says to what must not pass, deferred checks included."""
    with pytest.raises(DatabaseError) as refused:
        _run((sql, params))
    return str(refused.value)


def _run(*statements: tuple[str, tuple[object, ...]]) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        for sql, params in (*statements, ("SET CONSTRAINTS ALL IMMEDIATE", ())):
            cursor.execute(sql, params)


def test_a_posting_moves_balances_and_leaves_a_statement(acme: Shop) -> None:
    assert deposit(acme, 1000) is True

    assert (
        amount(acme, AccountKind.AVAILABLE),
        amount(acme, AccountKind.FEE_INCOME),
        amount(acme, AccountKind.CLEARING),
    ) == (999, 1, -1000)
    lines = Entry.objects.filter(account__kind=AccountKind.AVAILABLE).values_list("sequence", "amount", "balance_after")
    assert list(lines) == [(1, 999, 999)]


def test_the_same_reference_is_posted_once(acme: Shop) -> None:
    assert deposit(acme, 1000) is True
    assert deposit(acme, 1000) is False

    assert amount(acme, AccountKind.AVAILABLE) == 999
    assert Transfer.objects.count() == 1


def test_a_wallet_never_falls_below_zero_and_nothing_moves(acme: Shop) -> None:
    deposit(acme, 1000)

    with pytest.raises(InsufficientBalance), transaction.atomic():
        post(acme.sandbox, "test.hold", "wdr_1", [Move(1000, debit=AVAILABLE, credit=BLOCKED)], utcnow())

    assert amount(acme, AccountKind.AVAILABLE) == 999
    assert Transfer.objects.count() == 1


def test_books_of_two_merchants_are_apart(acme: Shop, globex: Shop) -> None:
    deposit(acme, 1000)
    deposit(globex, 500)

    assert amount(acme, AccountKind.AVAILABLE) == 999
    assert amount(globex, AccountKind.AVAILABLE) == 499


@pytest.mark.parametrize(
    ("debit", "credit", "minor"),
    [
        (CLEARING, AVAILABLE, 0),
        (CLEARING, AVAILABLE, -1),
        (AVAILABLE, AVAILABLE, 5),
        (CLEARING, wallet(AccountKind.AVAILABLE, "MXN"), 5),
    ],
)
def test_an_impossible_movement_cannot_be_expressed(debit: Side, credit: Side, minor: int) -> None:
    with pytest.raises(AssertionError):
        Move(minor, debit=debit, credit=credit)


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE ledger_entry SET amount = amount + 1",
        "DELETE FROM ledger_entry",
        "UPDATE ledger_transfer SET entry_count = entry_count + 1",
        "DELETE FROM ledger_transfer",
        "UPDATE ledger_account SET currency = 'MXN'",
        "DELETE FROM ledger_account",
        "UPDATE ledger_balance SET amount = amount + 1",
        "UPDATE ledger_balance SET floor = -1000000",
        "DELETE FROM ledger_balance",
    ],
)
def test_nothing_in_the_books_is_ever_changed(acme: Shop, sql: str) -> None:
    deposit(acme, 1000)

    attack(sql)

    assert amount(acme, AccountKind.AVAILABLE) == 999


def test_nothing_in_the_books_is_ever_truncated(acme: Shop) -> None:
    deposit(acme, 1000)
    for table, trigger in (("entry", "entries_stay"), ("transfer", "transfers_stay"), ("balance", "balances_stay")):
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            cursor.execute(f"ALTER TABLE ledger_{table} ENABLE TRIGGER {trigger}")
        assert "append-only" in attack(f"TRUNCATE ledger_{table} CASCADE")


LINE = """
    INSERT INTO ledger_entry (transfer_id, line, merchant_id, account_id, currency, amount, balance_after, sequence)
    VALUES (%s, %s, %s, %s, %s, %s, 0, 0)
"""


def test_a_committed_transfer_cannot_grow(acme: Shop) -> None:
    deposit(acme, 1000)
    transfer, account = Transfer.objects.get(), Account.objects.get(kind=AccountKind.AVAILABLE)

    assert "sealed at 3" in attack(LINE, transfer.pk, 4, acme.sandbox.pk, account.pk, "BRL", 5)
    assert "one_entry_per_line" in attack(LINE, transfer.pk, 3, acme.sandbox.pk, account.pk, "BRL", 5)


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        ('[["CLEARING", "PIX", "BRL", -10], ["AVAILABLE", "PIX", "BRL", 9]]', r"not balanced in BRL\n"),
        ('[["CLEARING", "PIX", "BRL", -10], ["AVAILABLE", "SPEI", "MXN", 10]]', "not balanced in (BRL, MXN|MXN, BRL)"),
        ('[["AVAILABLE", "PIX", "BRL", 10]]', "transfer_has_two_ends"),
        ('[["CLEARING", "PIX", "BRL", 0], ["AVAILABLE", "PIX", "BRL", 0]]', "entry_moves_money"),
        ('[["AVAILABLE", "PIX", "BRL", -10], ["CLEARING", "PIX", "BRL", 10]]', "balance_floor"),
    ],
)
def test_what_is_not_balanced_is_refused_at_the_commit(acme: Shop, lines: str, complaint: str) -> None:
    said = attack("SELECT ledger_post(%s, 'attack', 'x', %s::jsonb, now())", acme.sandbox.pk, lines)

    assert re.search(complaint, said)
    assert Transfer.objects.count() == 0


@pytest.mark.parametrize(
    ("references", "sides", "complaint"),
    [
        (["z", "x"], RECEIVED, "posted_once"),
        (["z", "z"], RECEIVED, "posted_once"),
        (["z", "w"], '[["CLEARING", "PIX", "BRL", 1], ["AVAILABLE", "PIX", "BRL", 1]]', "not balanced in BRL"),
        (["z", "w"], '[["CLEARING", "PIX", "BRL", 1], ["AVAILABLE", "PIX", "BRL", -1]]', "balance_floor"),
    ],
)
def test_a_batch_of_which_one_is_refused_posts_none(
    acme: Shop, references: list[str], sides: str, complaint: str
) -> None:
    first(EACH, [acme.sandbox.pk, RECEIVED, ["x", "y"], [7, 9], [utcnow()] * 2])
    assert [entry.balance_after for entry in Entry.objects.filter(amount__gt=0).order_by("sequence")] == [7, 16]

    assert complaint in attack(EACH, acme.sandbox.pk, sides, references, [10, 20], [utcnow()] * 2)
    assert Transfer.objects.count() == 2
    assert amount(acme, AccountKind.AVAILABLE) == 16


BATCH = """
    INSERT INTO ledger_transfer (id, merchant_id, kind, reference, entry_count, posted_at, created_at)
    VALUES (-1, %(book)s, 'attack', 'x', 2, now(), now());
    UPDATE ledger_balance SET amount = amount + %(moved)s, version = version + %(steps)s WHERE account_id = %(to)s;
    UPDATE ledger_balance SET amount = amount - 5, version = version + 1 WHERE account_id = %(from)s;
    INSERT INTO ledger_entry (transfer_id, line, merchant_id, account_id, currency, amount, balance_after, sequence)
    SELECT %(transfer)s, %(line)s, %(book)s, account_id, 'BRL', 5, %(after)s, %(sequence)s
      FROM ledger_balance WHERE account_id = %(to)s
     UNION ALL
    SELECT -1, 2, %(book)s, account_id, 'BRL', -5, amount, version FROM ledger_balance WHERE account_id = %(from)s;
    SET CONSTRAINTS ALL IMMEDIATE
"""
UNPROVED, NOT_MOVED = "a balance moves only with an entry", "its balance has not moved"


@pytest.mark.parametrize(
    ("claimed", "complaint"),
    [
        ({}, None),
        ({"after": 1005}, UNPROVED),
        ({"moved": 6}, UNPROVED),
        ({"moved": 6, "after": 1005}, UNPROVED),
        ({"steps": 2}, UNPROVED),
        ({"steps": 2, "sequence": 3}, UNPROVED),
        ({"steps": 0, "moved": 0}, UNPROVED),
        ({"steps": 0}, UNPROVED),
        ({"steps": -1}, UNPROVED),
        ({"sequence": 3}, NOT_MOVED),
        ({"sequence": 1}, "entries_without_gaps"),
        ({"sequence": -1}, NOT_MOVED),
        ({"line": 3}, "sealed at 2"),
        ({"transfer": 0, "line": 4}, "sealed at 3"),
        ({"transfer": 0, "line": 3}, "one_entry_per_line"),
    ],
)
def test_a_balance_that_moved_for_a_batch_is_proved_by_its_entries(
    acme: Shop, claimed: dict[str, int], complaint: str | None
) -> None:
    """Whoever moves a balance first, and numbers its entries, has said the truth, or nothing is written."""
    deposit(acme, 1000)
    ends = {kind: Account.objects.get(merchant=acme.sandbox, kind=kind).pk for kind in ("AVAILABLE", "CLEARING")}
    said = {"transfer": -1, "line": 1, "moved": 5, "steps": 1, "sequence": 2, "after": 1004} | claimed
    if said["transfer"] == 0:
        said["transfer"] = Transfer.objects.get().pk
    said |= {"book": acme.sandbox.pk, "to": ends["AVAILABLE"], "from": ends["CLEARING"]}
    # Statements of one message: written out, because a message with parameters has one statement.
    text = re.sub(r"%\((\w+)\)s", lambda found: str(said[found[1]]), BATCH)

    if complaint is None:
        _run((text, ()))
        assert amount(acme, AccountKind.AVAILABLE) == 1004
    else:
        assert complaint in attack(text)
        assert Transfer.objects.count() == 1
        assert amount(acme, AccountKind.AVAILABLE) == 999


def test_money_cannot_cross_into_another_book_or_currency(acme: Shop, globex: Shop) -> None:
    deposit(acme, 1000)
    deposit(globex, 1000)
    foreign = Account.objects.get(merchant=globex.sandbox, kind=AccountKind.AVAILABLE)
    transfer = """
        INSERT INTO ledger_transfer (id, merchant_id, kind, reference, entry_count, posted_at, created_at)
        VALUES (-1, %s, 'attack', 'x', 2, now(), now())
    """
    with pytest.raises(IntegrityError) as refused:
        _run((transfer, (acme.sandbox.pk,)), (LINE, (-1, 1, acme.sandbox.pk, foreign.pk, "BRL", 5)))
    assert "entry_keeps_book_and_currency" in str(refused.value)


def test_verify_names_what_a_superuser_bent(acme: Shop) -> None:
    deposit(acme, 1000)
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            cursor.execute("SET LOCAL session_replication_role = replica")
            cursor.execute("UPDATE ledger_balance SET amount = amount + 1 WHERE floor = 0")
        found = {violation.invariant.number for violation in verify()}
        after_a_test = violations()
        transaction.set_rollback(True)
    assert found == {"I2", "I5"}
    assert {violation.split()[0] for violation in after_a_test} == found
