"""Files that companies upload: their type, detected from the content, and their download."""

import unicodedata

from django.http import HttpResponse
from django.utils.http import content_disposition_header

_SIGNATURES = {
    "application/pdf": b"%PDF-",
    "image/png": b"\x89PNG\r\n\x1a\n",
    "image/jpeg": b"\xff\xd8\xff",
}
_ENDINGS = {"application/pdf": (".pdf",), "image/png": (".png",), "image/jpeg": (".jpg", ".jpeg")}
_LONGEST_NAME = 100
TYPES = tuple(_SIGNATURES)


def type_of(content: bytes) -> str | None:
    """Returns one of the accepted types, or None; the client's file name and type are ignored."""
    return next((kind for kind, start in _SIGNATURES.items() if content.startswith(start)), None)


def download(content: bytes | memoryview | None, content_type: str | None, name: str) -> HttpResponse:
    """Serves an untrusted file as an attachment that browsers do not open in our origin."""
    response = HttpResponse(bytes(content or b""), content_type=content_type)
    response["Content-Disposition"] = content_disposition_header(True, name)
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response["X-Content-Type-Options"] = "nosniff"
    response["Cache-Control"] = "no-store"
    return response


def preview(content: bytes | memoryview | None, content_type: str | None, name: str) -> HttpResponse:
    """Shows an untrusted file inside a page of ours. It can load nothing, and is never read as another type.

    Images are sandboxed; browsers show no sandboxed PDF, and their readers run none of its scripts in our origin.
    """
    if content_type not in TYPES:
        return download(content, content_type, name)
    response = download(content, content_type, name)
    response["Content-Disposition"] = content_disposition_header(False, name) or "inline"
    response["X-Frame-Options"] = "SAMEORIGIN"
    limits = "object-src 'self'" if content_type == "application/pdf" else "sandbox"
    response["Content-Security-Policy"] = f"default-src 'none'; frame-ancestors 'self'; {limits}"
    return response


def safe_name(name: str | None, content_type: str | None, otherwise: str) -> str:
    """The file name without invisible or special characters, with the extension of its type."""
    visible = "".join(map(_safe_character, name or ""))
    made = " ".join(visible.split()).strip(". ")[-_LONGEST_NAME:] or otherwise
    endings = _ENDINGS.get(content_type or "", ("",))
    return made if made.lower().endswith(endings) else f"{made}{endings[0]}"


def _safe_character(letter: str) -> str:
    if unicodedata.category(letter)[0] in "CZ":  # control, direction, surrogate, separator
        return " "
    return "_" if letter in '/\\:*?"<>|;%' else letter
