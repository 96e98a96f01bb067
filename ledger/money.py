"""Money: integer minor units and a currency inside, an exact decimal at the boundary. No floats."""

from decimal import ROUND_HALF_UP, Decimal

DECIMALS = {"BRL": 2, "MXN": 2, "EUR": 2, "COP": 2, "ARS": 2, "USD": 2, "USDT": 6, "BTC": 8}
MAX_AMOUNT = Decimal("999999999999.99")
MAX_SIGNIFICANT_DIGITS = 15

_UNIT = {currency: int("1" + "0" * decimals) for currency, decimals in DECIMALS.items()}
_STEP = {currency: Decimal(1).scaleb(-decimals) for currency, decimals in DECIMALS.items()}


def to_minor(amount: Decimal, currency: str) -> int:
    """The amount in minor units. Raises ValueError if it has more decimals than the currency: nothing is rounded."""
    minor = amount.scaleb(DECIMALS[currency])
    if minor != minor.to_integral_value():
        raise ValueError(f"{currency} has {DECIMALS[currency]} decimals")
    return int(minor)


def to_decimal(minor: int, currency: str) -> Decimal:
    """The amount with exactly the decimals of its currency."""
    return Decimal(minor).scaleb(-DECIMALS[currency]).quantize(_STEP[currency])


def convert(minor: int, source: str, destination: str, rate: Decimal) -> int:
    """Minor units of the destination for minor units of the source, rounded down (contract §2.4)."""
    numerator, denominator = rate.as_integer_ratio()  # integers: no intermediate rounding
    return minor * numerator * _UNIT[destination] // (denominator * _UNIT[source])


def fee(minor: int, percentage: Decimal, fixed_minor: int) -> int:
    """`percentage` per cent of the amount plus the fixed part, halves rounded up, in minor units (contract §4.1)."""
    share = Decimal(minor) * percentage / 100
    return int((share + fixed_minor).quantize(Decimal(1), ROUND_HALF_UP))
