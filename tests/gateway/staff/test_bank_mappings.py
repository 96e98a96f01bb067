"""Staff say what the columns of a bank's CSV are: tried on a sample first, and entered by two people."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.models import AuditEntry, Proposal
from gateway.reconciliation import files
from gateway.reconciliation.models import BankAccount
from tests.support.bank_accounts import a_bank_account
from tests.support.people import browser_of
from tests.support.proposals import NOTE, action, confirmed
from tests.support.staff import support

pytestmark = pytest.mark.django_db

CSV = "Extrato\tde\ttudo\nData\tHistórico\tValor\tSaldo\n05/10/2026\tPIX <b>RECEBIDO</b>\t12,50\t112,50\n"
COLUMNS = NOTE | {
    "delimiter": "TAB",
    "encoding": "utf-8",
    "decimal_mark": ",",
    "date_format": "%d/%m/%Y",
    "skipped_lines": "1",
    "has_titles": "on",
    "booked_on": "Data",
    "amount": "Valor",
    "balance": "Saldo",
    "text": "Histórico",
}


@pytest.fixture
def account() -> BankAccount:
    return a_bank_account()


def sent(browser: Client, account: BankAccount, content: str = "", **members: str) -> Any:
    sample = {"sample": SimpleUploadedFile("extrato.csv", content.encode())} if content else {}
    return browser.post(action(account, "columns"), COLUMNS | sample | members, follow=True)


def faults(answer: Any) -> dict[str, Any]:
    return dict(answer.context["form"].errors)


def test_a_mapping_is_seen_on_a_sample_and_entered_by_two_people(
    staff: Client, colleague: Client, account: BankAccount
) -> None:
    told = sent(staff, account, CSV).content.decode()
    assert "1 movements of 12.50 BRL; balances: 100.00 to 112.50." in told
    assert "PIX &lt;b&gt;RECEBIDO&lt;/b&gt;" in told
    assert list(faults(sent(staff, account))) == ["sample"]
    assert not Proposal.objects.exists()

    sent(staff, account, is_right="on")
    account.refresh_from_db()
    assert account.mapping is None
    proposal = Proposal.objects.get()
    assert confirmed(staff, proposal).status_code == 403
    confirmed(colleague, proposal)

    account.refresh_from_db()
    (found,) = files.documents_of(account, CSV.encode())
    assert (found.format, str(getattr(found, "closing", ""))) == ("CSV", "112.50")
    assert AuditEntry.objects.filter(action="bank_account.mapped", object_id=account.pk).exists()
    again = staff.get(action(account, "columns")).content.decode()
    assert 'value="Valor"' in again and '<option value="TAB" selected>' in again


@pytest.mark.a_third_a_day
@pytest.mark.parametrize(
    ("members", "content", "where"),
    [
        ({"amount": ""}, CSV, "__all__"),
        ({"amount": "Valor", "credit": "2", "debit": "3"}, CSV, "__all__"),
        ({"has_titles": "", "booked_on": "Data"}, CSV, "__all__"),
        ({"booked_on": ""}, CSV, "booked_on"),
        ({"decimal_mark": "."}, CSV, "sample"),
        ({"delimiter": ";"}, CSV, "sample"),
        ({"skipped_lines": "0"}, CSV, "sample"),
        ({"note": ""}, CSV, "note"),
        ({}, "\0", "sample"),
    ],
)
def test_what_cannot_be_read_so_is_not_proposed(
    staff: Client, account: BankAccount, members: dict[str, str], content: str, where: str
) -> None:
    answer = sent(staff, account, content, **members | {"is_right": "on"})

    assert list(faults(answer)) == [where]
    assert not Proposal.objects.exists()


def test_who_may_not_change_bank_accounts_maps_no_columns(account: BankAccount) -> None:
    reader = browser_of(support("view_bankaccount"))

    assert reader.get(action(account, "columns")).status_code == 403
    assert sent(reader, account, is_right="on").status_code == 403
    assert not Proposal.objects.exists()
