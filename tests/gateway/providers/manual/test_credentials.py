"""What staff may enter as a receiving account, and which methods it then serves."""

from typing import Any

import pytest

from gateway.methods.spei.clabe import clabe
from gateway.providers.credentials import sealed_of
from gateway.providers.errors import InvalidAccount
from gateway.providers.manual.provider import ManualProvider
from gateway.providers.registry import declared
from tests.support.manual_provider import ARGENTINA, BRAZIL, CBU, CLABE, COLOMBIA, MEXICO, served_by


def faults(given: dict[str, Any]) -> list[str]:
    with pytest.raises(InvalidAccount) as refused:
        sealed_of(ManualProvider, given)
    return [fault.field for fault in refused.value.faults]


def test_it_is_one_of_the_institutions() -> None:
    assert declared()["manual"] is ManualProvider


@pytest.mark.parametrize(
    ("given", "served"),
    [
        (MEXICO, {("SPEI", "MXN")}),
        (ARGENTINA, {("BANK_TRANSFER", "ARS")}),
        (COLOMBIA, {("BANK_TRANSFER", "COP"), ("PSE", "COP"), ("NEQUI", "COP"), ("BRE_B", "COP")}),
        (BRAZIL, {("PIX", "BRL")}),
        (MEXICO | BRAZIL, {("SPEI", "MXN"), ("PIX", "BRL")}),
        ({"holder": "Acme SAS", "nequi_number": "300 123 4567"}, {("NEQUI", "COP")}),
    ],
)
def test_an_account_serves_the_methods_whose_account_was_entered(
    given: dict[str, Any], served: set[tuple[str, str]]
) -> None:
    assert served_by(given) == served
    assert served <= set(ManualProvider.methods)


def test_nothing_of_it_is_secret() -> None:
    shown = sealed_of(ManualProvider, MEXICO).shown

    assert {name: shown[name] for name in MEXICO} == MEXICO


@pytest.mark.parametrize(
    ("name", "entered", "kept"),
    [
        ("clabe", f"{CLABE[:3]} {CLABE[3:6]} {CLABE[6:]}", CLABE),
        ("nequi_number", "300-123 4567", "3001234567"),
        ("pix_key", "+55 (11) 91234-5678", "+5511912345678"),
        ("pix_key", "529.982.247-25", "52998224725"),
        ("pix_key", "11.222.333/0001-81", "11222333000181"),
        ("pix_key", "Pagamentos@Acme.Example", "pagamentos@acme.example"),
        ("pix_key", "123E4567-e12b-12d1-a456-426655440000", "123e4567-e12b-12d1-a456-426655440000"),
        ("bre_b_key", "@acme2026", "@acme2026"),
        ("bre_b_key", "pagos@acme.example", "pagos@acme.example"),
        ("bre_b_key", "0012345678", "0012345678"),
    ],
)
def test_numbers_and_keys_are_kept_as_banks_store_them(name: str, entered: str, kept: str) -> None:
    assert sealed_of(ManualProvider, {"holder": "Acme", name: entered}).shown[name] == kept


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("clabe", CLABE[:-1] + str((int(CLABE[-1]) + 1) % 10)),
        ("clabe", clabe(bank="999", city="180", account=1)),  # the sandbox's own bank
        ("clabe", clabe(bank="001", city="180", account=1)[:-1]),
        ("cbu", CBU[:-1] + "2"),
        ("cbu", "0" * 22),
        ("alias", "acme"),
        ("account_number", "12345"),
        ("account_number", "000000"),
        ("account_type", "GOLD"),
        ("nequi_number", "6011234567"),
        ("bre_b_key", "@a"),
        ("pse_page", "http://pagos.acme.example"),
        ("pse_page", "javascript:alert(1)"),
        ("pse_page", "https://acme@evil.example"),
        ("pix_key", "52998224726"),
        ("pix_key", "(11) 91234-5678"),
        ("pix_key", "loja"),
        ("payers_time_s", 599),
        ("payers_time_s", 30 * 86_400 + 1),
        ("instructions_es", "x" * 1001),
        ("password", "s3cret"),
    ],
)
def test_what_no_payer_could_pay_to_is_refused(name: str, wrong: object) -> None:
    assert faults(MEXICO | {name: wrong}) == [name]


@pytest.mark.parametrize(
    "given",
    [
        {"holder": "Acme"},
        {"holder": "Acme", "instructions_en": "Pay us."},
        {name: value for name, value in ARGENTINA.items() if name != "alias"},
        ARGENTINA | {"bank": ""},
        ARGENTINA | {"tax_id": "30500010911"},
        COLOMBIA | {"bank": ""},
        COLOMBIA | {"account_type": ""},
    ],
)
def test_an_account_is_complete_or_refused(given: dict[str, Any]) -> None:
    assert faults(given) == ["credentials"]


def test_an_account_has_a_holder() -> None:
    assert faults(BRAZIL | {"holder": ""}) == ["holder"]
