"""Search by any id. Big tables are searched for exact values only, so that indexes are used."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from django.db.models import Model, Q, QuerySet

from accounts.base.ids import IdField

Ids = Mapping[str, str | Callable[[str], Q]]
"""Prefix of a public id → the lookup, or a function that builds one."""

SearchWords = Mapping[str, Callable[[str], Any]]
"""Lookup → a function that parses the term. ValueError: the term cannot match."""

ULID_LENGTH = 26
_ID = re.compile(r"([a-z]{3,4})_([0-9a-z]{1,35})", re.IGNORECASE)
_ULID = re.compile(r"[0-7][0-9a-hjkmnp-tv-z]{25}", re.IGNORECASE)


def announced_by(events: QuerySet[Any]) -> Q:
    """The records that these events are about."""
    return Q(pk__in=events.values("object_id"))


def matching(model: type[Model], term: str, ids: Ids, words: SearchWords) -> Q:
    """The possible meanings of the term for this model: its own id, a related one, or a word."""
    if "\0" in term:
        return Q(pk__in=[])
    readings = [*_as_id(model, term, ids)]
    if not (readings and _ID.fullmatch(term) and len(term.partition("_")[2]) == ULID_LENGTH):
        readings += _as_words(term, words)
    if not readings:
        return Q(pk__in=[])
    if len(readings) == 1:
        return readings[0]
    # An OR over several tables would use no index: each reading is a query of its own.
    found = [model._base_manager.filter(reading).order_by().values("pk") for reading in readings]
    return Q(pk__in=found[0].union(*found[1:], all=True))


def _as_id(model: type[Model], term: str, ids: Ids) -> Iterable[Q]:
    key = model._meta.pk
    own_prefix = key.prefix if isinstance(key, IdField) else None
    if match := _ID.fullmatch(term):
        prefix, public_id = match[1].lower(), f"{match[1].lower()}_{match[2].upper()}"
        lookup = ids.get(prefix)
        if prefix == own_prefix:
            yield Q(pk__gte=public_id, pk__lt=f"{public_id}~")  # a prefix of an id is enough
        elif lookup:
            yield Q(**{lookup: public_id}) if isinstance(lookup, str) else lookup(public_id)
    elif own_prefix and _ULID.fullmatch(term):
        yield Q(pk=f"{own_prefix}_{term.upper()}")


def _as_words(term: str, words: SearchWords) -> Iterable[Q]:
    for lookup, value_of in words.items():
        try:
            yield Q(**{lookup: value_of(term)})
        except ValueError:
            continue
