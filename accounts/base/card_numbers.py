"""Card numbers in text: rejected wherever text is stored, and masked in every log."""

import re
import unicodedata
from collections.abc import Iterator

from stdnum import luhn

LENGTHS = range(13, 20)
BRANDS = (
    ("amex", ("34", "37"), (15,)),
    (
        "elo",
        ("4011", "4312", "4389", "5041", "5066", "5067", "509", "6277", "6362", "6363", "650", "6516", "6550"),
        (16,),
    ),
    ("hipercard", ("3841", "6062"), (16,)),
    ("diners", ("36", "38", "300", "301", "302", "303", "304", "305"), (14,)),
    ("discover", ("6011", "644", "645", "646", "647", "648", "649", "65"), (16,)),
    ("jcb", tuple(map(str, range(3528, 3590))), (16,)),
    ("mastercard", (*map(str, range(51, 56)), *map(str, range(2221, 2721))), (16,)),
    ("visa", ("4",), (13, 16, 19)),
)
"""Issuer prefixes, the narrower first, and the length of their numbers."""
ELSEWISE = ((4, 10), (6, 12), (4, 7, 10))
"""After how many digits there are blanks where not after each four: 4-6-5 and 4-6-4, 6-6-4, 4-3-3-3."""
_RUN = re.compile(r"[0-9](?:[ .-]*[0-9]){12,}")
_SEPARATORS = {"Zs": " ", "Cf": " ", "Pd": "-"}
"""Unicode categories of separators between digits, and their ASCII form."""
_GROUP = re.compile("[0-9]+")
_UUID = re.compile(r"(?<![0-9a-z])[0-9a-f]{8}(-?)(?:[0-9a-f]{4}\1){3}[0-9a-f]{12}(?![0-9a-z])", re.IGNORECASE)


def brand_of(number: str) -> str:
    """The scheme by the first digits; `unknown` otherwise."""
    return next((brand for brand, prefixes, _ in BRANDS if number.startswith(prefixes)), "unknown")


def is_issued(digits: str) -> bool:
    """Whether the digits are a card number: an issuer's prefix, its length and the check digit."""
    fits = any(digits.startswith(prefixes) and len(digits) in lengths for _, prefixes, lengths in BRANDS)
    return fits and bool(luhn.is_valid(digits))


def holds_card(text: str) -> bool:
    """Whether the text contains a card number, in one run or in groups, in digits of any script."""
    return next(_found(text), None) is not None


def without_cards(text: str, instead: str) -> str:
    """The text with every card number replaced by `instead`."""
    kept, end = "", 0
    for start, stop in _found(text):
        kept, end = f"{kept}{text[end:start]}{instead}", stop
    return kept + text[end:] if end else text


def _plain(text: str) -> str:
    """The text with digits, spaces and dashes of every script in ASCII, at the same positions."""
    return text if text.isascii() else "".join(map(_ascii, text))


def _ascii(character: str) -> str:
    digit = unicodedata.digit(character, None)
    if digit is not None:
        return str(digit)
    return _SEPARATORS.get(unicodedata.category(character), character)


def _found(written: str) -> Iterator[tuple[int, int]]:
    """Positions of card numbers. They are written in groups, and other digits may be next to them.

    The digits of a UUID are none: one of 2,500 random ones would hold a card number.
    """
    text = _plain(written)
    if next(_written_as_cards(text), None):  # only then is it worth looking for UUIDs, which takes twice as long
        yield from _written_as_cards(_UUID.sub(_hidden, text))


def _written_as_cards(text: str) -> Iterator[tuple[int, int]]:
    for run in _RUN.finditer(text):
        groups = [(run.start() + group.start(), run.start() + group.end()) for group in _GROUP.finditer(run[0])]
        first = 0
        while first < len(groups):
            last = _last_of_a_card(text, groups, first)
            if last is not None:
                yield groups[first][0], groups[last][1]
                first = last
            first += 1


def _hidden(found: re.Match[str]) -> str:
    return "x" * len(found[0])


def _last_of_a_card(text: str, groups: list[tuple[int, int]], first: int) -> int | None:
    """The group with which a number that starts at the group `first` ends.

    Cards are written in one group, in groups of four (or of eight or twelve where blanks are missing), and as in
    `ELSEWISE`. Order numbers such as `41234-00000012` are not.
    """
    digits, breaks = "", tuple[int, ...]()
    for n in range(first, len(groups)):
        start, end = groups[n]
        digits += text[start:end]
        if len(digits) >= LENGTHS.stop:
            return None
        if is_issued(digits) and (breaks in ELSEWISE or _in_fours(breaks)):
            return n
        breaks = (*breaks, len(digits))
        if not _in_fours(breaks) and all(way[: len(breaks)] != breaks for way in ELSEWISE):
            return None
    return None


def _in_fours(breaks: tuple[int, ...]) -> bool:
    return not any(place % 4 for place in breaks)
