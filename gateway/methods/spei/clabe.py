"""The CLABE that every Mexican bank pays to: bank 3, city 3, account 11, check digit (Banco de México)."""

from clabe import BANK_NAMES, BANKS, compute_control_digit

SANDBOX_BANK = "999"
SANDBOX_BANK_NAME = "Banco Sandbox"


def clabe(*, bank: str, city: str, account: int) -> str:
    """18 digits for an account of at most 11."""
    return with_check_digit(f"{bank}{city}{account:011d}")


def with_check_digit(digits: str) -> str:
    """The CLABE of its first 17 digits."""
    return digits + str(compute_control_digit(digits))


def is_clabe(text: str) -> bool:
    """Whether it is 18 digits with the right check digit, and not only zeros."""
    if not (text.isascii() and text.isdigit() and len(text) == 18 and text.strip("0")):
        return False
    return bool(text[-1] == compute_control_digit(text))


def bank_name(code: str) -> str | None:
    """The bank of a CLABE prefix, by Banco de México's catalogue, or the sandbox's own; None if unknown."""
    if code == SANDBOX_BANK:
        return SANDBOX_BANK_NAME
    return BANK_NAMES.get(BANKS[code]) if code in BANKS else None
