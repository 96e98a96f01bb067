"""Returns that others published (kivanio/brcobranca, MIT), which are no part of this repository."""

from datetime import date
from decimal import Decimal

import pytest

from gateway.bank_files.reading import read
from gateway.bank_files.shapes import CollectionReturn, SlipEvent
from tests.support.published import PUBLISHED

FOLDER = PUBLISHED / "cnab"

pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason="the published files are not at hand")

EXPECTED = {
    # file: bank, day, lines, sum of the boletos, sum paid, sum credited
    "CBR64310.RET": ("001", date(2009, 1, 20), 26, "10051.83", "10051.83", "10051.83"),
    "CNAB240.RET": ("001", date(2011, 12, 29), 35, "21880.94", "21880.94", "21844.89"),
    "CNAB240AILOS.RET": ("085", date(2015, 8, 10), 3, "6.00", "6.00", "6.00"),
    "CNAB240SANTANDER.RET": ("033", date(2016, 4, 1), 2, "20.00", "10.00", "10.00"),
    "CNAB240SICOOB.RET": ("756", date(2015, 8, 10), 3, "6.00", "6.00", "6.00"),
    "CNAB240SICREDI.CRT": ("748", date(2017, 4, 7), 2, "19.90", "0", "0"),
    "CNAB400.RET": ("341", date(2013, 5, 20), 52, "2688.96", "2653.32", "2546.22"),
    "CNAB400BANCOBRASILIA.RET": ("070", date(2012, 7, 26), 1, "264.92", "264.92", "264.92"),
    "CNAB400BANCONORDESTE.RET": ("004", date(2014, 11, 19), 1, "175.00", "175.00", "175.00"),
    "CNAB400BANRISUL.RET": ("041", date(2015, 5, 15), 1, "1450.00", "1450.00", "1450.00"),
    "CNAB400BRADESCO.RET": ("237", date(2015, 5, 15), 6, "2930.00", "0", "0"),
    "CNAB400CREDISIS.RET": ("097", date(2013, 6, 10), 1, "444.00", "444.00", "444.00"),
    "CNAB400ITAU.RET": ("341", date(2013, 5, 20), 52, "2688.96", "2653.32", "2546.22"),
    "CNAB400SANTANDER.RET": ("033", date(2013, 5, 20), 52, "2688.96", "2546.22", "2546.22"),
    "CNAB400UNICRED.RET": ("001", date(2013, 8, 7), 1, "444.00", "444.00", "444.00"),
}


def opened(name: str) -> CollectionReturn:
    (document,) = read((FOLDER / name).read_bytes())
    assert isinstance(document, CollectionReturn)
    return document


@pytest.mark.parametrize("name", EXPECTED)
def test_each_published_return_is_read_with_its_sums(name: str) -> None:
    found = opened(name)
    sums = tuple(
        str(sum((getattr(line, member) for line in found.answers), Decimal(0)))
        for member in ("amount", "paid", "credited")
    )
    assert (found.account.bank, found.made_on, len(found.answers)) == EXPECTED[name][:3]
    assert [Decimal(text) for text in sums] == [Decimal(text) for text in EXPECTED[name][3:]]


def test_no_published_return_is_left_out() -> None:
    assert {path.name for path in FOLDER.iterdir() if path.suffix in (".RET", ".CRT")} == EXPECTED.keys()


def test_an_itau_line_tells_what_the_payer_paid_and_what_is_left_of_it() -> None:
    """The bank takes its fee off; one payer paid interest."""
    paid = [line for line in opened("CNAB400ITAU.RET").answers if line.event is SlipEvent.PAID]
    assert all(line.paid == line.credited + line.fee for line in paid)
    assert (paid[0].bank_number, paid[0].paid, paid[0].fee) == ("00000011", Decimal("40.00"), Decimal("2.10"))
    assert {line.paid - line.amount for line in paid} > {Decimal(0), Decimal("1.02")}


def test_a_fee_of_the_bank_is_not_a_payment() -> None:
    registered, fee = opened("CNAB240SICREDI.CRT").answers
    assert (registered.event, registered.bank_number) == (SlipEvent.REGISTERED, "172000595")
    assert (fee.event, fee.code, fee.fee, fee.paid) == (SlipEvent.OTHER, "28", Decimal("3.80"), Decimal(0))
