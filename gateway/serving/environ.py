"""A request as WSGI environment, without headers that a client could pass off as another."""

import sys
from functools import cache
from typing import Any

from django.conf import settings

from accounts.base.client_address import is_proxy
from accounts.base.errors import Refusal
from gateway.serving.bodies import Body
from gateway.serving.errors import HeaderRepeated, TargetTooLong
from gateway.serving.middleware import REFUSAL

LONGEST_TARGET = 8 * 1024
_CONSTANT = {
    "SCRIPT_NAME": "",
    "wsgi.version": (1, 0),
    "wsgi.errors": sys.stderr,
    "wsgi.multithread": True,
    "wsgi.multiprocess": True,
    "wsgi.run_once": False,
}
_DROPPED = frozenset({"content-length", "transfer-encoding"})
"""Hop-by-hop headers of the body."""
_ONE_LINE = {"cookie": "; "}


def environ_of(scope: Any, body: Body) -> dict[str, Any]:
    """The WSGI environment of a request.

    WSGI maps `X_Api_Key` and `X-Api-Key` to the same name, so headers with an underscore are dropped, as nginx does.
    Proxy headers are dropped if a client sends them, and rejected if the proxy passes them twice.
    """
    client, server = _host_and_port(scope.client), _host_and_port(scope.server)
    environ: dict[str, Any] = {
        **_CONSTANT,
        "SERVER_PROTOCOL": f"HTTP/{scope.http_version}",
        "SERVER_NAME": server[0],
        "SERVER_PORT": server[1],
        "REMOTE_ADDR": client[0],
        "REQUEST_METHOD": scope.method,
        "PATH_INFO": _as_latin_1(scope.path),
        "QUERY_STRING": _as_latin_1(scope.query_string),
        "wsgi.url_scheme": scope.scheme,
        "wsgi.input": body.stream,
    }
    refusal = _add_headers(environ, scope.headers.items(), is_proxy(client[0])) or body.refusal
    if len(scope.path) + len(scope.query_string) > LONGEST_TARGET:
        refusal = TargetTooLong()
    if refusal:
        environ[REFUSAL] = refusal
    if body.length is not None:
        environ["CONTENT_LENGTH"] = str(body.length)
    environ.setdefault("HTTP_HOST", scope.authority or "")
    return environ


def _add_headers(environ: dict[str, Any], headers: list[tuple[str, str]], is_from_proxy: bool) -> Refusal | None:
    refusal = None
    for name, value in headers:
        if "_" in name or name in _DROPPED or (name in _of_proxies() and not is_from_proxy):
            continue
        key = "CONTENT_TYPE" if name == "content-type" else "HTTP_" + name.upper().replace("-", "_")
        if key not in environ:
            environ[key] = value
        elif name in _of_proxies():
            refusal = HeaderRepeated()
        else:
            environ[key] += _ONE_LINE.get(name, ",") + value
    return refusal


@cache
def _of_proxies() -> frozenset[str]:
    """Headers that only a trusted proxy can have set."""
    own = {settings.CLIENT_ADDRESS_HEADER.lower(), settings.CLIENT_CERTIFICATE_HEADER.lower()}
    return frozenset({*own, "x-forwarded-proto"})


def _host_and_port(socket: str) -> tuple[str, str]:
    host, _, port = socket.rpartition(":")
    return host.strip("[]"), port


def _as_latin_1(text: str) -> str:
    return text if text.isascii() else text.encode().decode("latin-1")
