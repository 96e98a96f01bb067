"""Blocks that a wallet could not cover take what comes into it, before its merchant can use it (contract §7.4).

Every posting goes by here (`ledger.books.services.post`). Whose blocks they are knows how to fill them, and says so at
the start.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from accounts.base.rows import first, table
from accounts.models import Merchant
from ledger.chart import AccountKind
from ledger.holds.models import Hold

Filler = Callable[[Merchant, str, datetime], object]
"""Fills the blocks of a merchant's wallet of a currency, at a time. The wallet may be held already, so it waits for no
row: whoever changes a block at that moment looks at the wallet themselves."""

_fillers: list[Filler] = []
_UNCOVERED = f"""
    SELECT 1 FROM {table(Hold)} WHERE merchant_id = %s AND currency = %s AND ended_at IS NULL AND missing > 0 LIMIT 1
"""


def filled_by(filler: Filler) -> None:
    """Makes `filler` the one that is asked where a wallet has a block that is not covered."""
    _fillers.append(filler)


def fill(merchant: Merchant, currency: str, at: datetime) -> None:
    """Fills what a wallet lacks, as far as its money goes."""
    for filler in _fillers:
        filler(merchant, currency, at)


def remain(merchant: Merchant, currency: str) -> bool:
    """Whether a block of the wallet still is not covered."""
    return first(_UNCOVERED, [merchant.pk, currency]) is not None


def matter_to(entries: Sequence[Sequence[Any]]) -> bool:
    """Whether entries take available money, or bring money that a block could take."""
    return any(
        kind == AccountKind.AVAILABLE or (kind == AccountKind.RELEASING and amount > 0)
        for kind, _, _, amount in entries
    )
