"""The details of a movement in MT940 (:86:), which each bank structures: subfields (?20 and other signs), words between
slashes (/EREF/), or nothing at all.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from gateway.bank_files.texts import joined

_SIGNS = "?<^~@"
_STRUCTURED = re.compile(r"(\d{3})?\s*([?<^~@])\d\d")
_SUBFIELDS = {sign: re.compile(rf"{re.escape(sign)}(\d\d)") for sign in _SIGNS}
_WORDS = re.compile(
    r"/(EREF|KREF|MREF|PREF|CSID|IBAN|BIC|NAME|REMI|BENM|ORDP|TRCD|RTRN|CNTP|MARF|SVWZ|ISDT|TRTP|ULTB|ULTD|PURP)(?=/)/?"
)
_SEPA = re.compile(r"(EREF|KREF|MREF|CRED|DEBT|SVWZ|ABWA|ABWE|BREF|RREF|IBAN|BIC|PURP|COAM|OAMT)\+")
_RETURNED = {"159"}
"""The German code of a credit transfer that comes back."""

_COLLECTED = {"104", "105", "106"}
"""Direct debits and card payments that others have collected."""


@dataclass(frozen=True, slots=True)
class Details:
    """What the bank says of a movement. `text` has everything that people wrote."""

    text: str = ""
    end_to_end_id: str = ""
    name: str = ""
    account: str = ""
    bank: str = ""
    code: str = ""
    is_return: bool = False
    is_collected: bool = False


def details(lines: Sequence[str]) -> Details:
    """Of the lines of the field, without its tag."""
    if not lines:
        return Details()
    structured = _STRUCTURED.match(lines[0])
    if structured:
        return _of_subfields("".join(lines), structured[1] or "", structured[2])
    whole = "".join(lines)
    if _WORDS.search(whole):
        return _of_words(whole)
    return Details(text=joined(" ".join(lines)))


def _of_subfields(whole: str, code: str, sign: str) -> Details:
    parts = _SUBFIELDS[sign].split(whole)
    pieces: dict[str, list[str]] = {}
    for number, value in zip(parts[1::2], parts[2::2], strict=True):
        pieces.setdefault(number, []).append(value)
    found = {number: "".join(values) for number, values in pieces.items()}
    purpose = "".join(found.get(str(number), "") for number in (*range(20, 30), *range(60, 64)))
    words = _cut(_SEPA, purpose)
    return Details(
        text=joined(found.get("00", ""), words.get("SVWZ", "") or purpose),
        end_to_end_id=words.get("EREF", ""),
        name=joined(found.get("32", "") + found.get("33", "")) or words.get("ABWA", ""),
        account=found.get("31", "").strip() or words.get("IBAN", ""),
        bank=found.get("30", "").strip(),
        code=code,
        is_return=code in _RETURNED,
        is_collected=code in _COLLECTED,
    )


def _of_words(whole: str) -> Details:
    words = _cut(_WORDS, whole)
    return Details(
        text=joined(words.get("", "").replace("/", " "), words.get("REMI", "").replace("/", " ").replace("USTD ", " ")),
        end_to_end_id=words.get("EREF", ""),
        name=words.get("NAME", ""),
        account=words.get("IBAN", ""),
        bank=words.get("BIC", ""),
        code=words.get("TRCD", ""),
    )


def _cut(words: "re.Pattern[str]", whole: str) -> dict[str, str]:
    """The text behind each word, and under "" what stands before the first. The first of a word counts."""
    parts = words.split(whole)
    found = {"": parts[0].strip(" /")}
    for word, value in zip(parts[1::2], parts[2::2], strict=True):
        found.setdefault(word, " ".join(value.split()).strip("/"))
    return found
