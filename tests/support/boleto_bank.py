"""An agreement with a bank to collect by boleto, and the bank's files about its boletos."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from accounts.audit import Actor
from gateway.boletos import due, files
from gateway.boletos.models import RegistrationFile
from gateway.methods.models import MethodRule
from gateway.payments.models import Payment
from gateway.providers import accounts
from gateway.providers.models import ProviderAccount
from gateway.reconciliation import files as bank_files
from gateway.reconciliation.models import BankAccount, ImportedFile
from gateway.slips.models import Slip
from tests.support.api import Api
from tests.support.bad_orders import in_days
from tests.support.bank_accounts import a_bank_account
from tests.support.bank_lines import put
from tests.support.boletos import ADDRESS
from tests.support.companies import Shop
from tests.support.payments import a_reference
from tests.support.providers import NOTE, confirms, enters, routed

CREDENTIALS: dict[str, Any] = {
    "bank": "341",
    "holder": "ACME LTDA",
    "tax_id": "11444777000161",
    "branch": "1234",
    "account": "56789",
    "account_digit": "0",
    "wallet": "109",
    "first_number": 1000,
    "last_number": 2000,
}
BRADESCO = CREDENTIALS | {"bank": "237", "account": "456789", "wallet": "9", "agreement": "4540691"}
SANTANDER = CREDENTIALS | {
    "bank": "033", "account": "13000123", "wallet": "101", "agreement": "123400001899775",
    "beneficiary_code": "1899775",
}  # fmt: skip
DAY = date(2026, 11, 25)
REGISTERED, REFUSED, PAID, WITHDRAWN = "02", "03", "06", "09"


def connected(shop: Shop, **members: Any) -> ProviderAccount:
    """The company's agreement is active and routed, and boletos are switched on in production."""
    new = accounts.NewAccount("bank-boletos", f"{shop.company} boletos", "PRODUCTION", shop.production)
    entered = accounts.enter(Actor(enters()), new, CREDENTIALS | members, NOTE)
    account = accounts.check(Actor(enters()), entered)
    accounts.activate(Actor(confirms()), account, NOTE)
    routed(account, merchant=shop.production, method="BOLETO", currency="BRL")
    MethodRule.objects.filter(environment="PRODUCTION", method="BOLETO").update(enabled=True)
    return account


def ordered(shop: Api, due_in: int = 5) -> dict[str, Any]:
    payer = {"name": "Maria da Conceição", "taxId": "52998224725", "email": "conceicao@example.com", "address": ADDRESS}
    body = {"method": "BOLETO", "amount": 150.00, "currency": "BRL", "reference": a_reference(), "payer": payer}
    answer = shop.post("/payments", body | {"dueDate": in_days(due_in)})
    assert answer.status_code == 201, answer.content
    found: dict[str, Any] = answer.json()["data"]
    return found


@dataclass(frozen=True, slots=True)
class Said:
    """What the bank says of a boleto: a code, and what was paid in cents. `fee` is taken off."""

    payment: str
    code: str
    paid: int = 0
    fee: int = 0


class Bank:
    """A bank with the company's account."""

    def __init__(self, account: ProviderAccount) -> None:
        self.account: BankAccount = a_bank_account("ITAU-BRL-1", account)
        self.provider_account = account
        self.sequence = 0

    def given(self) -> RegistrationFile | None:
        """The next file for the bank."""
        return files.write_file(self.provider_account)

    def says(self, *said: Said, sequence: int | None = None) -> ImportedFile:
        """A return, fetched from the bank, takes effect."""
        if sequence is None:
            self.sequence += 1
            sequence = self.sequence
        content = returned(said, sequence)
        file = bank_files.fetched(self.account, f"{sequence}.ret", content)
        assert file is not None
        while due.run_due():
            pass
        file.refresh_from_db()
        return file


def returned(said: Sequence[Said], sequence: int) -> bytes:
    """Segments T and U of Itaú."""
    account = ((53, "01234"), (59, "000000056789"), (72, "0"), (73, "ACME LTDA"))
    lines = [
        put(240, (1, "34100000"), *account, (143, "2"), (144, f"{DAY:%d%m%Y}"), (158, f"{sequence:06d}")),
        put(240, (1, "34100011T0100030")),
    ]
    for index, one in enumerate(said):
        number = Slip.objects.get(pk=one.payment).number if one.payment.startswith("pay_") else int(one.payment)
        amount = Payment.objects.filter(pk=one.payment).values_list("amount", flat=True).first() or 1
        t = (9, f"{2 * index + 1:05d}T"), (16, one.code), (38, f"109{number:08d}0"), (82, f"{amount:015d}")
        u = (9, f"{2 * index + 2:05d}U"), (16, one.code), (78, f"{one.paid:015d}"), (93, f"{one.paid - one.fee:015d}")
        lines.append(put(240, (1, "34100013"), *t, (199, f"{one.fee:015d}")))
        lines.append(put(240, (1, "34100013"), *u, (138, f"{DAY:%d%m%Y}"), (146, f"{DAY:%d%m%Y}")))
    count = 2 * len(said)
    lines.append(put(240, (1, "34100015"), (18, f"{count + 2:06d}")))
    lines.append(put(240, (1, "34199999"), (18, f"000001{count + 4:06d}")))
    return "\n".join(lines).encode()
