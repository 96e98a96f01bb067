"""Texts in the characters that every bank takes: the Latin set of SEPA, which SWIFT's X set is the origin of."""

import re
import unicodedata

_OUTSIDE = re.compile(r"[^A-Za-z0-9/\-?:().,'+ ]")
_SPELLED = str.maketrans(
    {"ß": "ss", "æ": "ae", "Æ": "AE", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "œ": "oe", "&": "+",
     "Œ": "OE", "º": "o", "ª": "a", "_": "-", "–": "-", "—": "-", "’": "'", "‘": "'", "`": "'", "ı": "i"}
)  # fmt: skip


def latin(text: str, length: int) -> str:
    """Without accents and without characters that some bank refuses, cut to `length`."""
    plain = "".join(
        letter
        for letter in unicodedata.normalize("NFKD", text.translate(_SPELLED))
        if not unicodedata.combining(letter)
    )
    return " ".join(_OUTSIDE.sub(" ", plain).split())[:length].strip()


def identifier(text: str) -> str:
    """As references are written, which never begin or end with a slash or hold two."""
    return re.sub("/+", "/", latin(text, 35)).strip("/ ")
