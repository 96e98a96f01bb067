"""The e-mails of a local service, which sends none: codes and invitations can be read here. Local mode only."""

import email
import re
from email.policy import default
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

NEWEST = 20
_ADDRESS = re.compile(r"(https?://\S+)")


class Letter(NamedTuple):
    """An e-mail as it would have been sent."""

    to: str
    subject: str
    sent: str
    text: SafeString


@require_safe
@never_cache
def page(request: HttpRequest) -> HttpResponse:
    """The newest e-mails first."""
    folder = getattr(settings, "EMAIL_FILE_PATH", None)
    if not settings.LOCAL or not folder:
        raise Http404
    files = sorted(Path(folder).glob("*.log"), key=lambda file: file.stat().st_mtime, reverse=True)[:NEWEST]
    letters = [letter for file in files for letter in reversed(_letters(file))]
    return render(request, "demo/mail.html", {"letters": letters[:NEWEST]})


def _letters(file: Path) -> list[Letter]:
    separator = b"-" * 79
    return [_letter(part.strip()) for part in file.read_bytes().split(separator) if part.strip()]


def _letter(source: bytes) -> Letter:
    message = email.message_from_bytes(source, policy=default)
    body = message.get_body(("plain",))
    text = str(body.get_content()) if body else ""
    return Letter(str(message["To"]), str(message["Subject"]), str(message["Date"]), _linked(text))


def _linked(text: str) -> SafeString:
    parts = [
        format_html('<a href="{0}">{0}</a>', part) if _ADDRESS.fullmatch(part) else format_html("{}", part)
        for part in _ADDRESS.split(text)
    ]
    return format_html_join("", "{}", ((part,) for part in parts))
