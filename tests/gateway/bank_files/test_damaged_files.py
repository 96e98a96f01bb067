"""Damaged and hostile files: each is a statement that adds up, or it is refused, and soon."""

import random
from decimal import Decimal

import pytest

from gateway.bank_files.csv_statement import CsvMapping
from gateway.bank_files.reading import read
from gateway.bank_files.shapes import Statement, UnreadableFile
from tests.support.effort import tries
from tests.support.statements import camt053, entry, moved, mt940, ofx, transaction

MAPPING = CsvMapping("BRL", "Data", amount="Valor", balance="Saldo", text=("Texto",))
WHOLE = {
    "camt.053": camt053("0.00", "12.50", entry("12.50", transaction("<Refs><EndToEndId>E1</EndToEndId></Refs>"))),
    "OFX": ofx(moved("-1,25", "A1", "TARIFA"), moved("1.012,50", "A2", "PIX"), closing="1.011,25").encode(),
    "MT940": mt940("0,00", "12,50", ":61:2610011002C12,50NTRFREF//BANK", ":86:166?00TEXT?20EREF+E1?32Ana").encode(),
    "CSV": b'Data;Texto;Valor;Saldo\n05/10/2026;PIX;1.000,50;1.100,50\n06/10/2026;"T;M";-0,50;1.100,00\n',
}
PIECES = (
    b"\0", b"-", b"9" * 40, b"1.234.567,89", b"\xff", b"<", b">", b"&", b"\n", b":61:", b":86:", b"?20", b"//", b";",
    b'"', b"<STMTTRN>", b"<LEDGERBAL>", b"NaN", b"1e9", b"Infinity", "١".encode(), b"0000-00-00", b"99999999",
    b"<!--",
)  # fmt: skip
LONG = 1_000_000


def read_or_refused(content: bytes) -> None:
    """Whatever is read adds up."""
    try:
        found = read(content, MAPPING)
    except UnreadableFile:
        return
    for one in found:
        if isinstance(one, Statement) and one.opening is not None and one.closing is not None:
            assert one.opening + sum((line.amount for line in one.lines), Decimal(0)) == one.closing


@pytest.mark.parametrize("name", WHOLE)
def test_a_damaged_file_adds_up_or_is_refused(name: str) -> None:
    assert len(read(WHOLE[name], MAPPING)) == 1
    chance = random.Random(name)
    for _ in range(tries(200, 20_000)):
        damaged = bytearray(WHOLE[name])
        for _ in range(chance.choice((1, 1, 2, 5))):
            at, length = chance.randrange(len(damaged) + 1), chance.randrange(40)
            damaged[at : at + chance.choice((0, length))] = chance.choice((b"", *PIECES, damaged[at : at + length]))
        read_or_refused(bytes(damaged))


@pytest.mark.parametrize("name", WHOLE)
def test_a_file_that_is_cut_off_is_never_taken_for_whole(name: str) -> None:
    whole = WHOLE[name]
    (full,) = read(whole, MAPPING)
    assert isinstance(full, Statement)

    for end in range(len(whole) - 1):
        try:
            (found,) = read(whole[:end], MAPPING)
        except UnreadableFile:
            continue
        assert isinstance(found, Statement)
        # A CSV and an OFX have no end mark of their own: what is left of them adds up, row by row.
        assert name in {"CSV", "OFX"} or found.lines == full.lines
        assert list(found.lines) == list(full.lines)[: len(found.lines)]


FLOODS = {
    "comments": b"OFXHEADER:100\n<OFX>" + b"<!--" * (LONG // 4),
    "character data": b"OFXHEADER:100\n<OFX>" + b"<![CDATA[" * (LONG // 9),
    "sections": b"OFXHEADER:100\n<OFX><STMTRS>" + b"<STMTTRN>" * (LONG // 9),
    "a text": b"<Document><A>" + b"a\n&lt;" * (LONG // 6) + b"</A></Document>",
    "siblings": b"<Document>" + b"<A/>" * (LONG // 4) + b"</Document>",
    "depth": b"<Document>" + b"<A>" * (LONG // 3),
    "attributes": b"<Document " + b" ".join(b'a%d=""' % number for number in range(LONG // 12)) + b"/>",
    "details": b":20:A\n:25:1\n:60F:C261001EUR0,\n:61:261001C0,NTRFA\n:86:166" + b"?20a" * (LONG // 4),
    "lines of details": b":20:A\n:25:1\n:60F:C261001EUR0,\n:61:261001C0,NTRFA\n" + b"a\n" * (LONG // 2),
    "digits": b":20:A\n:25:1\n:60F:C261001EUR" + b"9" * LONG + b"\n",
    "groups of digits": b"Data;Texto;Valor;Saldo\n05/10/2026;a;1" + b".000" * (LONG // 4) + b";0,00\n",
    "columns": b"Data;Texto;Valor;Saldo" + b";" * LONG + b"\n",
    "quotes": b'Data;Texto;Valor;Saldo\n"' + b'""' * (LONG // 2),
}


@pytest.mark.a_third_a_day
@pytest.mark.parametrize("name", FLOODS)
def test_a_flood_comes_to_an_end(name: str) -> None:
    with pytest.raises(UnreadableFile):
        read(FLOODS[name], MAPPING)
