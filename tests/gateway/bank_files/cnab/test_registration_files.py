"""Registration files as the manuals of the banks want them."""

from datetime import UTC, date, datetime
from decimal import Decimal

from gateway.bank_files.cnab.registration_files import Instruction, RegistrationFile, SlipOrder, write
from gateway.bank_files.shapes import Party

ACME = Party(
    "Acme Ltda", tax_id="11444777000161", bank="033", branch="1234", account="13000123", account_digit="7"
)  # fmt: skip
SLIP = SlipOrder(
    instruction=Instruction.REGISTER,
    number=566612457800,
    check="2",
    control="566612457800",
    amount=Decimal("150.25"),
    due_on=date(2026, 12, 1),
    issued_on=date(2026, 11, 23),
    withdrawn_after=30,
    payer=Party("Maria da Conceição", tax_id="52998224725"),
    address={"street": "Av. Paulista 1000", "postalCode": "01310100", "city": "São Paulo", "state": "SP"},
)


def test_santander_names_its_agreement_in_headers_and_the_account_twice_in_titles() -> None:
    content = write(RegistrationFile(7, datetime(2026, 11, 23, 15, tzinfo=UTC), ACME, "123400001899775", "101", [SLIP]))
    lines = content.decode().splitlines()
    assert {len(line) for line in lines} == {240}
    header, lot, p, q, lot_end, end = lines
    assert header[:72] == f"03300000{'':8}2011444777000161123400001899775{'':25}"
    assert header[142:166] == f"123112026{'':6}000007040"
    assert lot[:73] == f"03300011R01{'':2}030 2011444777000161{'':20}123400001899775{'':5}"
    assert lot[183:] == f"0000000723112026{'':41}"
    account = "0130001237"
    assert p[:77] == f"0330001300001P 0112340{account}{account}{'':2}5666124578002512{'':2}{566612457800:<15}"
    assert p[77:195] == f"01122026{15025:015d}00000 02N231120263{0:023d}0{0:053d}"
    assert p[195:] == f"{566612457800:<25}0001030" + f"00{'':11}"
    assert (q[17:33], q[128:136], q[209:]) == ("1000052998224725", "01310100", f"{0:012d}{'':19}")
    assert (lot_end, end) == (f"03300015{'':9}000004{'':217}", f"03399999{'':9}000001000006{'':211}")
