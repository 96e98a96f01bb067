"""Request bodies: strict JSON, bounded in size (contract §2.1, §2.4)."""

from typing import Any

from django.http import HttpRequest

from accounts.base import wire
from accounts.base.errors import InvalidRequest
from gateway.requests.errors import MalformedJson, UnsupportedMediaType
from gateway.serving.errors import BodyIncomplete, BodyTooLarge

MAX_BODY_BYTES = 256 * 1024


def parse(body: bytes) -> dict[str, Any]:
    try:
        return wire.loads(body)
    except wire.NotOneJsonObject as error:
        raise MalformedJson from error


def check_headers(request: HttpRequest, *, largest: int = MAX_BODY_BYTES, optional: bool = False) -> None:
    """Rejects a body that is too large or not plain application/json in UTF-8.

    Does not read it, unless no header gives its length.
    """
    length = _length(request, largest)
    if length > largest:
        raise BodyTooLarge
    if optional and not length:
        return
    charset = (request.content_params or {}).get("charset", "utf-8").strip('"').lower()
    encoding = request.META.get("HTTP_CONTENT_ENCODING", "identity").lower()
    if request.content_type != "application/json" or charset != "utf-8" or encoding != "identity":
        raise UnsupportedMediaType


def _length(request: HttpRequest, largest: int) -> int:
    written = request.META.get("CONTENT_LENGTH")
    if not written:
        return len(_streamed(request, largest))
    if not (written.isascii() and written.isdigit()):
        raise InvalidRequest(field="content-length")
    return int(written)


def is_streamed(request: HttpRequest) -> bool:
    """Whether the body may have no declared length: chunked, or over HTTP/2."""
    content_length = request.META.get("CONTENT_LENGTH")
    return not content_length and (
        "HTTP_TRANSFER_ENCODING" in request.META or request.META.get("SERVER_PROTOCOL", "").startswith("HTTP/2")
    )


def _streamed(request: HttpRequest, largest: int) -> bytes:
    """Reads a body to its end, or to one byte past the limit."""
    if not is_streamed(request):
        return b""
    if not request.META.get("wsgi.input_terminated"):  # reading further would block forever
        raise BodyIncomplete
    content = b""
    while len(content) <= largest and (more := request.META["wsgi.input"].read(largest + 1 - len(content))):
        content += more
    request._body = content
    return content


def whole_body(request: HttpRequest) -> bytes:
    """The complete body. Raises ONP400_BODY_INCOMPLETE if it ended before its declared length.

    If a connection breaks the server ends the body as if it were complete.
    """
    content = request.body
    content_length = request.META.get("CONTENT_LENGTH")
    if content_length and len(content) != int(content_length):
        raise BodyIncomplete
    return content


def optional_body(request: HttpRequest) -> bytes:
    """The body, or an empty object if none was sent. Raises ONP400_BODY_INCOMPLETE.

    An empty streamed body cannot be distinguished from one that broke off at its first byte.
    """
    if not (content := whole_body(request)) and is_streamed(request):
        raise BodyIncomplete
    return content or b"{}"
