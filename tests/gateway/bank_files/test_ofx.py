"""OFX in the dialects of Brazil and Mexico, and what two other readers find in it."""

import io
from decimal import Decimal

import bankfile
import pytest
from ofxparse import OfxParser

from gateway.bank_files.reading import read
from gateway.bank_files.shapes import Statement, UnreadableFile
from tests.support.statements import moved, ofx

XML = (
    '<?xml version="1.0" encoding="UTF-8"?><?OFX OFXHEADER="200" VERSION="202" SECURITY="NONE" OLDFILEUID="NONE" '
    'NEWFILEUID="NONE"?>'
)


def statement(content: str | bytes) -> Statement:
    (found,) = read(content.encode("cp1252") if isinstance(content, str) else content)
    assert isinstance(found, Statement)
    return found


def test_a_brazilian_download_in_latin_1_with_commas_and_without_closing_tags() -> None:
    found = statement(
        ofx(
            moved("-1.234,56", "A1", "PIX ENVIADO JOÃO"),
            moved("2.000,00", "A2", "PIX RECEBIDO", on="20261005233000[-3:BRT]"),
            closing="1.000,00",
        )
    )

    assert [line.amount for line in found.lines] == [Decimal("-1234.56"), Decimal(2000)]
    assert [str(line.booked_on) for line in found.lines] == ["2026-10-05"] * 2  # the bank's day, not that of UTC
    assert [line.reference for line in found.lines] == ["A1", "A2"]
    assert found.lines[0].text == "PIX ENVIADO JOÃO"
    assert (found.account.bank, found.account.account, found.currency) == ("0341", "1234567", "BRL")
    assert (found.opening, found.closing) == (None, Decimal("1000.00"))
    assert (str(found.opened_on), str(found.closed_on)) == ("2026-10-01", "2026-10-31")


def test_ofx_2_is_xml_with_entities_of_characters_only() -> None:
    content = XML + ofx(moved("-5.00", "A1", "TOM &amp; JERRY &lt;3")).partition("\n\n")[2]

    assert statement(content.encode()).lines[0].text == "TOM & JERRY <3"
    for name, text in {"MEMO": "x<![CDATA[a & b]]>", "NAME": "<!-- none -->"}.items():
        assert statement(content.replace("<MEMO>TOM", f"<{name}>{text}<MEMO>TOM").encode()).lines[0].amount == -5


def test_a_mexican_account_is_a_clabe_and_the_other_side_has_its_own_number() -> None:
    transfer = moved("-5.00", "A1", "SPEI").replace(
        "<MEMO>", "<BANKACCTTO>\n<BANKID>072\n<ACCTID>999\n</BANKACCTTO>\n<MEMO>"
    )
    content = ofx(transfer).replace("<ACCTID>1234567", "<ACCTID>032180000118359719").replace("BRL\n", "MXN\n")

    found = statement(content)

    assert (found.account.clabe, found.currency) == ("032180000118359719", "MXN")
    assert found.lines[0].counterparty is not None
    assert (found.lines[0].counterparty.bank, found.lines[0].counterparty.account) == ("072", "999")


def test_balances_among_the_transactions_are_no_movements() -> None:
    found = statement(
        ofx(
            moved("10,00", "0", "Saldo Anterior", kind="OTHER"),
            moved("5,00", "1", "PIX de Saldo Anterior Ltda"),
            moved("15,00", "0", "Saldo do dia", kind="OTHER"),
            closing="15,00",
        )
    )

    assert [line.reference for line in found.lines] == ["1"]
    assert (found.opening, found.closing) == (Decimal(10), Decimal(15))
    with pytest.raises(UnreadableFile):
        statement(ofx(moved("10,00", "0", "Saldo Anterior"), moved("5,00", "1"), closing="15,01"))


@pytest.mark.parametrize("told", ["SALDO TOTAL DISPONÍVEL DIA", "Saldo do dia", "S A L D O", "SALDO BLOQ.ANTERIOR"])
def test_each_bank_has_words_of_its_own_for_a_balance(told: str) -> None:
    found = statement(ofx(moved("5,00", "1", f"{told} LTDA"), moved("99,00", "2", told)))

    assert [line.reference for line in found.lines] == ["1"]


def test_a_balance_without_a_day_is_the_closing_one() -> None:
    assert statement(ofx(moved("5", "1"), closing="5,00", as_of="00000000")).closing == 5


def test_branch_and_digits_are_told_apart() -> None:
    found = statement(ofx(moved("5", "1")).replace("<ACCTID>1234567", "<BRANCHID>5024-5\n<ACCTID>2754-5")).account

    assert (found.branch, found.branch_digit, found.account, found.account_digit) == ("5024", "5", "2754", "5")


def test_amounts_without_signs_go_the_way_that_their_type_says() -> None:
    assert [line.amount for line in statement(ofx(moved("5", "1"), moved("7", "2", kind="DEBIT"))).lines] == [5, -7]
    signed = statement(ofx(moved("-5", "1"), moved("7", "2", kind="DEBIT"))).lines
    assert [line.amount for line in signed] == [-5, 7]  # a debit that is taken back


def test_a_balance_of_another_day_is_not_the_closing_one() -> None:
    assert statement(ofx(moved("5", "1"), closing="5.00", as_of="20261102")).closing is None


def test_two_accounts_are_two_statements() -> None:
    content = ofx(moved("5", "1"))
    first, second = content.partition("<STMTTRNRS>")[::2]
    twice = f"{first}<STMTTRNRS>{second.partition('</BANKMSGSRSV1>')[0]}<STMTTRNRS>{second}"

    assert [len(one.lines) for one in read(twice.encode()) if isinstance(one, Statement)] == [1, 1]


REFUSED = {
    "an amount that could be two": ofx(moved("1,234", "1")),
    "no amount": ofx(moved("", "1")),
    "a blank amount": ofx(moved("  .  ", "1")),
    "no date": ofx(moved("1", "1", on="00000000")),
    "another currency": ofx(moved("1", "1").replace("<MEMO>", "<CURRENCY>\n<CURSYM>USD\n</CURRENCY>\n<MEMO>")),
    "no currency": ofx(moved("1", "1")).replace("<CURDEF>BRL\n", ""),
    "cut off": ofx(moved("1", "1"), moved("2", "2"))[:-130],
    "no statement": "OFXHEADER:100\n\n<OFX><SIGNONMSGSRSV1></SIGNONMSGSRSV1></OFX>",
    "zeros inside": ofx(moved("1", "1")) + "\0",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_could_be_read_wrongly_is_not_read(name: str) -> None:
    with pytest.raises(UnreadableFile):
        statement(REFUSED[name])


@pytest.mark.filterwarnings("ignore:Call to deprecated:DeprecationWarning")
def test_two_other_readers_find_the_same() -> None:
    content = ofx(
        moved("-1234.56", "A1", "PAGAMENTO"), moved("2000.00", "A2", "RECEBIDO"), moved("-0.01", "A3"), closing="765.43"
    ).encode()
    ours = [(line.reference, line.amount, line.booked_on) for line in statement(content).lines]

    parsed = OfxParser.parse(io.BytesIO(content)).account.statement
    assert [(one.id, one.amount, one.date.date()) for one in parsed.transactions] == ours
    assert parsed.balance == statement(content).closing
    others = bankfile.parse_bytes(content).transactions
    assert [(one.bank_reference, one.amount, one.date) for one in others] == ours
