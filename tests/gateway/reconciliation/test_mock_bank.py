"""Notices and statements of a bank that others wrote, imported day by day: the books equal its balance."""

from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from gateway.bank_files.iso20022 import pain001
from gateway.bank_files.shapes import Order, Party, PaymentFile, Way
from gateway.reconciliation import files
from gateway.reconciliation.models import BankStatement, ImportedFile
from ledger.verify import verify
from tests.support.bank_accounts import a_bank_account, booked, sweep
from tests.support.mock_bank import OURS, MockBank, mock_bank

pytestmark = pytest.mark.django_db
BENEFICIARY = "NL14MOCK0000000002"


def pay(bank: MockBank, sequence: int, amount: str) -> None:
    order = Order(f"W{sequence}", Way.TRANSFER, Decimal(amount), Party("Ana", iban=BENEFICIARY, bic="MOCKNL2A"))
    payer = Party("Acme", iban=OURS, bic="MOCKNL2A")
    made_at = datetime(2026, 10, 1, 8, tzinfo=UTC)
    file = PaymentFile(sequence, made_at, date(2026, 10, 1), payer, "ACME", "EUR", [order])
    bank.take(pain001.write(file), f"{sequence}.xml")


def test_each_day_of_a_bank_is_booked_to_the_cent(tmp_path: Path) -> None:
    account = a_bank_account("MOCK-EUR-1", currency="EUR", numbers={"iban": OURS})
    with mock_bank(tmp_path) as bank:
        stranger = {"name": "Stranger", "iban": BENEFICIARY}
        for day in range(1, 4):
            pay(bank, day, f"{day}.01")
            credit = {"account": "ACME", "amount": 100 + day, "note": f"INV-{day}", "debtor": stranger}
            bank.ask("POST", "/_mock/credits", credit)
            if day == 2:
                bank.ask("PATCH", "/_mock/accounts/ACME", {"behaviour": "return-later", "parameters": {"days": 1}})
            bank.ask("POST", "/_mock/advance?days=1")
        bank.ask("POST", "/_mock/advance?days=5")
        written = {name: content for name, content in bank.new_files().items() if "ACME" in name and "camt" in name}
        (ours,) = [one for one in bank.ask("GET", "/_mock/accounts") if one["id"] == "ACME"]

    for name, content in written.items():
        files.fetched(account, name, content)
    sweep()

    assert set(ImportedFile.objects.values_list("state", flat=True)) == {"TAKEN"}
    assert BankStatement.objects.order_by("-position").values_list("closing", flat=True)[0] == ours["balance"]
    assert booked(account) == ours["balance"]
    assert verify() == []
    known = ImportedFile.objects.count()
    assert [files.fetched(account, name, content) for name, content in written.items()] == [None] * known
