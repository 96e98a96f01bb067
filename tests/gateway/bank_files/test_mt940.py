"""MT940 in the dialects of its banks, and what two other readers find in it."""

from decimal import Decimal

import bankfile
import mt940 as other
import pytest

from gateway.bank_files.reading import read
from gateway.bank_files.shapes import Statement, StatementLine, UnreadableFile
from tests.support.statements import mt940


def statement(content: str) -> Statement:
    (found,) = read(content.encode())
    assert isinstance(found, Statement)
    return found


def line(*written: str, closing: str) -> StatementLine:
    (found,) = statement(mt940("0,00", closing, *written)).lines
    return found


def test_a_german_statement_with_structured_details() -> None:
    found = line(
        ":61:2610011002D12,50NTRFCUSTREF//BANKREF",
        ":86:166?00UEBERWEISUNG?109075?20EREF+W1?21SVWZ+Auszahlung Nr. 7 vom Ok",
        "?22tober?30COBADEFFXXX?31DE89370400440532013000?32Max Muster?33mann",
        closing="-12,50",
    )

    assert (found.amount, str(found.booked_on), found.reference) == (Decimal("-12.50"), "2026-10-02", "BANKREF")
    assert (found.order_number, found.end_to_end_id, found.code) == ("W1", "W1", "NTRF-166")
    assert "Auszahlung Nr. 7 vom Oktober" in found.text
    assert found.counterparty is not None
    assert (found.counterparty.name, found.counterparty.iban) == ("Max Mustermann", "DE89370400440532013000")


DETAILS = {
    "words between slashes": ":86:/TRCD/00108/EREF/W1/BENM//NAME/Max/REMI/USTD//Payout/",
    "another sign": ":86:020~00PRZELEW~20EREF+W1~21SVWZ+Payout~32Max",
    "no structure": ":86:EREF W1 Payout Max",
}


@pytest.mark.parametrize("name", DETAILS)
def test_details_in_each_dialect(name: str) -> None:
    found = line(":61:261001D12,50NTRFNONREF", DETAILS[name], closing="-12,50")

    assert str(found.booked_on) == "2026-10-01"  # the value date where there is no other
    assert "Payout" in found.text
    assert found.order_number == ("" if name == "no structure" else "W1")


@pytest.mark.parametrize(("mark", "amount"), [("C", 5), ("D", -5), ("RC", -5), ("RD", 5), ("CR", 5), ("DR", -5)])
def test_each_mark_says_which_way_the_money_went(mark: str, amount: int) -> None:
    found = line(f":61:2610011001{mark}5,NTRFREF1", closing=f"{amount},")

    assert (found.amount, found.is_reversal) == (amount, mark in {"RC", "RD"})
    assert found.order_number == ("REF1" if amount < 0 or found.is_reversal else "")


@pytest.mark.parametrize(
    "written", [":61:2610011001D5,NDDTW1", ":61:2610011001D5,NTRFW1\n:86:105?00LASTSCHRIFT?20EREF+W1"]
)
def test_what_somebody_else_collected_names_no_order_of_ours(written: str) -> None:
    assert line(written, closing="-5,").order_number == ""


def test_the_day_of_booking_takes_the_year_that_is_closest() -> None:
    found = statement(mt940("0,00", "3,00", ":61:2601011231C1,NTRFA", ":61:2512310102C2,NTRFB"))

    assert [str(one.booked_on) for one in found.lines] == ["2025-12-31", "2026-01-02"]


def test_a_day_that_only_interest_knows_is_the_last_of_its_month() -> None:
    assert str(line(":61:260230C1,NTRFA", closing="1,00").booked_on) == "2026-02-28"


def test_swift_envelopes_blank_dates_and_several_days_are_read() -> None:
    first = mt940("1,00", "3,00", ":61:261001    C2,00NOVBREF", "Somebody", ":86:text")
    second = mt940("3,00", "0,00", ":61:261002    D3,00NMSCNONREF//")
    content = "".join(f"{{1:F01BANKNL21XXXX0}}{{2:O940BANKNL21}}{{4:\r\n{one}-}}{{5:}}\r\n" for one in (first, second))

    found = [one for one in read(content.encode()) if isinstance(one, Statement)]

    assert [(one.opening, one.closing, len(one.lines)) for one in found] == [(1, 3, 1), (3, 0, 1)]
    assert "Somebody" in found[0].lines[0].text


def test_an_mt942_is_a_notice() -> None:
    found = statement(
        ":20:X\n:25:123\n:28C:1\n:34F:EUR0,\n:13D:2610011200+0100\n:61:261001C2,00NTRFA\n:90C:1EUR2,00\n-"
    )

    assert (found.is_notice, found.currency, found.lines[0].amount) == (True, "EUR", 2)


REFUSED = {
    "a cent is missing": mt940("0,00", "2,01", ":61:261001C2,00NTRFA"),
    "a movement that is none": mt940("0,00", "2,00", ":61:261001X2,00NTRFA"),
    "an amount that is none": mt940("0,00", "2,00", ":61:261001C2.0.0,0,0NTRFA"),
    "a date that is none": mt940("0,00", "2,00", ":61:261301C2,00NTRFA"),
    "no closing balance": mt940("0,00", "2,00", ":61:261001C2,00NTRFA").partition(":62F:")[0],
    "two currencies": mt940("0,00", "0,00").replace(":62F:C261031EUR", ":62F:C261031USD"),
    "a balance twice": mt940("0,00", "0,00").replace(":62F:", ":60F:C261031EUR1,00\n:62F:"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_statement_that_cannot_be_trusted_is_unreadable_at_its_line(name: str) -> None:
    with pytest.raises(UnreadableFile) as refused:
        statement(REFUSED[name])

    assert refused.value.line > 0


def test_two_other_readers_find_the_same() -> None:
    content = mt940(
        "100,00",
        "90,49",
        ":61:2610011001D12,50NTRFREF1//BANK1",
        ":86:166?00UEBERWEISUNG?20EREF+W1?32Max",
        ":61:2610021002C3,00NTRFREF2//BANK2",
        ":86:166?00GUTSCHRIFT?20SVWZ+Danke?32Moritz",
        ":61:2610031003D0,01NCHGNONREF",
    )
    ours = [(one.amount, one.booked_on) for one in statement(content).lines]

    parsed = other.parse(content)
    assert [(one.data["amount"].amount, one.data["entry_date"]) for one in parsed] == ours
    third = bankfile.parse_bytes(content.encode()).transactions
    assert [(one.amount, one.booking_date) for one in third] == ours
