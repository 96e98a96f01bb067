"""Bodies: strict JSON, bounded in size (contract §2.1, §2.4)."""

from typing import Any

from django.http import HttpRequest
from rest_framework.parsers import BaseParser

from accounts import wire
from accounts.errors import InvalidRequest
from gateway.api.errors import BodyTooLarge, MalformedJson, UnsupportedMediaType

MAX_BODY_BYTES = 256 * 1024


class StrictJsonParser(BaseParser):
    media_type = "application/json"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> dict[str, Any]:
        return parse(stream.read())


def parse(body: bytes) -> dict[str, Any]:
    try:
        return wire.loads(body)
    except wire.MalformedJson as error:
        raise MalformedJson from error


def check_headers(request: HttpRequest, *, largest: int = MAX_BODY_BYTES, optional: bool = False) -> None:
    """Refuses a body that is too large or not plain application/json in UTF-8, before it is read."""
    length = _length(request)
    if length > largest:
        raise BodyTooLarge
    if optional and not length:
        return
    charset = (request.content_params or {}).get("charset", "utf-8").strip('"').lower()
    encoding = request.META.get("HTTP_CONTENT_ENCODING", "identity").lower()
    if request.content_type != "application/json" or charset != "utf-8" or encoding != "identity":
        raise UnsupportedMediaType


def _length(request: HttpRequest) -> int:
    written = request.META.get("CONTENT_LENGTH") or "0"
    if not (written.isascii() and written.isdigit()):
        raise InvalidRequest
    return int(written)
