"""Payment files: what a bank reads in them is what was ordered, and a change of one digit is seen."""

import re
from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest
from febraban.cnab240.itau.sispag import Transfer
from febraban.cnab240.itau.sispag.file.file import File
from febraban.cnab240.itau.sispag.file.lot import Lot
from febraban.cnab240.itau.sispag.result.parser import PaymentParser
from febraban.cnab240.user import User, UserAddress, UserBank
from hypothesis import given
from hypothesis import strategies as st

from gateway.bank_files.cnab.payment_dialects import banks
from gateway.bank_files.cnab.payment_files import write
from gateway.bank_files.cnab.payment_orders import orders_of
from gateway.bank_files.cnab.records import Unwritable
from gateway.bank_files.reading import read
from gateway.bank_files.shapes import Order, Party, UnreadableFile, Way
from tests.support.bank_orders import by_account, by_key, file_of

BANKS = sorted(banks())
AMOUNTS = st.decimals("0.01", "9999999999.99", places=2)
KEYS = st.sampled_from([
    ("ana.b+c@loja.example", "EMAIL"), ("+5511987654321", "PHONE"), ("52998224725", "CPF"), ("11222333000181", "CNPJ"),
    ("7d9f0335-8dcc-4054-9bf9-0dbd61d36906", "EVP"),
])  # fmt: skip
NAMES = st.text(st.characters(codec="latin-1", categories=("L", "Zs")), min_size=1, max_size=60)
DIGITS = st.text("0123456789", min_size=1, max_size=5).filter(lambda text: bool(text.strip("0")))


@st.composite
def orders(draw: st.DrawFn) -> list[Order]:
    found = []
    for number in range(draw(st.integers(1, 6))):
        way = draw(st.sampled_from([Way.PIX_KEY, Way.PIX_ACCOUNT, Way.TED]))
        key, kind = draw(KEYS)
        bank = draw(st.sampled_from(["001", "260", *BANKS]))
        base = by_account("x", "1", way, bank) if way is not Way.PIX_KEY else by_key("x", "1", key, kind)
        payee = replace(base.beneficiary, name=draw(NAMES))
        if way is not Way.PIX_KEY:
            types = st.sampled_from(["CHECKING", "SAVINGS", "PAYMENT"])
            payee = replace(payee, branch=draw(DIGITS), account=draw(DIGITS), account_type=draw(types))
        found.append(replace(base, number=f"WD{number}aZ", amount=draw(AMOUNTS), beneficiary=payee))
    return found


def told(order: Order) -> tuple[object, ...]:
    payee = order.beneficiary
    if order.way is Way.PIX_KEY:
        return order.number, order.way, order.amount, payee.pix_key
    place = (payee.bank, payee.branch.zfill(5), payee.account.zfill(12), payee.account_digit, payee.account_type)
    return order.number, order.way, order.amount, payee.tax_id, *place


@pytest.mark.parametrize("bank", BANKS)
@given(given=orders())
def test_what_is_read_is_what_was_ordered(bank: str, given: list[Order]) -> None:
    content = write(file_of(*given, bank=bank))
    assert all(len(line) == 240 for line in content.decode("ascii").split("\r\n")[:-1])
    assert sorted(told(order) for order in orders_of(content)) == sorted(told(order) for order in given)


@given(given=orders(), bank=st.sampled_from(BANKS), data=st.data())
def test_a_flipped_digit_of_an_amount_is_found(given: list[Order], bank: str, data: st.DataObject) -> None:
    """In a payment, and in the sum of a lot."""
    content = write(file_of(*given, bank=bank)).decode()
    starts = [match.start() + 119 for match in re.finditer(r"(?m)^.{7}3.{5}A", content)]
    starts += [match.start() + 26 for match in re.finditer(r"(?m)^.{7}5", content)]
    place = data.draw(st.sampled_from(starts)) + data.draw(st.integers(0, 14))
    digit = data.draw(st.sampled_from([digit for digit in "0123456789" if digit != content[place]]))
    with pytest.raises(UnreadableFile):
        orders_of(f"{content[:place]}{digit}{content[place + 1 :]}".encode())


def test_ways_of_paying_get_lots_of_their_own() -> None:
    """A bank makes no TED to itself: that is a credit in an account."""
    content = write(file_of(by_key("A1", "10.00"), by_account("A2", "20.00"), by_account("A3", "5.00", bank="341")))
    lots = [line for line in content.decode().splitlines() if line[7] == "1"]
    assert [line[11:13] for line in lots] == ["45", "41", "01"]
    assert [line[23:41] for line in content.decode().splitlines() if line[7] == "5"] == [
        "000000000000001000", "000000000000002000", "000000000000000500",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("order", "reason"),
    [
        (by_key("A-1", "1.00"), "letters and digits"),
        (by_key("A" * 21, "1.00"), "letters and digits"),
        (by_key("A1", "0.00"), "above zero"),
        (by_key("A1", "1.001"), "no cents"),
        (by_key("A1", "99999999999999.00"), "does not fit"),
        (by_key("A1", "1.00", key=""), "key"),
        (by_key("A1", "1.00", key="x" * 99 + "@loja.example"), "does not fit"),
        (by_account("A1", "1.00", Way.TRANSFER), "PIX or TED"),
        (replace(by_account("A1", "1.00"), beneficiary=Party(name="Ana")), "missing"),
    ],
)
def test_what_a_bank_could_not_read_is_not_written(order: Order, reason: str) -> None:
    for bank in BANKS:
        with pytest.raises(Unwritable, match=reason):
            write(file_of(order, bank=bank))


def test_no_file_for_two_orders_of_one_number_an_unknown_bank_or_nothing() -> None:
    with pytest.raises(Unwritable, match="same number"):
        write(file_of(by_key("A1", "1.00"), by_key("A1", "1.00")))
    with pytest.raises(Unwritable, match="999"):
        write(file_of(by_key("A1", "1.00"), bank="999"))
    with pytest.raises(Unwritable, match="1 to"):
        write(file_of())


def test_our_own_file_is_no_answer_of_the_bank() -> None:
    with pytest.raises(UnreadableFile, match="to the bank"):
        read(write(file_of(by_key("A1", "1.00"))))


def test_somebody_elses_reader_of_itau_finds_our_orders() -> None:
    """PyPI febraban."""
    content = write(file_of(by_key("KEY1", "10.25"), by_account("TED1", "1234.56")))
    found = PaymentParser.parseText(content.decode() + "\r\n")
    assert [(each.identifier, each.amountInCents) for each in found] == [("KEY1", 1025), ("TED1", 123456)]


def test_we_read_somebody_elses_file_for_itau() -> None:
    """PyPI febraban writes; two TEDs in one lot."""
    own = UserBank(bankId="341", branchCode="1234", accountNumber="56789", accountVerifier="0")
    address = UserAddress(streetLine1="Rua A", city="SP", stateCode="SP", zipCode="01001000")
    sender = User(name="Acme", identifier="11444777000161", address=address, bank=own)
    lot = Lot()
    lot.setHeaderLotType(kind="20", method="41")
    lot.setSender(sender)
    for number, cents in (("PAY1", 1025), ("PAY2", 200)):
        payment = Transfer()
        payment.setSender(sender)
        payee = UserBank(bankId="001", branchCode="4321", accountNumber="987654", accountVerifier="3")
        payment.setReceiver(User(name="Ana", identifier="52998224725", bank=payee))
        payment.setAmountInCents(str(cents))
        payment.setScheduleDate(f"{date(2026, 11, 24):%d%m%Y}")
        payment.setInfo("10")
        payment.setIdentifier(number)
        lot.add(payment)
    file = File()
    file.setSender(sender)
    file.addLot(lot)
    read_by_us = orders_of(file.toString().encode())
    assert [(order.number, order.amount) for order in read_by_us] == [
        ("PAY1", Decimal("10.25")),
        ("PAY2", Decimal("2.00")),
    ]
    assert {order.beneficiary.account for order in read_by_us} == {"000000987654"}
