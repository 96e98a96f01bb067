"""Returns with nothing in them, bills beside our orders, and the lines of old agreements of Banco do Brasil."""

from datetime import date
from decimal import Decimal

import pytest

from gateway.bank_files.reading import read
from gateway.bank_files.shapes import CollectionReturn, PaymentReturn, SlipEvent, UnreadableFile
from tests.support.bank_lines import put


def without_lines(service: str, direction: str = "2") -> bytes:
    lines = [
        put(240, (1, "00100000"), (73, "LOJA"), (143, direction), (144, "23112026"), (158, "000007")),
        put(240, (1, "00100011T"), (10, service)),
        put(240, (1, "00100015"), (18, "000002")),
        put(240, (1, "00199999"), (18, "000001000004")),
    ]
    return "\n".join(lines).encode()


@pytest.mark.parametrize(("service", "kind"), [("01", CollectionReturn), ("20", PaymentReturn)])
def test_a_day_on_which_nothing_happened_has_a_return_without_answers(service: str, kind: type) -> None:
    (found,) = read(without_lines(service))
    assert isinstance(found, CollectionReturn | PaymentReturn)
    assert (type(found), found.answers, found.doubts, found.sequence) == (kind, (), (), "7")


@pytest.mark.parametrize(("service", "direction"), [("99", "2"), ("01", "1")])
def test_a_lot_about_nothing_known_and_a_file_to_the_bank_are_refused(service: str, direction: str) -> None:
    with pytest.raises(UnreadableFile):
        read(without_lines(service, direction))


@pytest.mark.parametrize(
    ("bank", "bill"),
    [
        ("033", ((108, "000000000055457"), (100, "14122012"), (123, "1848"))),
        ("341", ((122, "000000000055457"), (137, "14122012"), (145, "000000000055457"), (175, "1848"))),
    ],
)
def test_a_bill_that_was_paid_beside_our_orders_is_an_answer(bank: str, bill: tuple[tuple[int, str], ...]) -> None:
    lines = [
        put(240, (1, f"{bank}00000"), (143, "2"), (144, "14122012"), (158, "000106")),
        put(240, (1, f"{bank}00011C2011030")),
        put(240, (1, f"{bank}0001300001O"), (18, "8" * 44), *bill, (231, "00")),
        put(240, (1, f"{bank}0001300002Z")),
        put(240, (1, f"{bank}00015"), (18, "000004"), (24, "000000000000055458")),
        put(240, (1, f"{bank}99999"), (18, "000001000006")),
    ]
    (found,) = read("\n".join(lines).encode())
    assert isinstance(found, PaymentReturn)
    (answer,) = found.answers
    assert (answer.number, answer.outcome, answer.amount) == ("1848", "PAID", Decimal("554.57"))
    assert answer.paid_on == date(2012, 12, 14)


@pytest.mark.parametrize(
    ("line", "number", "day"),
    [
        (((63, "12345600017"), (109, "05190410"), (176, "200410")), "12345600017", date(2010, 4, 20)),
        (((46, "00000000000000116"), (109, "06190410"), (176, "210410")), "00000000000000116", date(2010, 4, 21)),
    ],
)
def test_lines_of_type_1_are_of_an_old_agreement_or_of_unicred(
    line: tuple[tuple[int, str], ...], number: str, day: date
) -> None:
    lines = [
        put(400, (1, "02RETORNO01COBRANCA"), (77, "001BANCO DO BRASIL"), (95, "190410"), (395, "000001")),
        put(400, (1, "1"), (153, "0000000010000"), (254, "0000000010000"), *line, (395, "000002")),
        put(400, (1, "9201001"), (395, "000003")),
    ]
    (found,) = read("\n".join(lines).encode())
    assert isinstance(found, CollectionReturn)
    (answer,) = found.answers
    assert (answer.bank_number, answer.event, answer.paid) == (number, SlipEvent.PAID, Decimal("100.00"))
    assert (answer.credited_on, found.doubts) == (day, ())
