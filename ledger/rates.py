"""Exchange rates: destination units for one source unit, at most ten decimals (contract §2.4)."""

from decimal import ROUND_HALF_UP, Decimal

_TEN_DECIMALS = Decimal(1).scaleb(-10)
SANDBOX = {
    "BRL": Decimal(1),
    "USD": Decimal("0.1834"),
    "USDT": Decimal("0.1834"),
    "EUR": Decimal("0.1572"),
    "MXN": Decimal("3.2815"),
    "ARS": Decimal("262.4"),
    "COP": Decimal("745.2"),
    "BTC": Decimal("0.0000017"),
}
"""What one real is worth in the sandbox: a published table, not the market."""


def sandbox_rate(source: str, destination: str) -> Decimal:
    """The sandbox's rate between two currencies, halves rounded up."""
    return (SANDBOX[destination] / SANDBOX[source]).quantize(_TEN_DECIMALS, ROUND_HALF_UP)
