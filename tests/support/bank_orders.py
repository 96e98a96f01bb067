"""Orders of payment files, and the answers that a bank would give to them: the file itself with codes in it."""

from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal

from gateway.bank_files.shapes import Order, Party, PaymentFile, Way

PAYER = Party(name="Acme Pagamentos Ltda", tax_id="11444777000161", branch="1234", account="56789", account_digit="0")
_FROM_THE_BANK = "2"


def by_key(number: str, amount: str, key: str = "ana@loja.example", kind: str = "EMAIL") -> Order:
    payee = Party(name="Ana Gonçalves", tax_id="52998224725", pix_key=key, pix_key_type=kind)
    return Order(number=number, way=Way.PIX_KEY, amount=Decimal(amount), beneficiary=payee)


def by_account(number: str, amount: str, way: Way = Way.TED, bank: str = "001") -> Order:
    payee = Party(
        name="Loja do João",
        tax_id="11222333000181",
        bank=bank,
        ispb="00000000",
        branch="4321",
        account="987654",
        account_digit="3",
        account_type="CHECKING",
    )
    return Order(number=number, way=way, amount=Decimal(amount), beneficiary=payee)


def file_of(*orders: Order, bank: str = "341", sequence: int = 1) -> PaymentFile:
    payer = Party(**{name: getattr(PAYER, name) for name in PAYER.__slots__} | {"bank": bank})
    return PaymentFile(
        sequence=sequence,
        made_at=datetime(2026, 11, 23, 12, tzinfo=UTC),
        pay_on=date(2026, 11, 24),
        payer=payer,
        agreement="CONVENIO1",
        currency="BRL",
        orders=orders,
    )


def answered(content: bytes, codes: Mapping[str, str], paid: bool = True) -> bytes:
    """The return of a bank that got this file: each order with its codes, two letters each, by its number."""
    lines = content.decode().splitlines()
    found = [_put(lines[0], 143, _FROM_THE_BANK)]
    for line in lines[1:]:
        number = line[73:93].strip()
        if line[7] == "3" and line[13] == "A" and number in codes:
            line = _put(line, 231, codes[number].ljust(10))
            line = _put(line, 135, f"BANK{number}"[:15].ljust(15))
            if paid and codes[number] == "00":
                line = _put(_put(line, 155, line[93:101]), 163, line[119:134])
        found.append(line)
    return "".join(f"{line}\r\n" for line in found).encode()


def _put(line: str, at: int, text: str) -> str:
    """With the text from this position on, counted from 1."""
    return line[: at - 1] + text + line[at - 1 + len(text) :]
