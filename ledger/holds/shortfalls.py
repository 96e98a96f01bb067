"""Holds that a wallet could not cover take incoming money before the merchant can use it (contract §7.4).

Every posting passes here (`ledger.books.services.post`). The room that owns the holds registers a filler at startup.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from accounts.base.rows import first, table
from accounts.models import Merchant
from ledger.chart import AccountKind
from ledger.holds.models import Hold

Filler = Callable[[Merchant, str, datetime], object]
"""Fills the holds of a merchant's wallet of a currency, at a time. The wallet may be locked already, so a filler never
waits for a row: a process that changes a hold at that moment checks the wallet afterwards.
"""

_fillers: list[Filler] = []
_UNCOVERED = f"""
    SELECT 1 FROM {table(Hold)} WHERE merchant_id = %s AND currency = %s AND ended_at IS NULL AND missing > 0 LIMIT 1
"""


def filled_by(filler: Filler) -> None:
    """Registers `filler` for wallets with holds that are not covered."""
    _fillers.append(filler)


def fill(merchant: Merchant, currency: str, at: datetime) -> None:
    """Covers the holds of a wallet as far as its money allows."""
    for filler in _fillers:
        filler(merchant, currency, at)


def has_shortfall(merchant: Merchant, currency: str) -> bool:
    """Whether the wallet still has a hold that is not covered."""
    return first(_UNCOVERED, [merchant.pk, currency]) is not None


def affect_shortfalls(entries: Sequence[Sequence[Any]]) -> bool:
    """Whether entries take available money, or bring money that a hold could take."""
    return any(
        kind == AccountKind.AVAILABLE or (kind == AccountKind.RELEASING and amount > 0)
        for kind, _, _, amount in entries
    )
