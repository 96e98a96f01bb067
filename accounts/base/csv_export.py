"""CSV exports of lists: every filtered row with the columns of the screen, streamed."""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, TypeVar

from django.http import StreamingHttpResponse
from django.utils import timezone, translation
from django.utils.functional import Promise
from django.utils.http import content_disposition_header

M = TypeVar("M")
CsvColumn = tuple[str | Promise, Callable[[M], Any]]
"""A column title, and a function that returns a row's value: str, Decimal, datetime or None."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def csv_of(name: str, columns: Sequence[CsvColumn[M]], chunks: Iterable[list[M]]) -> StreamingHttpResponse:
    """Returns `name`.csv in UTF-8. Times are in the reader's zone, which column titles should name.

    A value that a spreadsheet would take for a formula gets a leading apostrophe. `chunks` is consumed while streaming.
    """
    language, zone = translation.get_language(), timezone.get_current_timezone()

    def lines() -> Iterator[bytes]:
        """Activates the reader's language and zone again: the stream is read after the view has returned."""
        yield "\ufeff".encode() + _written([[str(title) for title, _ in columns]])
        for rows in chunks:
            with translation.override(language), timezone.override(zone):
                made = _written([[_cell(value(row)) for _, value in columns] for row in rows])
            yield made

    response = StreamingHttpResponse(lines(), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = content_disposition_header(True, f"{name}.csv")
    return response


def _written(rows: Iterable[Sequence[str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue().encode()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime):
        return timezone.localtime(value).isoformat(" ", "seconds")[:19]
    if isinstance(value, Decimal | int):
        return str(value)
    text = str(value)
    return f"'{text}" if text.startswith(_FORMULA) else text
