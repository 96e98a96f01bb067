"""The statement: from the opening to the ending, each fee on its own line, on the screen, on paper and as a file."""

import csv
import io
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client
from django.utils.http import urlencode

from accounts.base import clock
from accounts.models import User
from ledger.chart import BUCKETS
from ledger.wallets.selectors import holdings
from tests.support.companies import Shop
from tests.support.ledger import MANY
from tests.support.pages import Page, words
from tests.support.payments import a_payment

EVERYTHING = {"from": "", "to": ""}


def shown(browser: Client, page: Page, **query: str) -> Any:
    return browser.get(f"{page('statement')}?{urlencode(query)}")


def in_file(browser: Client, page: Page, **query: str) -> list[dict[str, str]]:
    answer = browser.get(f"{page('statement_csv')}?{urlencode(query)}")
    return list(csv.DictReader(io.StringIO(answer.getvalue().decode("utf-8-sig"))))


def test_lines_run_from_the_ending_to_the_opening(viewer: Client, busy: Shop, page: Page) -> None:
    for bucket in BUCKETS:
        found = shown(viewer, page, currency="BRL", bucket=bucket, **EVERYTHING).context
        assert found["summary"].ending == getattr(holdings(busy.sandbox).currencies["BRL"], bucket.lower())
        balance = found["summary"].ending
        for row in found["rows"]:
            assert row.line.balance == balance
            balance -= row.line.amount
        assert balance == found["summary"].opening == 0
        for cause, _title, share in found["causes"]:
            assert sum(row.line.amount for row in found["rows"] if row.line.cause == cause) == share.amount


def test_a_fee_has_a_line_of_its_own(viewer: Client, acme: Shop, page: Page) -> None:
    payment = a_payment(acme.sandbox, "PAID", "150.00")

    answer = shown(viewer, page)

    fee, gross = answer.context["rows"]
    assert (gross.credit, gross.debit, gross.description, gross.type) == (15000, None, "Payment", "Payments")
    assert (fee.credit, fee.debit, fee.description) == (
        None,
        15000 - holdings(acme.sandbox).currencies["BRL"].available,
        "Fee",
    )
    assert gross.subject.object_id == fee.subject.object_id == payment.pk
    assert payment.reference in words(answer)


def test_a_failed_withdrawal_is_a_line_that_comes_back(viewer: Client, busy: Shop, page: Page) -> None:
    rows = shown(viewer, page, cause="WITHDRAWALS", **EVERYTHING).context["rows"]

    assert [(str(row.description), bool(row.credit)) for row in rows] == [
        ("Held for a withdrawal", False), ("Withdrawal failed, money returned", True), ("Held for a withdrawal", False)
    ]  # fmt: skip


def test_a_cause_is_shown_alone_and_without_a_running_balance(viewer: Client, busy: Shop, page: Page) -> None:
    for cause, _, share in shown(viewer, page, currency="BRL", **EVERYTHING).context["causes"]:
        answer = shown(viewer, page, currency="BRL", cause=cause, **EVERYTHING)
        assert sum(row.line.amount for row in answer.context["rows"]) == share.amount
        assert ">Balance</th>" not in answer.content.decode()


def test_days_are_the_readers_own_and_both_included(viewer: Client, busy: Shop, page: Page) -> None:
    """The fixture's payments were made two days before the rest."""
    today = clock.now(busy.sandbox).date()
    past = {"from": "", "to": str(today - timedelta(days=2))}
    last = {"from": str(today - timedelta(days=1)), "to": str(today)}

    before, after = shown(viewer, page, **past).context, shown(viewer, page, **last).context

    assert before["summary"].ending == after["summary"].opening > 0
    assert len(before["rows"]) + len(after["rows"]) == len(shown(viewer, page, **EVERYTHING).context["rows"])
    usual = shown(viewer, page).context["question"]
    assert (usual.first, usual.last) == (today - timedelta(days=6), today)


def test_a_long_statement_goes_on_with_the_right_balance(viewer: Client, acme: Shop, page: Page) -> None:
    """More entries than go on a page, on paper, or into one piece of a file."""
    count = 2100
    a_payment(acme.sandbox, "PAID")
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute(MANY, {"merchant": acme.sandbox.pk, "count": count})
        first = shown(viewer, page, **EVERYTHING).context
        second = shown(viewer, page, **EVERYTHING, after=first["page"].after).context
        rows = in_file(viewer, page, **EVERYTHING)
        paper = viewer.get(f"{page('statement_print')}?{urlencode(EVERYTHING)}")
        transaction.set_rollback(True)

    found = [row.line for row in (*first["rows"], *second["rows"])]
    assert (len(found), len(rows)) == (200, 2 * count + 2)
    balance = first["summary"].ending
    for line, row in zip(found, rows, strict=False):
        assert (line.balance, Decimal(row["Balance"]) * 100) == (balance, balance)
        balance -= line.amount
    oldest = rows[-1]
    assert Decimal(oldest["Balance"]) == Decimal(oldest["Credit"])
    assert "At most 2000 postings" in words(paper)


def test_the_file_has_every_row_and_the_columns_of_the_screen(viewer: Client, busy: Shop, page: Page) -> None:
    found = shown(viewer, page, currency="BRL", **EVERYTHING).context
    rows = in_file(viewer, page, currency="BRL", **EVERYTHING)

    assert [Decimal(row["Balance"]) for row in rows] == [Decimal(one.line.balance) / 100 for one in found["rows"]]
    came = sum(Decimal(row["Credit"] or 0) - Decimal(row["Debit"] or 0) for row in rows)
    assert came == Decimal(found["summary"].ending) / 100
    assert {row["Currency"] for row in rows} == {"BRL"}
    fees = in_file(viewer, page, currency="BRL", cause="FEES", **EVERYTHING)
    assert {row["Type"] for row in fees} == {"Fees"} and "Balance" not in fees[0]
    answer = viewer.get(page("statement_csv") + "?from=2026-01-01&to=2026-01-31")
    assert "statement-BRL-available-2026-01-01-2026-01-31.csv" in answer.headers["content-disposition"]
    answer.getvalue()


def test_the_file_opens_in_the_spreadsheet_of_its_reader(viewer: Client, acme: Shop, page: Page) -> None:
    a_payment(acme.sandbox, "PAID", "1500.50")
    User.objects.update(language="pt-br", time_zone="America/Sao_Paulo")

    answer = viewer.get(f"{page('statement_csv')}?{urlencode(EVERYTHING)}")
    header, _fee, sale = answer.getvalue().decode("utf-8-sig").splitlines()  # type: ignore[attr-defined]

    assert header.startswith("Quando (America/Sao_Paulo);Tipo;Descrição;")
    assert ";1500,50;;" in sale
    assert 'filename="extrato-BRL-disponivel.csv"' in answer.headers["content-disposition"]


def test_on_paper_it_stands_the_oldest_first(viewer: Client, busy: Shop, page: Page) -> None:
    screen = shown(viewer, page, **EVERYTHING).context
    paper = viewer.get(f"{page('statement_print')}?{urlencode(EVERYTHING)}")

    assert [row.line for row in paper.context["rows"]] == [row.line for row in screen["rows"]][::-1]
    assert "Statement of Acme LTDA" in words(paper) and "nothing here is real money" in words(paper)


@pytest.mark.parametrize("query", [{"from": "2026-02-01", "to": "2026-01-01"}, {"bucket": "TOTAL"}, {"from": "soon"}])
def test_what_cannot_be_shown_is_said(viewer: Client, acme: Shop, page: Page, query: dict[str, str]) -> None:
    for name in ("statement", "statement_print", "statement_csv"):
        answer = viewer.get(f"{page(name)}?{urlencode(query)}")
        assert (answer.status_code, answer.context["question"]) == (200, None)
        assert b"invalid-feedback" in answer.content


def test_nothing_moved_says_what_to_do(viewer: Client, acme: Shop, page: Page) -> None:
    assert "No movements" in words(shown(viewer, page))
    assert in_file(viewer, page) == []


def test_a_statement_asks_as_often_for_many_as_for_few(
    viewer: Client, acme: Shop, page: Page, django_assert_max_num_queries: Any
) -> None:
    for _ in range(8):
        a_payment(acme.sandbox, "PAID")
    shown(viewer, page)
    with django_assert_max_num_queries(16):
        shown(viewer, page)
