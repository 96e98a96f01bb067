"""The search of /docs: over guides, errors, event types and operations, in the language of the page."""

import re
from dataclasses import dataclass
from functools import cache
from unicodedata import combining, normalize

from django.utils import translation

from accounts.base.errors import Refusal, catalogue
from gateway.api.openapi.document import document
from gateway.api.reference.guides import guides
from gateway.api.reference.reproductions import EXPLAINED
from gateway.api.reference.site import address
from webhooks.kinds import KINDS

MOST = 20
_WEIGHT_OF_TITLE, _WEIGHT_OF_HEADING, _WEIGHT_OF_WHOLE_WORD, _WEIGHT_OF_PHRASE = 8, 4, 2, 4
_AROUND = 90
OTHER_WORDS = {
    "estorno": ("reembols", "refund"),
    "estornar": ("reembols", "refund"),
    "devolucao": ("reembols", "refund"),
    "devolucion": ("reembols", "refund"),
    "liquidacao": ("libera",),
    "liquidacion": ("libera",),
    "payout": ("withdrawal",),
    "settlement": ("releas",),
}
"""What people look for, and the words that we use in its place (docs/glossary.md)."""


@dataclass(frozen=True, slots=True)
class Place:
    """Something that can be found."""

    where: str
    title: str
    heading: str
    text: str
    weight: int = 1
    """How much more than others it is likely to be what was looked for."""

    @property
    def folded(self) -> tuple[str, str, str]:
        return fold(self.title), fold(self.heading), fold(self.text)


@dataclass(frozen=True, slots=True)
class Hit:
    """A place that has all words, with the text around the first of them."""

    place: Place
    excerpt: str


def search(query: str, language: str) -> list[Hit]:
    """The best places for the words of a query, each of which they contain or begin a word with; best first."""
    words = fold(query).split()[:8]
    if not words:
        return []
    starts = [re.compile(rf"(?<![a-z0-9])(?:{_spellings(word)})(?P<rest>[a-z0-9]*)") for word in words]
    phrase = " ".join(words)
    found = [
        (place.weight * points * (_WEIGHT_OF_PHRASE if any(phrase in part for part in parts) else 1), place)
        for place, parts in _places(language)
        if (points := _points(starts, parts))
    ]
    found.sort(key=lambda one: -one[0])
    return [Hit(place, _excerpt(place.text, words)) for _, place in found[:MOST]]


def _spellings(word: str) -> str:
    return "|".join(map(re.escape, [word, *OTHER_WORDS.get(word, ())]))


def fold(text: str) -> str:
    """In small letters without accents."""
    return "".join(sign for sign in normalize("NFKD", text.lower()) if not combining(sign))


def _points(starts: list[re.Pattern[str]], parts: tuple[str, str, str]) -> int:
    title, heading, text = parts
    points = 0
    for start in starts:
        here = 0
        for part, weight in ((title, _WEIGHT_OF_TITLE), (heading, _WEIGHT_OF_HEADING), (text, 1)):
            hits = [one["rest"] == "" for one in start.finditer(part)]
            here += weight * min(3, len(hits)) + _WEIGHT_OF_WHOLE_WORD * weight * any(hits)
        if not here:
            return 0
        points += here
    return points


def _excerpt(text: str, words: list[str]) -> str:
    folded = fold(text)
    places = [at for word in words if (at := folded.find(word)) >= 0]
    start = max(0, min(places, default=0) - _AROUND)
    cut = " ".join(text[start : start + 2 * _AROUND].split())
    return f"{'… ' if start else ''}{cut}{' …' if len(text) > start + 2 * _AROUND else ''}"


@cache
def _places(language: str) -> list[tuple[Place, tuple[str, str, str]]]:
    with translation.override(language):
        found = [*_guides(language), *_errors(language), *_events(language), *_operations(language)]
    return [(place, place.folded) for place in found]


def _guides(language: str) -> list[Place]:
    return [
        Place(
            address(one.page, language) + (f"#{section.anchor}" if section.anchor else ""),
            one.title,
            section.title if section.anchor else "",
            section.text,
            weight=3 if section.anchor else 4,
        )
        for one in guides(language)
        for section in one.sections
    ]


def _errors(language: str) -> list[Place]:
    where = address("errors", language)
    return [Place(f"{where}#{one.code}", one.code, "", " ".join(_said_of(one))) for one in catalogue()]


def _said_of(refusal: type[Refusal]) -> list[str]:
    """Its message as the API returns it, and in the language of the page this, its advice and what leads to it."""
    cause = EXPLAINED[refusal.code].cause if refusal.code in EXPLAINED else ""
    shown = [translation.gettext(text) for text in (refusal.message, refusal.advice, cause) if text]
    return list(dict.fromkeys([*shown, refusal.message]))


def _events(language: str) -> list[Place]:
    where = address("events", language)
    return [Place(f"{where}#{kind}", kind, "", translation.gettext(when)) for kind, when in KINDS.items()]


def _operations(language: str) -> list[Place]:
    """Descriptions are those of the OpenAPI document, which is in English."""
    where = address("reference", language)
    return [
        Place(
            f"{where}#/{operation['tags'][0].replace(' ', '%20')}/{operation['operationId']}",
            f"{method.upper()} {path}",
            operation["summary"],
            operation.get("description", "").replace("`", ""),
        )
        for path, methods in document()["paths"].items()
        for method, operation in methods.items()
    ]
