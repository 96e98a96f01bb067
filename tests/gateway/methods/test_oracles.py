"""Codes, accounts and documents held against what the outside world published, over many generated ones."""

import random
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from stdnum import luhn
from stdnum.ar import cbu, cuit
from stdnum.br import cnpj, cpf
from stdnum.co import nit
from stdnum.pt import nif

from accounts.models import Environment
from gateway.customers.payer import Payer
from gateway.methods.bank_transfer.cvu import cvu
from gateway.methods.boleto.numbers import mod10, mod11
from gateway.methods.pix.brcode import br_code, static_code
from gateway.methods.rail import PaymentDraft
from gateway.methods.registry import rail_of
from gateway.methods.spei.clabe import clabe
from tests.support.rails import NOON
from tests.support.rows import rows

DIGITS = "0123456789"
CAPITALS = DIGITS + "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
BACENS_EXAMPLE = (
    "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR"
    "5913Fulano de Tal6008BRASILIA62070503***63041D3D"
)
"""Manual de Padrões para Iniciação do Pix: a static code for a random key, without an amount."""


def some(seed: str, count: int) -> list[random.Random]:
    """The same sources of chance in every run."""
    return [random.Random(f"{seed}-{number}") for number in range(count)]


def text(chance: random.Random, length: int, alphabet: str = DIGITS) -> str:
    return "".join(chance.choices(alphabet, k=length))


def crc(code: str) -> str:
    """CRC16-CCITT-FALSE, bit by bit as EMV's QR specification describes it."""
    register = 0xFFFF
    for byte in code.encode("ascii"):
        register ^= byte << 8
        for _ in range(8):
            register = (register << 1 ^ (0x1021 if register & 0x8000 else 0)) & 0xFFFF
    return f"{register:04X}"


def read(code: str) -> list[tuple[str, str]]:
    """The members of a code in their order; none may be cut short."""
    members = []
    while code:
        tag, length, code = code[:2], int(code[2:4]), code[4:]
        assert len(code) >= length > 0
        members.append((tag, code[:length]))
        code = code[length:]
    return members


def write(members: list[tuple[str, str]]) -> str:
    """A whole code of these members, without its checksum, which is added."""
    code = "".join(f"{tag}{len(value):02}{value}" for tag, value in members) + "6304"
    return code + crc(code)


def test_the_central_banks_example_is_read_and_written_byte_for_byte() -> None:
    members = read(BACENS_EXAMPLE)

    assert dict(members) == {
        "00": "01",
        "26": "0014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-426655440000",
        "52": "0000",
        "53": "986",
        "58": "BR",
        "59": "Fulano de Tal",
        "60": "BRASILIA",
        "62": "0503***",
        "63": "1D3D",
    }
    assert write(members[:-1]) == BACENS_EXAMPLE


def test_our_code_is_the_central_banks_but_for_what_a_dynamic_one_adds() -> None:
    ours = read(br_code(location="pix.example/v2/1", amount=Decimal("0.01"), name="Fulano de Tal", city="Brasília"))
    theirs = read(BACENS_EXAMPLE)

    same = {"00", "52", "53", "58", "60", "62"}
    assert [member for member in ours if member[0] in same] == [member for member in theirs if member[0] in same]
    assert [tag for tag, _ in ours] == ["00", "01", "26", "52", "53", "54", "58", "59", "60", "62", "63"]
    assert read(dict(ours)["26"])[0] == read(dict(theirs)["26"])[0] == ("00", "br.gov.bcb.pix")


@rows("chance", some("code", 200))
def test_every_code_is_what_an_outside_writer_makes_of_the_same_members(chance: random.Random) -> None:
    location = "pix.example/v2/" + text(chance, chance.randint(1, 60), CAPITALS)
    cents = chance.choice([1, 99, 100, 15_000, 25_000_000, chance.randint(1, 25_000_000)])
    name, city = (text(chance, length, "abcXYZ 09") + "k" for length in (chance.randint(0, 24), chance.randint(0, 14)))

    code = br_code(location=location, amount=Decimal(cents) / 100, name=name, city=city)

    account = f"0014br.gov.bcb.pix25{len(location):02}{location}"
    amount = f"{cents // 100}.{cents % 100:02}"
    shown_name, shown_city = (" ".join(text.upper().split()) for text in (name, city))
    assert code == write([
        ("00", "01"), ("01", "12"), ("26", account), ("52", "0000"), ("53", "986"), ("54", amount), ("58", "BR"),
        ("59", shown_name), ("60", shown_city), ("62", "0503***"),
    ])  # fmt: skip
    assert len(code) < 512


@rows("chance", some("static", 200))
def test_a_static_code_is_what_an_outside_writer_makes_of_a_key_an_amount_and_a_txid(chance: random.Random) -> None:
    key, txid = (
        f"{text(chance, chance.randint(1, 60), 'abc')}@acme.example",
        text(chance, chance.randint(1, 25), CAPITALS),
    )
    cents = chance.randint(1, 25_000_000)

    code = static_code(key=key, amount=Decimal(cents) / 100, name="Acme Ltda", city="Curitiba", txid=txid)

    assert code == write([
        ("00", "01"), ("26", f"0014br.gov.bcb.pix01{len(key):02}{key}"), ("52", "0000"), ("53", "986"),
        ("54", f"{cents // 100}.{cents % 100:02}"), ("58", "BR"), ("59", "ACME LTDA"), ("60", "CURITIBA"),
        ("62", f"05{len(txid):02}{txid}"),
    ])  # fmt: skip


def test_a_static_code_has_the_members_of_the_central_banks_example_and_an_amount() -> None:
    key = "123e4567-e12b-12d1-a456-426655440000"
    ours = dict(read(static_code(key=key, amount=Decimal(1), name="Fulano de Tal", city="Brasília", txid="***")))

    theirs = dict(read(BACENS_EXAMPLE))
    assert ours.keys() - theirs.keys() == {"54"}
    assert {tag: value for tag, value in theirs.items() if tag not in ("59", "63")} == {
        tag: value for tag, value in ours.items() if tag not in ("54", "59", "63")
    }
    assert ours["59"] == theirs["59"].upper()


@rows("chance", some("names", 200))
def test_a_name_in_any_script_leaves_a_code_that_can_be_read(chance: random.Random) -> None:
    name, city = ("".join(chr(chance.choice([*range(32, 1500), 0x65E5, 0x1F600])) for _ in range(40)) for _ in "12")

    code = br_code(location="pix.example/v2/1", amount=Decimal(1), name=name, city=city)

    members = dict(read(code))
    assert code.isascii() and code.isprintable()
    assert 1 <= len(members["59"]) <= 25 and 1 <= len(members["60"]) <= 15
    assert members["63"] == crc(code[:-4])


def weighted(characters: str, weights: list[int]) -> int:
    """The sum that check digits are made of; a letter counts as its ASCII code less 48."""
    return sum((ord(character) - 48) * weight for character, weight in zip(characters, weights, strict=True))


def with_two_digits(stem: str, weights: list[int]) -> str:
    """Receita Federal's rule: twice 11 less the rest, where 10 and 11 are 0."""
    for _ in range(2):
        rest = weighted(stem, weights[-len(stem) :]) % 11
        stem += str(0 if rest < 2 else 11 - rest)
    return stem


def a_cpf(chance: random.Random) -> str:
    return with_two_digits(text(chance, 9), list(range(11, 1, -1)))


def a_cnpj(chance: random.Random) -> str:
    return with_two_digits(text(chance, 12), [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2])


def an_alphanumeric_cnpj(chance: random.Random) -> str:
    return with_two_digits(text(chance, 12, CAPITALS), [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2])


def a_cuit(chance: random.Random) -> str:
    """ARCA's rule; a stem whose digit would be 10 is never given out."""
    while True:
        stem = chance.choice(["20", "23", "24", "27", "30", "33", "34"]) + text(chance, 8)
        rest = weighted(stem, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11
        if rest != 1:
            return stem + str((11 - rest) % 11)


def a_nif(chance: random.Random) -> str:
    stem = chance.choice("123568") + text(chance, 7)
    rest = weighted(stem, [9, 8, 7, 6, 5, 4, 3, 2]) % 11
    return stem + str(0 if rest < 2 else 11 - rest)


def a_nit(chance: random.Random) -> str:
    """DIAN's rule, its prime weights from the right: 3 7 13 17 19 23 29 37 41."""
    stem = chance.choice("89") + text(chance, 8)
    rest = weighted(stem, [41, 37, 29, 23, 19, 17, 13, 7, 3]) % 11
    return stem + str(rest if rest < 2 else 11 - rest)


OUTSIDE: dict[str, tuple[Callable[[random.Random], str], Any, str, str, str | None]] = {
    "CPF": (a_cpf, cpf, "PIX", "BRL", None),
    "CPF of a boleto": (a_cpf, cpf, "BOLETO", "BRL", "CPF"),
    "CNPJ": (a_cnpj, cnpj, "PIX", "BRL", None),
    "alphanumeric CNPJ": (an_alphanumeric_cnpj, cnpj, "PIX", "BRL", "CNPJ"),
    "CUIT": (a_cuit, cuit, "BANK_TRANSFER", "ARS", None),
    "NIF": (a_nif, nif, "MB_WAY", "EUR", None),
    **{f"NIT of {method}": (a_nit, nit, method, "COP", "NIT") for method in ("PSE", "NEQUI", "BRE_B", "BANK_TRANSFER")},
}


def is_taken(document: str, method: str, currency: str, kind: str | None) -> bool:
    """Whether the method finds no fault in the document where check digits count."""
    rail = rail_of(method, currency, Environment.SANDBOX)
    assert rail is not None
    payer = Payer(name="Maria Silva", tax_id=document, tax_id_type=kind)
    wish = PaymentDraft(payer=payer, now=NOON, currency=currency)
    return "payer.taxId" not in [fault.field for fault in rail.faults(wish, strict=True)]


@pytest.mark.parametrize("name", OUTSIDE)
def test_generated_documents_are_judged_as_their_countries_do(name: str) -> None:
    made_by, outside, method, currency, kind = OUTSIDE[name]
    refused = 0
    for chance in some(name, 300):
        document = made_by(chance)
        assert outside.is_valid(document), document
        assert is_taken(document, method, currency, kind), document

        place = chance.randrange(len(document))
        other = chance.choice(DIGITS.replace(document[place], ""))
        changed = document[:place] + other + document[place + 1 :]
        assert is_taken(changed, method, currency, kind) == outside.is_valid(changed), changed
        refused += not outside.is_valid(changed)
    assert refused >= 270


@pytest.mark.parametrize(("stem", "digit"), [("901458652", "7"), ("800197268", "4")])
@pytest.mark.parametrize("method", ["PSE", "NEQUI", "BRE_B", "BANK_TRANSFER"])
def test_the_contracts_nits_have_one_check_digit_each(method: str, stem: str, digit: str) -> None:
    assert [last for last in DIGITS if is_taken(stem + last, method, "COP", "NIT")] == [digit]


@pytest.mark.parametrize("document", ["52998224725", "12345678909", "11222333000181", "12ABC34501DE35"])
@pytest.mark.parametrize("method", ["PIX", "BOLETO"])
def test_the_contracts_brazilian_documents_have_one_last_digit_each(method: str, document: str) -> None:
    assert [last for last in DIGITS if is_taken(document[:-1] + last, method, "BRL", None)] == [document[-1]]


@pytest.mark.parametrize("digit", DIGITS)
@pytest.mark.parametrize("method", ["PIX", "BOLETO"])
def test_eleven_times_the_same_digit_is_nobodys_cpf(method: str, digit: str) -> None:
    assert not is_taken(digit * 11, method, "BRL", None)


def test_a_generated_clabe_has_banco_de_mexicos_check_digit_and_no_other() -> None:
    for chance in some("clabe", 300):
        bank, city, account = text(chance, 3), text(chance, 3), chance.randrange(10**11)

        number = clabe(bank=bank, city=city, account=account)

        assert number[:17] == f"{bank}{city}{account:011}"
        products = [int(digit) * weight % 10 for digit, weight in zip(number[:17], [3, 7, 1] * 6, strict=False)]
        assert number[17:] == str((10 - sum(products) % 10) % 10)


def test_a_generated_cvu_is_one_to_the_outside_world() -> None:
    for chance in some("cvu", 300):
        provider, account = "0000" + text(chance, 3), chance.randrange(10**11)

        number = cvu(provider=provider, account=account)

        assert cbu.is_valid(number)
        assert number.startswith(provider)
        place = chance.randrange(22)
        other = chance.choice(DIGITS.replace(number[place], ""))
        assert not cbu.is_valid(number[:place] + other + number[place + 1 :])


def test_the_check_digit_of_a_boletos_field_is_luhns() -> None:
    for chance in some("line", 300):
        digits = text(chance, chance.choice([9, 10]))

        assert str(mod10(digits)) == luhn.calc_check_digit(digits)


def test_the_check_digit_of_a_barcode_is_febrabans() -> None:
    for chance in some("barcode", 300):
        digits = text(chance, 43)

        rest = 11 - weighted(digits, [*[4, 3, 2], *[9, 8, 7, 6, 5, 4, 3, 2] * 5]) % 11

        assert mod11(digits) == (1 if rest in (0, 10, 11) else rest)
