"""Finding statement rows by amount, in bounded time whatever the size of the books."""

from collections.abc import Sequence

from accounts.models import Merchant
from ledger.books.models import Account, Entry
from ledger.chart import BUCKETS, WALLET_METHOD

NEWEST = 5_000
"""Rows of each part of a wallet that are looked through: an index of amounts would cost every posting."""


def of_amount(merchant: Merchant, amounts: Sequence[int], most: int) -> list[Entry]:
    """Among the newest rows of each part of each wallet those with one of these amounts, in or out; newest first."""
    wanted = [sign * minor for minor in amounts for sign in (1, -1)]
    accounts = Account.objects.filter(merchant=merchant, kind__in=BUCKETS, currency__in=WALLET_METHOD)
    found = [entry for account in accounts for entry in _among_newest(account, wanted, most)] if wanted else []
    return sorted(found, key=lambda entry: entry.transfer.posted_at, reverse=True)[:most]


def _among_newest(account: Account, wanted: Sequence[int], most: int) -> list[Entry]:
    rows = Entry.objects.filter(account=account).order_by("-sequence")
    last = rows.values_list("sequence", flat=True).first() or 0
    found = rows.filter(sequence__gt=last - NEWEST, amount__in=wanted)
    return list(found.select_related("transfer", "account")[:most])
