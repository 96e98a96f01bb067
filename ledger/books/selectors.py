"""Reads of the books. The first argument is always the merchant."""

from collections.abc import Sequence

from accounts.models import Merchant
from ledger.books.models import Transfer


def posted(merchant: Merchant, references: Sequence[str]) -> list[Transfer]:
    """The postings with these references, oldest first, with their entries and accounts."""
    found = Transfer.objects.filter(merchant=merchant, reference__in=references)
    return list(found.order_by("posted_at", "pk").prefetch_related("entries__account"))
