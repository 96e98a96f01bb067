"""Answers of banks to payment files: what is definite, and what promises nothing."""

from datetime import date
from decimal import Decimal

import pytest

from gateway.bank_files.cnab.payment_files import write
from gateway.bank_files.reading import read
from gateway.bank_files.shapes import OrderOutcome, PaymentReturn, UnreadableFile
from tests.support.bank_orders import answered, by_account, by_key, file_of

ACCEPTED, PAID, REJECTED, RETURNED, UNCERTAIN = (
    OrderOutcome.ACCEPTED, OrderOutcome.PAID, OrderOutcome.REJECTED, OrderOutcome.RETURNED, OrderOutcome.UNCERTAIN,
)  # fmt: skip


def answer_to(codes: str, bank: str = "237") -> PaymentReturn:
    sent = write(file_of(by_account("A1", "10.25"), bank=bank))
    (found,) = read(answered(sent, {"A1": codes}))
    assert isinstance(found, PaymentReturn)
    return found


@pytest.mark.parametrize(
    ("bank", "codes", "outcome"),
    [
        ("237", "00", PAID),
        ("237", "BD", ACCEPTED),
        ("237", "AN", REJECTED),
        ("237", "ANAM", REJECTED),
        ("237", "PJ", REJECTED),
        ("237", "00BD", PAID),
        ("237", "BS", UNCERTAIN),  # under security review at some banks, and never said again
        ("237", "PB", UNCERTAIN),  # interrupted at the other bank
        ("237", "HF", UNCERTAIN),  # no balance yet
        ("237", "ANZZ", UNCERTAIN),
        ("237", "00AN", UNCERTAIN),
        ("237", "BDAN", UNCERTAIN),
        ("237", "??", UNCERTAIN),
        ("237", "", UNCERTAIN),
        ("341", "RJ", REJECTED),
        ("341", "SS", REJECTED),
        ("341", "DV", RETURNED),
        ("341", "00DV", RETURNED),
        ("341", "BDAE", ACCEPTED),  # the date was moved; at other banks AE is a fault
        ("341", "AE", UNCERTAIN),
        ("237", "AE", REJECTED),
        ("237", "00ZA", PAID),  # at another account of the payee
        ("237", "ZA", UNCERTAIN),
    ],
)
def test_codes_mean_what_the_bank_says(bank: str, codes: str, outcome: OrderOutcome) -> None:
    (answer,) = answer_to(codes, bank).answers
    assert (answer.number, answer.outcome, answer.amount) == ("A1", outcome, Decimal("10.25"))


def test_an_answer_names_the_payment_the_day_and_our_account() -> None:
    found = answer_to("00")
    (answer,) = found.answers
    assert (answer.reference, answer.paid_on, answer.codes) == ("BANKA1", date(2026, 11, 24), ("00",))
    assert (found.account.bank, found.account.account.lstrip("0"), found.sequence) == ("237", "56789", "1")


def test_each_order_has_its_own_answer() -> None:
    sent = write(file_of(by_key("K1", "1.00"), by_key("K2", "2.00"), by_account("T1", "3.00"), bank="033"))
    (found,) = read(answered(sent, {"K1": "00", "K2": "PM", "T1": "BD"}))
    assert isinstance(found, PaymentReturn)
    assert {each.number: each.outcome for each in found.answers} == {"K1": PAID, "K2": REJECTED, "T1": ACCEPTED}


def test_a_lot_that_is_refused_refuses_its_orders() -> None:
    lines = answered(write(file_of(by_account("A1", "10.25"), bank="237")), {}).decode().splitlines()
    lines[1] = lines[1][:230] + "TA        "
    (found,) = read("\n".join(lines).encode())
    assert isinstance(found, PaymentReturn)
    assert [(each.outcome, each.codes) for each in found.answers] == [(REJECTED, ("TA",))]


def test_an_answer_with_another_amount_than_its_lot_is_not_read() -> None:
    lines = answered(write(file_of(by_account("A1", "10.25"), bank="237")), {"A1": "BD"}).decode().splitlines()
    lines[2] = lines[2][:119] + "000000000001035" + lines[2][134:]
    with pytest.raises(UnreadableFile, match="sums") as refused:
        read("\n".join(lines).encode())
    assert refused.value.line == 5
