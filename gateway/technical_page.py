"""The debug page in place of a plain 500 (ONPAY_DEBUG): the traceback, without secrets.

Of the request it shows method and path, and no settings. Of variables it shows numbers, dates, ids and row identities;
of everything else only the type, since any text may be a key, a card number or a name.
"""

import re
from collections.abc import ItemsView
from datetime import date
from decimal import Decimal
from enum import Enum
from types import NoneType
from typing import Any

from django.db.models import Model
from django.views.debug import ExceptionReporter, SafeExceptionReporterFilter

from accounts.base.card_numbers import without_cards
from gateway.logs import REMOVED, without_values

OUR_ID = re.compile(r"[a-z]{3}_[0-9A-HJKMNP-TV-Z]{26}")
OUTSPOKEN = (NoneType, bool, int, Decimal, date, Enum)
LONG = re.compile(r"[A-Za-z0-9_+/=.-]{24,}")
"""A word that may be a key or token, unless it is a module name or one of our ids."""
NAME = re.compile(r"[A-Za-z]+([._-][A-Za-z]+)*")
SILENT = {
    "request_meta": {},
    "request_GET_items": (),
    "filtered_POST_items": (),
    "request_FILES_items": (),
    "request_COOKIES_items": (),
    "settings": {},
    "user_str": "",
    "unicode_hint": "",
    "exception_notes": "",
}


class Variables(SafeExceptionReporterFilter):
    """Django's default shows every local variable if DEBUG is on."""

    def get_traceback_frame_variables(self, request: Any, tb_frame: Any) -> ItemsView[str, Any]:
        return {name: shown(value) for name, value in tb_frame.f_locals.items()}.items()


class Reporter(ExceptionReporter):
    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self.filter = Variables()

    def get_traceback_data(self) -> dict[str, Any]:
        data = super().get_traceback_data() | SILENT
        data["request_insecure_uri"] = self.request.path if self.request else ""
        data["exception_value"] = redacted(str(data.get("exception_value", "")))
        return data

    def get_traceback_frames(self) -> list[dict[str, Any]]:
        frames = super().get_traceback_frames()
        for frame in frames:
            frame["exc_cause"] = frame["exc_cause"] and redacted(str(frame["exc_cause"]))
        return frames


def shown(value: object) -> str:
    """The displayable part of a variable."""
    if isinstance(value, Model):
        return f"{type(value).__name__} {value.pk}"
    if isinstance(value, OUTSPOKEN) or (isinstance(value, str) and OUR_ID.fullmatch(value)):
        return without_cards(repr(value), REMOVED)
    return f"{type(value).__qualname__} …"


def redacted(message: str) -> str:
    """A message without values of constraint violations, card numbers and possible keys."""
    return LONG.sub(_redacted_word, without_values(message))


def _redacted_word(found: re.Match[str]) -> str:
    word = found[0]
    return word if OUR_ID.fullmatch(word) or NAME.fullmatch(word) else REMOVED
