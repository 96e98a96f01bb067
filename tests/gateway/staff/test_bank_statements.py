"""Statements and their lines before staff, what is in suspense of them, and the proof of bank accounts."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import reverse

from accounts.base.clock import utcnow
from accounts.models import User
from gateway.reconciliation import files
from gateway.reconciliation.models import BankAccount, BankLine, BankStatement, ImportedFile
from gateway.staff.kit.columns import address as page_at
from gateway.suspense.models import SuspenseItem
from ledger.models import Proof
from tests.support.bank_accounts import a_bank_account, imported, line, lines_of, statement
from tests.support.people import browser_of
from tests.support.proposals import NOTE, action, confirmed, proposed, refusal
from tests.support.staff import support
from tests.support.staff_overview import cells, listed, panels

pytestmark = pytest.mark.django_db


@pytest.fixture
def account() -> BankAccount:
    """With a fee that is explained, and two lines that nothing explains."""
    made = a_bank_account()
    fee = line("-2.00", code="TAR", text="TARIFA PIX")
    imported(made, statement(fee, line("10.00", text="PIX DE MARIA"), line("-7.00", reference="B7"), opening="50.00"))
    return made


def page(browser: Client, record: BankStatement | BankLine | SuspenseItem) -> str:
    answer = browser.get(page_at(type(record), "change", record.pk))
    assert answer.status_code == 200
    return str(answer.content.decode())


def test_a_statement_leads_to_its_lines_and_a_line_to_its_postings(staff: Client, account: BankAccount) -> None:
    told = BankStatement.objects.get()
    fee, came, left = lines_of(account)

    shown = page(staff, told)
    assert [one.pk in shown for one in (fee, came, left)] == [True, True, True]
    assert "51.00" in shown and "in our books after it" in shown.lower()

    part = fee.parts.get()
    assert part.pk in page(staff, fee) and "bank.sent" in page(staff, fee)
    item = SuspenseItem.objects.get(line_id=came.pk)
    assert item.pk in page(staff, came)
    assert came.pk in page(staff, item) and account.code in page(staff, item)
    BankLine.objects.filter(pk=left.pk).update(counterparty={"name": "José Moura"})
    for term, meant in (("B7", left), ("maria", came), ("MOURA jos", left)):
        found = staff.get(page_at(BankLine, "changelist"), {"q": term}).context["cl"].result_list
        assert [one.pk for one in found] == [meant.pk], term


def test_lines_in_suspense_are_a_queue_of_their_own_by_account_direction_and_cause(
    staff: Client, account: BankAccount
) -> None:
    _, came, left = lines_of(account)

    assert sorted(listed(staff, "Lines in suspense")) == sorted(SuspenseItem.objects.values_list("pk", flat=True))
    assert listed(staff, "Money in suspense") == []
    for narrowed, expected in (
        ({"direction": "out"}, {left.pk}),
        ({"direction": "in", "bank_account": account.code}, {came.pk}),
        ({"cause__exact": "UNKNOWN"}, {came.pk, left.pk}),
        ({"bank_account": "OTHER"}, set()),
    ):
        found = staff.get(page_at(SuspenseItem, "changelist"), {"queue": "lines"} | narrowed)
        assert {one.line_id for one in found.context["cl"].result_list} == expected


def test_two_people_explain_a_line_in_suspense(staff: Client, colleague: Client, account: BankAccount) -> None:
    _, came, left = lines_of(account)
    fee = {"meaning": "BANK_FEE", "target": ""}
    assert action(left, "explain") in page(staff, left)
    assert "There is no such record" in refusal(staff, came, "explain", meaning="OBJECT", target="pay_nobody")

    proposal = proposed(staff, left, "explain", **fee)
    assert BankLine.objects.get(pk=left.pk).state == "SUSPENSE"
    assert action(left, "explain") not in page(staff, left)
    confirmed(colleague, proposal)

    left.refresh_from_db()
    assert (left.state, left.kind) == ("EXPLAINED", "BANK_FEE")
    assert action(proposal, "change") in page(staff, left)
    assert listed(staff, "Lines in suspense") == [SuspenseItem.objects.get(line_id=came.pk).pk]
    assert "is not in suspense" in refusal(staff, left, "explain", **fee)


def test_the_proof_page_shows_each_account_against_the_books(staff: Client, account: BankAccount) -> None:
    shown = staff.get(page_at(Proof, "changelist"))

    ((row,),) = cells(shown.context["banks"]).values()
    assert row[0] == str(account)
    assert [one.replace("BRL", "").strip() for one in row[2:5]] == ["51.00", "51.00", "0.00"]
    assert row[5].startswith("2") and "3.00" in row[5]
    assert shown.context["banks"].state == "warning"
    assert cells(panels(staff)["Bank accounts"])[""][0][0] == str(account)


def test_bank_accounts_are_shown_only_to_those_who_may_see_them(account: BankAccount) -> None:
    person = support("desk@onpay.example")
    person.is_superuser = False
    person.save()
    person.groups.set([Group.objects.get(name="Technical")])
    browser = browser_of(User.objects.get(pk=person.pk))

    for model in (BankStatement, BankLine):
        assert browser.get(page_at(model, "changelist")).status_code == 403
    assert "Bank accounts" not in panels(browser)


def test_a_missing_statement_waits_for_staff(staff: Client, account: BankAccount) -> None:
    BankAccount.objects.update(missing_since=utcnow() - timedelta(hours=1))

    assert listed(staff, "Missing statements") == [account.pk]
    panel = panels(staff)["Bank accounts"]
    assert (panel.label, panel.state) == ("1 without a statement", "danger")


def test_a_refused_file_waits_until_somebody_has_dealt_with_it(staff: Client, account: BankAccount) -> None:
    file = files.fetched(account, "broken.ofx", b"nothing that anybody knows")
    assert file and listed(staff, "Bank files refused") == [file.pk]

    staff.post(action(file, "clear"), NOTE)

    assert listed(staff, "Bank files refused") == []
    told = staff.post(action(file, "clear"), NOTE, follow=True).content.decode()
    assert "cannot take effect" in told
    assert ImportedFile.objects.get(pk=file.pk).state == "REFUSED"


def test_a_file_that_took_effect_is_not_dealt_with(staff: Client, account: BankAccount) -> None:
    taken = ImportedFile.objects.get(state="TAKEN")

    staff.post(action(taken, "clear"), NOTE)

    taken.refresh_from_db()
    assert (taken.state, taken.cleared_at) == ("TAKEN", None)
    offered = staff.get(page_at(ImportedFile, "change", taken.pk)).content.decode()
    assert reverse("admin:gateway_importedfile_clear", args=[taken.pk]) not in offered
