"""The statement of one bucket, entry by entry."""

from datetime import datetime

from django.db.models import QuerySet

from accounts.models import Merchant
from ledger.books.models import Account, Entry
from ledger.chart import WALLET_METHOD, Kind


def statement(
    merchant: Merchant,
    currency: str,
    bucket: Kind,
    since: datetime | None = None,
    until: datetime | None = None,
) -> QuerySet[Entry]:
    """Newest first, in the books' own sequence; `until` is exclusive.

    What is posted late stands where it was posted, with its own time: the running balance never jumps.
    """
    account = Account.objects.filter(
        merchant=merchant, kind=bucket, method=WALLET_METHOD[currency], currency=currency
    ).values("pk")
    found = Entry.objects.filter(account=account[:1])  # one value, so that the index gives the order
    if since:
        found = found.filter(transfer__posted_at__gte=since)
    if until:
        found = found.filter(transfer__posted_at__lt=until)
    return found.select_related("transfer").order_by("-sequence")
