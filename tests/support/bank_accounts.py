"""Bank accounts of ours and statements, as a bank would make them."""

from datetime import date
from decimal import Decimal
from hashlib import sha256
from typing import Any

from accounts.base.clock import utcnow
from accounts.operator import operator
from gateway.bank_files.shapes import Party, Statement, StatementLine
from gateway.providers.models import ProviderAccount
from gateway.reconciliation import due, handlers
from gateway.reconciliation.models import BankAccount, BankLine, ImportedFile
from ledger.models import Balance

TODAY = date(2026, 11, 20)
NUMBERS = {"bank": "341", "branch": "1234", "account": "56789", "account_digit": "0"}


def a_bank_account(code: str = "ITAU-BRL-1", *provider_accounts: ProviderAccount, **members: Any) -> BankAccount:
    given = {"title": "Itaú", "currency": "BRL", "numbers": NUMBERS, "fee_codes": ["TAR"], **members}
    account = BankAccount.objects.create(code=code, owner=operator(), **given)
    account.provider_accounts.set(provider_accounts)
    return account


def line(amount: str, **members: Any) -> StatementLine:
    return StatementLine(**({"amount": Decimal(amount), "booked_on": TODAY} | members))


def statement(*lines: StatementLine, opening: str = "0.00", **members: Any) -> Statement:
    """From the balance `opening` to that which the lines lead to."""
    start = Decimal(opening or 0)
    closing = start + sum((one.amount for one in lines), Decimal(0))
    told: dict[str, Any] = {
        "format": "test",
        "account": Party("Onpay", **NUMBERS),
        "currency": "BRL",
        "opened_on": TODAY,
        "closed_on": TODAY,
        "opening": start,
        "closing": closing,
    }
    return Statement(lines=lines, **told | members)


def imported(account: BankAccount, *documents: Any) -> ImportedFile:
    """The documents take effect, as from a file that was confirmed. Raises DocumentRefused."""
    digest = sha256(f"{ImportedFile.objects.count()}".encode()).hexdigest()
    file = ImportedFile.objects.create(
        account=account, name="file", digest=digest, size=1, sealed_content=b"", state="TAKEN", taken_at=utcnow()
    )
    for handler, same in handlers.handled(list(documents)):
        handler.apply(file, same)
    sweep()
    return file


def sweep() -> None:
    while due.run_due():
        pass


def lines_of(account: BankAccount) -> list[BankLine]:
    return list(BankLine.objects.filter(account=account).order_by("statement__position", "position"))


def booked(account: BankAccount) -> int:
    """What the books of all companies say is at the bank."""
    balances = Balance.objects.filter(account__kind="BANK", account__method=account.code)
    return -sum(balances.values_list("amount", flat=True))
