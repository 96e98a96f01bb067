"""Argentine accounts: the CVU of a payment provider, 22 digits like a bank's CBU, and its alias (Banco Central)."""

from stdnum.ar import cbu


def cvu(*, provider: str, account: int) -> str:
    """22 digits for a provider of 7 that starts with 000 and an account of at most 13."""
    tail = f"{account:013d}"
    return f"{provider}{cbu.calc_check_digit(provider)}{tail}{cbu.calc_check_digit(tail)}"


def alias(*, prefix: str, number: int, alphabet: str) -> str:
    """A name for the account: the prefix and enough characters to fill the 20 that an alias may have."""
    tail = ""
    while len(prefix) + len(tail) < 20:
        number, place = divmod(number, len(alphabet))
        tail += alphabet[place]
    return prefix + tail
