"""A merchant's balances, by wallet and by currency."""

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime

from accounts.models import Merchant
from ledger.books.models import Balance
from ledger.chart import BUCKETS, WALLET_METHOD


@dataclass(slots=True)
class Holding:
    """The three buckets of a wallet or a currency, in minor units."""

    available: int = 0
    releasing: int = 0
    blocked: int = 0

    @property
    def total(self) -> int:
        return self.available + self.releasing + self.blocked


@dataclass(slots=True)
class Holdings:
    """A merchant's balances. `wallets` by (method, currency); `updated_at` is the last entry's time, by their clock.

    `used` are the currencies with at least one entry.
    """

    wallets: dict[tuple[str, str], Holding]
    used: set[str] = field(default_factory=set)
    updated_at: datetime | None = None

    @property
    def currencies(self) -> dict[str, Holding]:
        totals: dict[str, Holding] = defaultdict(Holding)
        for (_, currency), holding in self.wallets.items():
            totals[currency].available += holding.available
            totals[currency].releasing += holding.releasing
            totals[currency].blocked += holding.blocked
        return dict(totals)


def holdings(merchant: Merchant, currency: str | None = None) -> Holdings:
    """All wallets of the merchant, or those of one currency, read in one statement and so from one snapshot.

    Unused wallets are included with zeros (contract §10.1).
    """
    rows = Balance.objects.filter(account__merchant=merchant, account__kind__in=BUCKETS)
    if currency:
        rows = rows.filter(account__currency=currency)
    found = Holdings(
        {(WALLET_METHOD[code], code): Holding() for code in sorted(WALLET_METHOD) if currency in (None, code)}
    )
    for kind, method, code, amount, updated_at in rows.order_by("account__currency", "account__method").values_list(
        "account__kind", "account__method", "account__currency", "amount", "updated_at"
    ):
        setattr(found.wallets[method, code], kind.lower(), amount)
        found.used.add(code)
        found.updated_at = max(filter(None, (found.updated_at, updated_at)))
    return found
