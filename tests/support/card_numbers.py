"""Looks for card numbers in every row of every table, and in any text."""

import re
from collections.abc import Iterable

from django.db import connection

from accounts.base.card_numbers import is_issued

_COLUMNS = """
    SELECT c.table_name, c.column_name FROM information_schema.columns c
      JOIN information_schema.tables t USING (table_schema, table_name)
     WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE'
     ORDER BY c.table_name, c.ordinal_position
"""
_RUN = re.compile(r"(?<![0-9A-Za-z])[2-9](?:[ -]?[0-9]){12,18}(?![0-9A-Za-z])")  # not a part of an id of ours


def numbers_in(text: str, known: Iterable[str] = ()) -> set[str]:
    """Every known number, and every 13 to 19 digits that an issuer could give; blanks and hyphens hide nothing."""
    bare = text.replace(" ", "").replace("-", "")
    runs = {re.sub(r"[ -]", "", run) for run in _RUN.findall(text)}
    return {number for number in known if number in bare} | {run for run in runs if is_issued(run)}


def numbers_in_the_database(known: Iterable[str] = ()) -> set[tuple[str, str]]:
    """`(table.column, number)` of everything found, in text, JSON, lists and bytes alike."""
    found = set()
    with connection.cursor() as cursor:
        cursor.execute(_COLUMNS)
        for table, column in cursor.fetchall():
            cursor.execute(f'SELECT "{column}" FROM "{table}" WHERE "{column}" IS NOT NULL')
            for (value,) in cursor.fetchall():
                found |= {(f"{table}.{column}", number) for number in numbers_in(_text(value), known)}
    return found


def _text(value: object) -> str:
    """Bytes as they are, and as they would be read in hexadecimal."""
    if isinstance(value, (bytes, memoryview)):
        return bytes(value).decode("latin-1")
    return str(value)
