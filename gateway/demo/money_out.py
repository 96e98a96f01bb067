"""How the demo company pays out: a schedule, a bulk file, rules, and a withdrawal to approve. And a bank account of the
operator, with a statement.
"""

import hashlib
from datetime import timedelta
from decimal import Decimal

from accounts.audit import Actor
from accounts.base.clock import utcnow
from accounts.models import Merchant, User
from gateway.bulk import services as bulk
from gateway.bulk.models import Kind
from gateway.bulk.orders import WithdrawalOrder
from gateway.payout_schedules import services as payout_schedules
from gateway.payout_schedules.services import Plan
from gateway.payouts.pix.rail import shown_key
from gateway.reconciliation import accounts, files
from gateway.reconciliation.models import ImportedFile
from gateway.withdrawals import services as withdrawals
from gateway.withdrawals.approvals.identities import Requester
from gateway.withdrawals.beneficiaries import services as beneficiaries
from gateway.withdrawals.beneficiaries.services import BeneficiaryDraft
from gateway.withdrawals.gates import WithdrawalDraft
from gateway.withdrawals.rules import services as rules
from gateway.withdrawals.rules.content import Rules
from ledger.money import to_decimal, to_minor
from ledger.wallets.selectors import holdings

OWN_ACCOUNT = {"cbu": "2850590940090418135201", "beneficiaryName": "Loja Exemplo", "beneficiaryTaxId": "20123456786"}
SUPPLIERS = (("papel@fornecedor.example", "120.50"), ("frete@fornecedor.example", "80.00"))
LANDLORD = {"pixKey": "aluguel@imobiliaria.example", "pixKeyType": "EMAIL"}
RENT = Decimal("7200.00")
RULES = Rules(people=1, above={"BRL": 500_000}, cooling_off_h=24)
BANK_ACCOUNT = {
    "title": "Banco Exemplo",
    "currency": "BRL",
    "owner": None,
    "numbers": {"bank": "341", "branch": "0123", "account": "45678", "account_digit": "9"},
    "fee_codes": [],
    "fee_texts": ["TARIFA"],
    "provider_accounts": [],
    "is_closed": False,
}
STATEMENT = """OFXHEADER:100
DATA:OFXSGML
VERSION:102
ENCODING:UTF-8
CHARSET:NONE

<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>BRL
<BANKACCTFROM><BANKID>341<ACCTID>456789<ACCTTYPE>CHECKING</BANKACCTFROM>
<BANKTRANLIST><DTSTART>{day}<DTEND>{day}
<STMTTRN><TRNTYPE>CREDIT<DTPOSTED>{day}<TRNAMT>15000.00<FITID>1<MEMO>TRANSFERENCIA RECEBIDA</STMTTRN>
<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>{day}<TRNAMT>-49.90<FITID>2<MEMO>TARIFA MENSAL</STMTTRN>
</BANKTRANLIST><LEDGERBAL><BALAMT>14950.10<DTASOF>{day}</LEDGERBAL></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>
"""


def leave_open_work(sandbox: Merchant, *, owner: User, finance: User) -> None:
    """Leaves a schedule, a bulk file, and a withdrawal by `finance` that `owner` can approve, if there is the money."""
    plan = Plan("ARS", "BANK_TRANSFER", "WEEKLY", 7, destination=OWN_ACCOUNT, weekday=4, keep=50_000_00)
    payout_schedules.register(sandbox, plan, by=owner)
    _pay_suppliers(sandbox, owner)
    rules.propose(Actor(owner), sandbox, RULES)
    requester = Requester.of_person(finance)
    beneficiaries.add(sandbox, BeneficiaryDraft("Imobiliária Central", "PIX", "BRL", LANDLORD, requester))
    if to_decimal(holdings(sandbox, "BRL").currencies["BRL"].available, "BRL") < RENT + 100:
        return
    rent = WithdrawalDraft(
        company_id=sandbox.company_id,
        rail="PIX",
        amount=RENT,
        currency="BRL",
        payout_currency="BRL",
        reference="rent",
        destination=LANDLORD,
        requester=requester,
        is_from_backend=False,
    )
    withdrawals.create(sandbox, rent)


def _pay_suppliers(sandbox: Merchant, owner: User) -> None:
    lines = [
        bulk.Line(
            row,
            WithdrawalOrder("PIX", Decimal(amount), "BRL", f"supplier-{row}", {"pixKey": key, "pixKeyType": "EMAIL"}),
            {"pixKey": shown_key(key, "EMAIL")},
            to_minor(Decimal(amount), "BRL"),
            "BRL",
        )
        for row, (key, amount) in enumerate(SUPPLIERS, start=2)
    ]
    name, digest = "suppliers.csv", hashlib.sha256(b"suppliers").digest()
    file = bulk.keep(sandbox, Kind.WITHDRAWALS, name, digest, lines, {}, by=owner, way="pix")
    bulk.confirm(sandbox, file.pk, by=owner, reviewed=True)


def receive_statement(staff: User) -> ImportedFile:
    """An account of the operator with yesterday's statement: a fee, and a credit that nobody has explained yet."""
    account = accounts.save("DEMO-BRL-1", BANK_ACCOUNT)
    content = STATEMENT.format(day=f"{utcnow() - timedelta(days=1):%Y%m%d}").encode()
    file = files.upload(Actor(staff), account.code, "extrato.ofx", content, "Demo.")
    files.confirm(file)
    files.take(file, utcnow())
    return file
