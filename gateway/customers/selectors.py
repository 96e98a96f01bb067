"""Reads of customers. The first argument is always the merchant."""

import re
from datetime import datetime

from django.contrib.postgres.search import SearchQuery
from django.db import connection
from django.db.models import Q, QuerySet

from accounts.base.ids import is_well_formed
from accounts.base.listing import newest
from accounts.base.rows import table
from accounts.models import Merchant
from accounts.tax_ids import compact
from gateway.customers.errors import CustomerUnknown
from gateway.customers.models import Customer, plain

SHORTEST_PART = 3
"""The minimum length of a name search."""
LONGEST_NAME = 120
MOST_NAMED = 1000
OFTEN = 20_000

_HAS_WORDS = "to_tsvector('simple'::regconfig, COALESCE(plain_name, '')) @@ to_tsquery('simple'::regconfig, %(words)s)"
# Of any beginning of a word PostgreSQL expects two of a hundred rows, and would read the newest customers until it has
# enough: all of them for a rare name. Only those of a name that is found often are read so, the others from the index.
_NAMED = f"""
    WITH found AS MATERIALIZED (SELECT id FROM {table(Customer)} WHERE {_HAS_WORDS} LIMIT {OFTEN})
    (SELECT id FROM found WHERE (SELECT count(*) FROM found) < {OFTEN} ORDER BY id DESC LIMIT {MOST_NAMED})
     UNION ALL
    (SELECT id FROM {table(Customer)} WHERE {_HAS_WORDS} AND (SELECT count(*) FROM found) = {OFTEN}
      ORDER BY id DESC LIMIT {MOST_NAMED})
"""


def get(merchant: Merchant, customer_id: str) -> Customer:
    """Raises ONP404_CUSTOMER, also for another merchant's customer."""
    rows = Customer.objects.filter(merchant=merchant, pk=customer_id)
    found = rows.first() if is_well_formed(customer_id) else None
    if found is None:
        raise CustomerUnknown
    return found


def listed(
    merchant: Merchant,
    *,
    tax_id: str | None = None,
    email: str | None = None,
    name: str | None = None,
    created_from: datetime | None = None,
    created_to: datetime | None = None,
) -> QuerySet[Customer]:
    """The merchant's customers, newest first. `name` is a part of it in any case; `created_to` is exclusive."""
    found = Customer.objects.filter(merchant=merchant)
    if tax_id:
        found = found.filter(tax_id=tax_id)
    if email:
        found = found.filter(email=email)
    if name:
        found = found.filter(name__icontains=name)
    return newest(found, created_from, created_to)


def found(merchant: Merchant, text: str = "") -> QuerySet[Customer]:
    """The merchant's customers with this id, tax id, e-mail, or part of the name, newest first; all for an empty text.

    A tax id may have its punctuation. Names are compared without case and accents; a part must have a letter.
    """
    text = text.strip()
    if "\0" in text:
        return newest(Customer.objects.none())
    meant = Q(pk=text) | Q(tax_id=compact(text)) | Q(email=text.lower()) if text else Q()
    if len(text) >= SHORTEST_PART and any(character.isalpha() for character in text):
        meant |= Q(plain_name__contains=plain(text))
    return newest(Customer.objects.filter(meant, merchant=merchant))


def named(text: str) -> list[str]:
    """Keys of the newest 1,000 customers of any merchant whose name has all these words, or words that begin so.

    Case and accents do not count. Raises ValueError for a text that cannot be a name.
    """
    with connection.cursor() as cursor:
        cursor.execute(_NAMED, {"words": _query_of_name(text)})
        return [pk for (pk,) in cursor.fetchall()]


def words_of_name(text: str) -> SearchQuery:
    """Finds all of these words, or words that begin so. Raises ValueError for a text that cannot be a name."""
    return SearchQuery(_query_of_name(text), config="simple", search_type="raw")


def _query_of_name(text: str) -> str:
    words = re.findall(r"\w+", plain(text))
    if len(text) > LONGEST_NAME or not any(len(word) >= SHORTEST_PART and not word.isdecimal() for word in words):
        raise ValueError(text)
    return " & ".join(f"{word}:*" for word in words)
