"""Finding a scenario or a test card: every word must be in what the page says of it, with or without accents."""

import unicodedata
from collections.abc import Iterable
from typing import TypeVar

from gateway.dashboard.lab.plays import Group, Play
from gateway.dashboard.templatetags.developers import in_language
from gateway.dashboard.words import METHOD

T = TypeVar("T")


def folded(text: str) -> str:
    """Without capitals and marks."""
    return "".join(one for one in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(one))


def matching(said: Iterable[tuple[str, T]], wanted: str) -> list[T]:
    """What has all wanted words in its text."""
    words = folded(wanted).split()
    return [one for text, one in said if all(word in folded(text) for word in words)]


def plays_of(group: Group, wanted: str) -> list[Play]:
    return matching(((_said(group, play), play) for play in group.plays), wanted)


def _said(group: Group, play: Play) -> str:
    ways = (f"{METHOD.get(method, method)} {method} {currency}" for method, currency in play.ways)
    return " ".join((str(group.title), str(play.tail or ""), in_language(str(play.effect)), *ways))
