"""The sandbox rates: a published table, not the market (contract §14.3)."""

from decimal import Decimal

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
"""The value of one real in the sandbox."""
