"""Withdrawals from a file: checked whole, reviewed, confirmed with the second factor, carried out line by line."""

import io
from decimal import Decimal
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from openpyxl import Workbook, load_workbook

from gateway.bulk import due
from gateway.bulk.models import BulkFile, BulkLine
from gateway.withdrawals.models import Withdrawal
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.pages import Page
from tests.support.withdrawals import BRL, change, decide, fund, nothing_moves, register, withdrawn

EMAILS = [f"pessoa{n}@loja.com.br" for n in range(4)]
HEAD = "pixKeyType;pixKey;amount;reference"


@pytest.fixture
def money(api: Api, acme: Shop) -> Shop:
    fund(api)
    return acme


def pix(*lines: str, head: str = HEAD) -> bytes:
    return "\n".join([head, *lines]).encode()


def uploaded(finance: Client, page: Page, content: bytes, way: str = "pix", name: str = "pay.csv") -> HttpResponse:
    return finance.post(page("upload_withdrawals", way), {"file": SimpleUploadedFile(name, content)})


def kept(finance: Client, page: Page, content: bytes, way: str = "pix") -> BulkFile:
    answer = uploaded(finance, page, content, way)
    assert answer.status_code == 302, answer.content.decode()
    return BulkFile.objects.order_by("-uploaded_at").get(pk=answer["Location"].rstrip("/").rpartition("/")[2])


def confirmed(finance: Client, page: Page, file: BulkFile, **sent: Any) -> HttpResponse:
    once = finance.get(page("bulk_file", file.pk)).context["form"]["once"].value()
    return finance.post(page("confirm_bulk_file", file.pk), {"once": once, **sent}, follow=True)


def faults(answer: HttpResponse) -> list[tuple[int, str]]:
    assert answer.status_code == 200
    return [(fault.row, fault.column) for fault in answer.context["faults"]]


def test_a_file_is_reviewed_confirmed_and_carried_out(api: Api, finance: Client, page: Page, money: Shop) -> None:
    file = kept(finance, page, pix(*(f";{email};10,5{n};" for n, email in enumerate(EMAILS))))
    review = finance.get(page("bulk_file", file.pk))
    [totals] = review.context["sums"]
    assert (totals["count"], totals["amount"]) == (4, 4206)
    assert not Withdrawal.objects.exists()

    assert b"reviewed" in confirmed(finance, page, file).content
    assert not BulkLine.objects.exclude(due_at=None).exists()
    confirmed(finance, page, file, reviewed="on")
    assert due.run_due() == 5, "four lines, and one e-mail about them"
    assert due.run_due() == 0

    made = Withdrawal.objects.order_by("amount")
    assert [one.amount for one in made] == [1050, 1051, 1052, 1053]
    assert {one.reference for one in made} == {f"{file.pk}-{row}" for row in range(2, 6)}
    assert {line.result_id for line in file.lines.all()} == {one.pk for one in made}
    result = b"".join(finance.get(page("bulk_file", file.pk), {"format": "csv"}).streaming_content).decode()
    assert result.count("wdr_") == 4

    assert decide(api, {"id": made[0].pk}, "FAILED").status_code == 200
    shown = finance.get(page("bulk_file", file.pk))
    assert shown.context["outcomes"] == [("FAILED", 1), ("PROCESSING", 3)], "what became of each is told, too"
    assert [line.result_status for line in shown.context["lines"].rows] == ["FAILED", *["PROCESSING"] * 3]


def test_every_fault_is_named_at_once_with_row_and_column(finance: Client, page: Page, money: Shop) -> None:
    lines = (
        "EMAIL;no address;10,00;a", ";a@b.com.br;;b", ";a@b.com.br;1.234;c", ";a@b.com.br;=1;d",
        ";a@b.com.br;0,50;e", ";a@b.com.br;10,001;f", ";a@b.com.br;10,00;same", ";a@b.com.br;11,00;same",
    )  # fmt: skip
    with nothing_moves(money):
        found = faults(uploaded(finance, page, pix(*lines)))

    assert found == [
        (2, "PIX key"), (3, "Amount"), (4, "Amount"), (5, "Amount"), (6, "Amount"), (7, "Amount"),
        (8, "Your reference"), (9, "Your reference"),
    ]  # fmt: skip
    assert not BulkFile.objects.exists()


def test_titles_are_known_in_every_language_and_others_refused(finance: Client, page: Page, money: Shop) -> None:
    kept(finance, page, pix("a@b.com.br;10", head="Chave PIX *;Valor"))

    assert faults(uploaded(finance, page, pix("a@b.com.br;10", head="Chave PIX;Price"))) == [
        (1, "Price"),
        (1, "Amount"),
    ]


def test_a_reference_that_is_in_use_and_an_account_that_is_none_are_faults(
    api: Api, address: str, finance: Client, page: Page, money: Shop
) -> None:
    register(money, address)
    withdrawn(api, money, reference="taken")

    assert faults(uploaded(finance, page, pix(";a@b.com.br;10;taken"))) == [(2, "Your reference")]
    accounts = "bankCode;branch;accountNumber;accountType;beneficiaryName;beneficiaryTaxId;amount\n"
    wrong = accounts + "34;0932;12345-6;Conta corrente;Ana Souza;529.982.247-25;10\n"
    assert faults(uploaded(finance, page, wrong.encode(), "brl")) == [(2, "Bank code")]
    right = accounts.replace(";", ",") + "341,0932,12345-6,Conta corrente,Ana Souza,529.982.247-25,10\n"
    file = kept(finance, page, right.encode(), "brl")
    confirmed(finance, page, file, reviewed="on")
    due.run_due()
    assert Withdrawal.objects.get(rail=BRL[0]).destination["beneficiaryName"] == "Ana Souza"


def test_a_template_can_be_filled_in_and_uploaded(finance: Client, page: Page, money: Shop) -> None:
    book = load_workbook(io.BytesIO(finance.get(page("bulk_template", "brl", "xlsx")).content))
    assert book.worksheets[0]["A1"].value == "Bank code *"
    book.worksheets[0].delete_rows(2, 600)
    book.worksheets[0].append(["341", "0932", "0012345-6", "CHECKING", "Ana Souza", "52998224725", 4.35, "x"])
    made = io.BytesIO()
    book.save(made)

    file = kept(finance, page, made.getvalue(), "brl")

    assert file.lines.get().amount_exact == Decimal("4.35")
    assert b"12345-6" not in finance.get(page("bulk_file", file.pk)).content


def test_the_same_lines_again_and_the_same_payment_again_are_noticed(finance: Client, page: Page, money: Shop) -> None:
    content = pix(";a@b.com.br;10,00;", ";a@b.com.br;10,00;", ";c@b.com.br;20,00;")
    file = kept(finance, page, content)
    assert {name: rows for name, rows in file.warnings.items()} == {"repeated": [2, 3], "new": [2, 3, 4]}
    confirmed(finance, page, file, reviewed="on")
    due.run_due()

    book = Workbook()
    for line in (HEAD.split(";"), [None, "a@b.com.br", 10], [None, "a@b.com.br", 10], [None, "c@b.com.br", 20]):
        book.active.append(line)
    made = io.BytesIO()
    book.save(made)
    again = kept(finance, page, made.getvalue())

    assert again.warnings == {"repeated": [2, 3], "recent": [2, 3, 4], "same_file": []}
    confirmed(finance, page, again)
    assert due.run_due() == 0


def test_a_file_that_was_checked_twice_is_not_confirmed_twice_unseen(finance: Client, page: Page, money: Shop) -> None:
    """Two tabs with the same file: the second confirmation was given before anybody could see that it repeats."""
    content = pix(";a@b.com.br;10,00;", ";c@b.com.br;20,00;")
    files = [kept(finance, page, content) for _ in range(2)]
    forms = [finance.get(page("bulk_file", file.pk)).context["form"]["once"].value() for file in files]
    for file, once in zip(files, forms, strict=True):
        answer = finance.post(page("confirm_bulk_file", file.pk), {"once": once, "reviewed": "on"}, follow=True)
    due.run_due()

    assert Withdrawal.objects.count() == 2
    assert b"A file with exactly these lines was confirmed before." in answer.content
    confirmed(finance, page, files[1], reviewed="on")
    due.run_due()
    assert Withdrawal.objects.count() == 4


def test_a_line_that_is_refused_costs_no_other_its_outcome(finance: Client, page: Page, money: Shop) -> None:
    file = kept(finance, page, pix(";a@b.com.br;10;one", ";c@b.com.br;20;two", ";d@b.com.br;30;three"))
    confirmed(finance, page, file, reviewed="on")
    Withdrawal.objects.all().delete()
    other = kept(finance, page, pix(";e@b.com.br;5;two"))
    confirmed(finance, page, other, reviewed="on")
    due.CARRY_OUT.sweep(1)
    BulkLine.objects.filter(file=other).update(due_at=file.lines.get(row=3).due_at)
    due.run_due()

    refused = BulkLine.objects.get(state="REFUSED")
    assert (refused.reference, refused.code) == ("two", "ONP409_DUPLICATE_REFERENCE")
    assert BulkLine.objects.filter(state="DONE").count() == 3


def test_nothing_is_sent_without_the_money_for_all_of_it(finance: Client, page: Page, money: Shop) -> None:
    file = kept(finance, page, pix(*(f";{email};99000;" for email in EMAILS)))

    with nothing_moves(money):
        answer = confirmed(finance, page, file, reviewed="on")
        due.run_due()

    assert b"Insufficient available balance" in answer.content


def test_lines_that_wait_can_be_stopped_and_a_review_discarded(finance: Client, page: Page, money: Shop) -> None:
    file = kept(finance, page, pix(*(f";{email};10;" for email in EMAILS)))
    confirmed(finance, page, file, reviewed="on")
    due.CARRY_OUT.sweep(1)
    finance.post(page("stop_bulk_file", file.pk))
    due.run_due()
    assert list(file.lines.order_by("row").values_list("state", flat=True)) == ["DONE", *["STOPPED"] * 3]
    assert Withdrawal.objects.count() == 1

    other = kept(finance, page, pix(";x@b.com.br;10;"))
    finance.post(page("stop_bulk_file", other.pk))
    assert not BulkFile.objects.filter(pk=other.pk).exists()


def test_only_people_who_may_move_money_come_near_it(
    finance: Client, owner: Client, support: Client, viewer: Client, stranger: Client, page: Page, money: Shop
) -> None:
    file = kept(finance, page, pix(";a@b.com.br;10;"))

    for client, status in ((support, 403), (viewer, 403), (stranger, 404)):
        assert client.get(page("bulk_file", file.pk)).status_code == status
        assert client.post(page("confirm_bulk_file", file.pk), {"reviewed": "on"}).status_code in (status, 302)
        assert uploaded(client, page, pix(";a@b.com.br;10;")).status_code == status
    assert owner.post(page("confirm_bulk_file", file.pk), {"reviewed": "on"}).status_code == 302
    assert due.run_due() == 0
    file.refresh_from_db()
    assert file.confirmed_at is None


def test_withdrawals_that_are_not_enabled_take_no_file(finance: Client, page: Page, money: Shop) -> None:
    change(money, withdrawal_enabled=False)

    assert b"not enabled" in uploaded(finance, page, pix(";a@b.com.br;10;")).content
    assert not BulkFile.objects.exists()
