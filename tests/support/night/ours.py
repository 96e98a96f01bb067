"""Our side of the night: companies that sell by boleto and withdraw, and two bank accounts that are used by files."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from itertools import islice

from django.db import connection, transaction

from accounts.audit import Actor
from accounts.base.clock import utcnow
from accounts.base.sealing import unseal
from accounts.models import Company, Merchant
from gateway.boletos import due as boletos_due
from gateway.boletos import files as boletos
from gateway.methods.boleto.numbers import digitable_line
from gateway.payout_batches import due as batches_due
from gateway.providers import accounts
from gateway.providers.models import ProviderAccount
from gateway.providers.selectors import agreement_of
from gateway.reconciliation import due, files
from gateway.reconciliation.models import BankAccount, ImportedFile
from gateway.withdrawals import due as withdrawals_due
from gateway.withdrawals import services as withdrawals
from gateway.withdrawals.approvals.identities import Requester
from gateway.withdrawals.gates import WithdrawalDraft
from ledger.books.services import Move, Side, post, wallet
from ledger.chart import AccountKind
from tests.support.bank_accounts import a_bank_account
from tests.support.batches import BY_CNAB, bank_account, gathered, handed_over, release
from tests.support.boleto_bank import CREDENTIALS
from tests.support.boletos import ADDRESS
from tests.support.providers import NOTE, confirms, enters, paid_out_by

COLLECTS = {"bank": "341", "branch": "1234", "account": "56789", "account_digit": "0"}
PAYS = {"bank": "341", "branch": "1234", "account": "44332", "account_digit": "1"}
FIRST_NUMBER, FIRST_CENTS = 1000, 10_000
_PEOPLE = """
    INSERT INTO gateway_customer (id, merchant_id, name, tax_id, tax_id_type, email, phone, created_at, updated_at)
    SELECT 'cus_' || lpad(n::text, 26, '0'), (%(merchants)s::bigint[])[n], 'Maria', '52998224725', 'CPF', '', '',
           now(), now() FROM generate_series(1, cardinality(%(merchants)s::bigint[])) n
"""
_ORDERED = """
    INSERT INTO gateway_payment (id, merchant_id, customer_id, account_id, reference, status, method, requested_method,
           currency, amount, fee, refunded_amount, settlement_days, payer, details, expires_at, due_date, created_at,
           updated_at)
    SELECT 'pay_' || lpad(n::text, 26, '0'), c.merchant_id, c.id, %(account)s, 'slip-' || n, 'PENDING', 'BOLETO',
           'BOLETO', 'BRL', %(cents)s + n, 349, 0, 0, %(payer)s, %(details)s, now() + interval '9 days',
           current_date + 5, now(), now()
      FROM generate_series(0, %(count)s::bigint - 1) n
      JOIN gateway_customer c ON c.id = 'cus_' || lpad((1 + n %% %(shops)s)::text, 26, '0')
"""
_NUMBERED = """
    INSERT INTO gateway_slip (payment_id, agreement, number, state, is_withdrawal_asked, created_at, updated_at)
    SELECT 'pay_' || lpad(n::text, 26, '0'), %(series)s, %(first)s + n, 'NEW', false, now(), now()
      FROM generate_series(0, %(count)s::bigint - 1) n
"""


@dataclass(frozen=True, slots=True)
class Ours:
    """`collects` receives the boletos of all companies, `pays` their withdrawals."""

    merchants: Sequence[Merchant]
    collects: BankAccount
    pays: BankAccount
    agreement: ProviderAccount
    payer: ProviderAccount

    def registration(self) -> bytes:
        file = boletos.write_file(self.agreement)
        assert file is not None
        return unseal(bytes(file.sealed_content))

    def payment_file(self) -> bytes:
        """All that waits, gathered and released by two people, and handed over."""
        return handed_over(release(gathered(self.payer)))

    def gets(self, account: BankAccount, name: str, content: bytes) -> ImportedFile | None:
        """A file from the bank's folder takes effect with all that follows. None: it was imported before."""
        file = files.fetched(account, name, content)
        while batches_due.run_due(1000) or boletos_due.run_due(1000) or due.run_due():
            pass
        if file:
            file.refresh_from_db()
        return file


def prepared(merchants: Sequence[Merchant]) -> Ours:
    """Money for withdrawals, an agreement for boletos, and an account that pays by file."""
    Company.objects.filter(pk__in=[one.company_id for one in merchants]).update(status=Company.Status.ACTIVE)
    Merchant.objects.filter(pk__in=[one.pk for one in merchants]).update(withdrawal_enabled=True)
    for merchant in merchants:
        merchant.refresh_from_db()
        clearing, available = Side(AccountKind.CLEARING, "PIX", "BRL"), wallet(AccountKind.AVAILABLE, "BRL")
        post(merchant, "night.funded", str(merchant.pk), [Move(10**11, debit=clearing, credit=available)], utcnow())
    agreement = _agreement()
    payer = bank_account(BY_CNAB | PAYS, accounts_by="TED")
    paid_out_by(payer)
    paid_out_by(payer, rail="BANK_TRANSFER")
    return Ours(
        merchants,
        a_bank_account("ITAU-COLLECTS", agreement, numbers=COLLECTS),
        a_bank_account("ITAU-PAYS", payer, numbers=PAYS),
        agreement,
        payer,
    )


def _agreement() -> ProviderAccount:
    new = accounts.NewAccount("bank-boletos", "Boletos", "PRODUCTION", None)
    given = CREDENTIALS | {"first_number": FIRST_NUMBER, "last_number": 99_999_999}
    account = accounts.check(Actor(enters()), accounts.enter(Actor(enters()), new, given, NOTE))
    accounts.activate(Actor(confirms()), account, NOTE)
    return account


@transaction.atomic
def order_boletos(ours: Ours, count: int) -> None:
    """Of 100.00 and one cent more each, in turn of the companies; the n-th has the n-th number."""
    agreement = agreement_of(ours.agreement)
    assert agreement is not None
    bars = agreement.barcode(FIRST_NUMBER, utcnow().date() + timedelta(5), FIRST_CENTS)
    details = {"barcode": bars, "digitableLine": digitable_line(bars), "documentNumber": str(FIRST_NUMBER)}
    details |= {"dueDate": str(utcnow().date() + timedelta(5)), "beneficiary": "ACME LTDA", "payableFrom": ""}
    details |= {"beneficiaryTaxId": "11444777000161", "bankNumber": "", "beneficiaryCode": "", "wallet": "109"}
    payer = {"name": "Maria Silva", "taxId": "52998224725", "taxIdType": "CPF", "email": "maria@example.com"}
    payer |= {"phone": None, "address": ADDRESS}  # type: ignore[dict-item]
    given = {
        "merchants": [one.pk for one in ours.merchants],
        "shops": len(ours.merchants),
        "account": ours.agreement.pk,
        "count": count,
        "cents": FIRST_CENTS,
        "first": FIRST_NUMBER,
        "series": agreement.series,
        "payer": json.dumps(payer),
        "details": json.dumps(details),
    }
    with connection.cursor() as cursor:
        for sql in (_PEOPLE, _ORDERED, _NUMBERED):
            cursor.execute(sql, given)


def withdraw(ours: Ours, count: int, first: int = 0) -> None:
    """Three over PIX, one by TED, and so on; each has its amount and beneficiary, but the first two share."""
    drafts = _drafts(ours.merchants, range(first, first + count))
    while part := list(islice(drafts, 500)):
        with transaction.atomic():
            for merchant, draft in part:
                withdrawals.create(merchant, draft)
    while withdrawals_due.run_due():
        pass


def _drafts(merchants: Sequence[Merchant], numbers: range) -> Iterator[tuple[Merchant, WithdrawalDraft]]:
    for number in numbers:
        merchant, is_pix = merchants[number // 4 % len(merchants)], number % 4 != 3
        place = {
            "bankCode": "001",
            "branch": "4321",
            "accountNumber": f"{100_000 + number}-0",
            "accountType": "CHECKING",
            "beneficiaryName": "Loja do Joao",
            "beneficiaryTaxId": "11222333000181",
        }
        key = {"pixKey": f"p{max(1, number)}@loja.example", "pixKeyType": "EMAIL"}
        yield (
            merchant,
            WithdrawalDraft(
                company_id=merchant.company_id,
                rail="PIX" if is_pix else "BANK_TRANSFER",
                amount=Decimal(10_000 + 37 * number) / 100,
                currency="BRL",
                payout_currency="BRL",
                reference=f"night-{number}",
                destination=key if is_pix else place,
                requester=Requester(),
                is_from_backend=False,
            ),
        )
