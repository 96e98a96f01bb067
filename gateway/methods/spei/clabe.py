"""The CLABE that every Mexican bank pays to: bank 3, city 3, account 11, check digit (Banco de México)."""

_WEIGHTS = (3, 7, 1)


def clabe(*, bank: str, city: str, account: int) -> str:
    """18 digits for an account of at most 11."""
    digits = f"{bank}{city}{account:011d}"
    return digits + check_digit(digits)


def check_digit(digits: str) -> str:
    """Of the first 17 digits; only the last digit of each product counts."""
    total = sum(int(digit) * _WEIGHTS[place % 3] % 10 for place, digit in enumerate(digits))
    return str(-total % 10)
