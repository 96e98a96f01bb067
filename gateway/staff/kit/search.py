"""Search by any id. Big tables are searched for exact values only, so that indexes are used."""

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from django.db.models import Model, Q, QuerySet

from accounts.base.ids import IdField
from gateway.staff.kit.readings import Reading, split_days

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


@dataclass(frozen=True, slots=True)
class Meanings:
    """What a list's search terms can mean.

    `words` and `readings` are alternatives. A day in the term narrows the rest of it to `moments`, or stands alone.
    """

    ids: Ids
    words: SearchWords
    readings: tuple[Reading, ...] = ()
    moments: tuple[str, ...] = ()


def matching(model: type[Model], term: str, meanings: Meanings) -> Q:
    """The possible meanings of the term for this model, on the day in it: its own id, a related one, or a word."""
    if "\0" in term:
        return Q(pk__in=[])
    rest, span = split_days(term) if meanings.moments else (term, None)
    found = _readings(model, rest, meanings) if rest or not span else [Q()]
    if span:
        found = [*(one & span.inside(moment) for one in found for moment in meanings.moments)]
        found += _readings(model, term, meanings) if not rest else []
    return _any(model, found)


def _readings(model: type[Model], term: str, meanings: Meanings) -> list[Q]:
    found = [*_as_id(model, term, meanings.ids)]
    if not (found and _ID.fullmatch(term) and len(term.partition("_")[2]) == ULID_LENGTH):
        found += _as_words(term, meanings)
    return found


def _any(model: type[Model], readings: list[Q]) -> Q:
    """An OR over several tables would use no index: each reading is a query of its own."""
    if not readings:
        return Q(pk__in=[])
    if len(readings) == 1:
        return readings[0]
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


def _as_words(term: str, meanings: Meanings) -> Iterable[Q]:
    for lookup, value_of in meanings.words.items():
        with suppress(ValueError):
            yield Q(**{lookup: value_of(term)})
    for reading in meanings.readings:
        with suppress(ValueError):
            yield reading(term)
