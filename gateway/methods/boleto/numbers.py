"""The numbers of a boleto by FEBRABAN's rules: due-date factor, barcode of 44 digits, digitable line of 47."""

import re
from datetime import date

_DAY_ZERO = date(1997, 10, 7)
_FACTORS = 9000
"""1000 to 9999; the day after 9999 (2025-02-21) is 1000 again."""


def due_date_factor(due: date) -> int:
    """Days since 1997-10-07, which is what fits in four digits; it restarts at 1000, last on 2025-02-22."""
    days = (due - _DAY_ZERO).days
    assert days >= 0, "there were no factors before 1997-10-07"
    return days if days < 1000 else 1000 + (days - 1000) % _FACTORS


def barcode(bank: str, due: date, amount_minor: int, free_field: str) -> str:
    """Bank 3, currency 9 (real), check digit, factor 4, centavos 10, and the 25 digits that are the bank's own."""
    assert len(bank) == 3 and len(free_field) == 25 and 0 <= amount_minor < 10**10
    head, tail = f"{bank}9", f"{due_date_factor(due):04d}{amount_minor:010d}{free_field}"
    return f"{head}{mod11(head + tail)}{tail}"


def digitable_line(barcode: str) -> str:
    """The line that payers type: three fields with a check digit each, the barcode's check digit, factor and amount."""
    assert len(barcode) == 44
    free_field = barcode[19:]
    fields = (barcode[:4] + free_field[:5], free_field[5:15], free_field[15:])
    return "".join(f"{digits}{mod10(digits)}" for digits in fields) + barcode[4:19]


def barcode_of(line: str) -> str | None:
    """The barcode behind a digitable line, with or without spaces and full stops. None if a check digit is wrong."""
    digits = re.sub(r"[\s.]", "", line)
    if not re.fullmatch("[0-9]{47}", digits):
        return None
    free_field = digits[4:9] + digits[10:20] + digits[21:31]
    found = digits[:4] + digits[32:] + free_field
    is_right = digitable_line(found) == digits and found[4] == str(mod11(found[:4] + found[5:]))
    return found if is_right else None


def amount_of(barcode: str) -> int:
    """The amount in centavos."""
    return int(barcode[9:19])


def spaced(line: str) -> str:
    """The digitable line as people read it: 5.5 5.6 5.6 1 14."""
    first, second, third = line[:10], line[10:21], line[21:32]
    parts = (f"{field[:5]}.{field[5:]}" for field in (first, second, third))
    return " ".join((*parts, line[32], line[33:]))


def mod10(digits: str) -> int:
    """The check digit of a field of the line: weights 2 and 1 from the right, digits of the products added up."""
    products = (int(digit) * (2 - place % 2) for place, digit in enumerate(reversed(digits)))
    return -sum(product // 10 + product % 10 for product in products) % 10


def mod11(digits: str) -> int:
    """The check digit of the barcode: weights 2 to 9 from the right; where it would be 0, 10 or 11, it is 1."""
    total = sum(int(digit) * (2 + place % 8) for place, digit in enumerate(reversed(digits)))
    rest = 11 - total % 11
    return 1 if rest in (10, 11) else rest
