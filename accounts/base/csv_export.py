"""CSV exports of lists: every filtered row with the columns of the screen, streamed."""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, TypeVar

from babel.numbers import get_decimal_symbol
from django.http import StreamingHttpResponse
from django.utils import timezone, translation
from django.utils.functional import Promise, lazystr
from django.utils.http import content_disposition_header

from accounts.base.market import in_market, locale, market

M = TypeVar("M")
CsvColumn = tuple[str | Promise, Callable[[M], Any]]
"""A column title, and a function that returns a row's value: str, Decimal, datetime or None."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def timed(title: str | Promise) -> Promise:
    """The title of a column of times: with the reader's time zone."""
    return lazystr(_Timed(title))


class _Timed:
    """Says it when it is read, in the language and zone of that moment."""

    def __init__(self, title: str | Promise) -> None:
        self.title = title

    def __str__(self) -> str:
        return f"{self.title} ({timezone.get_current_timezone()})"


def csv_of(name: str, columns: Sequence[CsvColumn[M]], chunks: Iterable[list[M]]) -> StreamingHttpResponse:
    """Returns `name`.csv as the reader's spreadsheet opens it: in UTF-8 with its mark, decimals with the sign of the
    reader's language and market, and semicolons between cells where that sign is a comma.

    Times are in the reader's zone, which their titles name (`timed`). A value that a spreadsheet would take for a
    formula gets a leading apostrophe. `chunks` is consumed while streaming.
    """
    language, zone, country = translation.get_language(), timezone.get_current_timezone(), market()

    def lines() -> Iterator[bytes]:
        """Activates what the reader reads again for each chunk: the stream is read after the view has returned."""
        sign, made = ".", b""
        with translation.override(language), timezone.override(zone), in_market(country):
            sign = get_decimal_symbol(locale())
            made = "\ufeff".encode() + _written([[str(title) for title, _ in columns]], sign)
        yield made
        rows = iter(chunks)
        while True:
            with translation.override(language), timezone.override(zone), in_market(country):
                chunk = next(rows, None)
                if chunk is None:
                    return
                made = _written([[_cell(value(row), sign) for _, value in columns] for row in chunk], sign)
            yield made

    response = StreamingHttpResponse(lines(), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = content_disposition_header(True, f"{name}.csv")
    return response


def _written(rows: Iterable[Sequence[str]], sign: str) -> bytes:
    text = io.StringIO()
    csv.writer(text, delimiter=";" if sign == "," else ",").writerows(rows)
    return text.getvalue().encode()


def _cell(value: Any, sign: str) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime):
        return timezone.localtime(value).isoformat(" ", "seconds")[:19]
    if isinstance(value, Decimal | int):
        return str(value).replace(".", sign)
    text = str(value)
    return f"'{text}" if text.startswith(_FORMULA) else text
