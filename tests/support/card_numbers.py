"""Looks for card numbers in every row of every table, and in any text."""

import re
from collections.abc import Iterable

from accounts.base.card_numbers import is_issued
from tests.support.stored import everything_stored

_RUN = re.compile(r"(?<![0-9A-Za-z])[2-9](?:[ -]?[0-9]){12,18}(?![0-9A-Za-z])")  # not a part of an id of ours


def numbers_in(text: str, known: Iterable[str] = ()) -> set[str]:
    """Every known number, and every 13 to 19 digits that an issuer could give; blanks and hyphens hide nothing."""
    bare = text.replace(" ", "").replace("-", "")
    runs = {re.sub(r"[ -]", "", run) for run in _RUN.findall(text)}
    return {number for number in known if number in bare} | {run for run in runs if is_issued(run)}


def numbers_in_the_database(known: Iterable[str] = ()) -> set[tuple[str, str]]:
    """`(table.column, number)` of everything found, in text, JSON, lists and bytes alike."""
    return {(name, number) for name, value in everything_stored() for number in numbers_in(value, known)}
