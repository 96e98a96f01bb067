"""The HTTP client for institutions: one call, one answer or a failure that says whether anything was transmitted."""

import socket
import ssl
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from io import BytesIO
from tempfile import NamedTemporaryFile
from threading import Timer
from typing import Any, BinaryIO, Self, TypeVar
from urllib.parse import quote, urlsplit

import httpx
import structlog
from django.conf import settings
from pydantic import TypeAdapter, ValidationError

from accounts.base.counters import PROVIDER_SECONDS
from accounts.base.tracing import span
from accounts.base.wire import NotOneJsonObject, loads
from gateway.providers.errors import CallFailed, NotSent, Unclear
from gateway.providers.observing import SERVED, TURNED_AWAY, saw

MB = 1024 * 1024
LARGEST = MB
CONNECT_TIMEOUT_S = 5
OUR_HEADERS = {"User-Agent": "Onpay-Gateway/2", "Accept": "application/json", "Accept-Encoding": "identity"}

T = TypeVar("T")

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Identity:
    """How we and the institution prove who we are: PEM texts. Without `ca` the system's authorities are trusted."""

    certificate: str | None = None
    private_key: str | None = field(default=None, repr=False)
    ca: str | None = None

    def context(self) -> ssl.SSLContext:
        """TLS 1.2 or newer, the host name always verified. Raises OSError or ValueError for unusable texts."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        if self.ca:
            context.load_verify_locations(cadata=self.ca)
        else:
            context.load_default_certs()
        if self.certificate and self.private_key:
            # OpenSSL reads files only. This one is readable by us alone, and gone at the end of the block.
            with NamedTemporaryFile("w", encoding="ascii") as pem:
                pem.write(f"{self.private_key}\n{self.certificate}\n")
                pem.flush()
                context.load_cert_chain(pem.name, password=lambda: "")  # else OpenSSL would prompt for a passphrase
        return context


@dataclass(frozen=True, slots=True)
class Call:
    """One request. `url` is a template: `ids` fill it, quoted. `about` is the id of ours that the log names."""

    method: str
    url: str
    ids: Mapping[str, str] = field(default_factory=dict)
    about: str = ""
    query: Mapping[str, str | int] = field(default_factory=dict, repr=False)
    json: Mapping[str, Any] | None = field(default=None, repr=False)
    form: Mapping[str, str] | None = field(default=None, repr=False)
    content: str | bytes | None = field(default=None, repr=False)
    """A body that an institution's library has written; its type is in the headers."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Answer:
    """A complete answer below 500 that is no redirect. `body` is its JSON object, empty if there was none."""

    status: int
    body: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def read(self, shape: type[T]) -> T:
        """The body in its shape. Raises Unclear, which repeats no value."""
        return shaped(self.body, shape)


def shaped(body: Mapping[str, Any], shape: type[T]) -> T:
    """A value of the shape, a pydantic dataclass, without NUL characters, which no text of the database can have.

    Raises Unclear, which repeats no value.
    """
    try:
        return TypeAdapter(shape).validate_python(_storable(body))
    except ValidationError as wrong:
        places = {".".join(map(str, one["loc"])) for one in wrong.errors(include_input=False, include_url=False)}
        raise Unclear(f"an answer of another form: {', '.join(sorted(places))[:120]}") from None


def _storable(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace("\0", "")
    if isinstance(value, Mapping):
        return {name: _storable(member) for name, member in value.items()}
    return [_storable(one) for one in value] if isinstance(value, list) else value


class Client:
    """Calls one institution. Follows no redirects, uses no proxy of the environment, and never repeats a call.

    Every call has a connection of its own: the institution may close a kept one while a request is sent over it, and
    then nobody knows what became of the request.
    """

    def __init__(self, provider: str, identity: Identity, timeout_s: float | None = None) -> None:
        self._provider = provider
        self._identity = identity
        self._timeout_s = timeout_s or settings.PROVIDER_TIMEOUT_S

    def send(self, call: Call) -> Answer:
        """The answer, within the total time.

        Raises NotSent if nothing was transmitted, and Unclear if no usable answer followed: none in time, half a one,
        a redirect, 5xx, more than 1 MB, or anything but a JSON object. A 401 needs no body.
        """
        return self._logged(call, lambda: self._answer(call))

    def download(self, call: Call, into: BinaryIO, largest: int) -> None:
        """Writes the body of a file to `into`, within the total time.

        Raises NotSent if nothing was transmitted, and Unclear for any status but 200 and for more than `largest` bytes.
        """
        self._logged(call, lambda: self._file(call, into, largest))

    def _logged(self, call: Call, exchange: Callable[[], Answer]) -> Answer:
        started = time.monotonic()
        told = {"provider": self._provider, "host": urlsplit(call.url).netloc, "about": call.about}
        told["call"] = f"{call.method} {urlsplit(call.url).path}"
        try:
            answer = self._traced(call, exchange)
        except CallFailed as failed:
            unclear, elapsed_s = isinstance(failed, Unclear), time.monotonic() - started
            elapsed_ms = round(elapsed_s * 1000)
            PROVIDER_SECONDS.labels(self._provider, "unclear" if unclear else "not_sent").observe(elapsed_s)
            log.warning("provider.not_answered", **told, unclear=unclear, reason=failed.reason, elapsed_ms=elapsed_ms)
            saw(None if isinstance(failed, _Unusable) else failed.reason)
            raise
        elapsed_s = time.monotonic() - started
        elapsed_ms = round(elapsed_s * 1000)
        PROVIDER_SECONDS.labels(self._provider, "answered").observe(elapsed_s)
        log.info("provider.answered", **told, status=answer.status, elapsed_ms=elapsed_ms)
        saw(f"HTTP {answer.status}" if answer.status in TURNED_AWAY else SERVED)
        return answer

    def _traced(self, call: Call, exchange: Callable[[], Answer]) -> Answer:
        facts = {"onpay.provider": self._provider, "onpay.about": call.about, "http.request.method": call.method}
        with span(f"provider {self._provider}", facts, kind="client") as told:
            answer = exchange()
            told({"http.response.status_code": answer.status})
            return answer

    def _answer(self, call: Call) -> Answer:
        body = BytesIO()
        response = self._exchange(call, body, LARGEST)
        return _usable(response, body.getvalue())

    def _file(self, call: Call, into: BinaryIO, largest: int) -> Answer:
        status = self._exchange(call, into, largest).status_code
        if status != httpx.codes.OK:
            raise Unclear(f"HTTP {status}")
        return Answer(status)

    def _exchange(self, call: Call, into: BinaryIO, largest: int) -> httpx.Response:
        """The answer, whose body is in `into`."""
        size, watch = 0, _Watch(self._timeout_s)
        try:
            with watch, self._stream(call, watch) as response:
                for part in response.iter_raw():
                    size += into.write(part)
                    if size > largest:
                        raise _Unusable(f"the answer has more than {largest // MB} MB")
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:  # a host name may have no possible form
            raise watch.failure(error) from None
        if watch.is_over:
            raise watch.failure(None)
        return response

    def _stream(self, call: Call, watch: "_Watch") -> AbstractContextManager[httpx.Response]:
        return self._http.stream(
            call.method,
            call.url.format_map({name: quote(value, safe="") for name, value in call.ids.items()}),
            params=call.query or None,
            json=call.json,
            data=call.form,
            content=call.content,
            headers=call.headers,
            extensions={"trace": watch.trace},
        )

    @cached_property
    def _http(self) -> httpx.Client:
        try:
            context = self._identity.context()
        except (OSError, ValueError) as error:  # an SSLError is an OSError
            raise NotSent(f"certificate or private key cannot be used: {type(error).__name__}") from None
        return httpx.Client(
            verify=context,
            trust_env=False,
            follow_redirects=False,
            timeout=httpx.Timeout(self._timeout_s, connect=min(CONNECT_TIMEOUT_S, self._timeout_s)),
            limits=httpx.Limits(max_keepalive_connections=0),
            headers=OUR_HEADERS,
        )


class _Unusable(Unclear):
    """An answer to this request that is no answer of the API: it may be the request's own fault."""


class _Watch:
    """Ends a call at its deadline, even if bytes keep trickling in, and knows whether anything was transmitted."""

    def __init__(self, seconds: float) -> None:
        self.is_over = False
        self._seconds = seconds
        self._transmitted = False
        self._socket: socket.socket | None = None
        self._timer = Timer(seconds, self._end)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()

    def trace(self, event: str, info: Mapping[str, Any]) -> None:
        """Called by httpx at every step. Past the deadline nothing is transmitted any more."""
        if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            self._socket = info["return_value"].get_extra_info("socket")
        elif event == "http11.send_request_headers.started":
            if self.is_over:
                raise NotSent(f"no connection within {self._seconds} s")
            self._transmitted = True

    def failure(self, error: Exception | None) -> CallFailed:
        """Texts of the network and of TLS name hosts and certificates; others may quote what was received."""
        text = (isinstance(error, httpx.NetworkError) and str(error)[:160]) or type(error).__name__
        if not self._transmitted:
            return NotSent(f"no connection: {text}")
        if self.is_over or isinstance(error, httpx.TimeoutException):
            return Unclear(f"no complete answer within {self._seconds} s")
        return Unclear(f"no complete answer: {text}")

    def _end(self) -> None:
        self.is_over = True
        if self._socket is not None:
            with suppress(OSError):  # that of SSLSocket would not be safe while another thread reads
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)


def _usable(response: httpx.Response, body: bytes) -> Answer:
    status = response.status_code
    if not (200 <= status < 300 or 400 <= status < 500):
        raise Unclear(f"HTTP {status}")
    try:
        if body and "json" not in response.headers.get("content-type", ""):
            raise NotOneJsonObject
        return Answer(status, loads(body) if body else {})
    except NotOneJsonObject:
        if status == httpx.codes.UNAUTHORIZED:
            return Answer(status)
        raise _Unusable(f"HTTP {status} without a JSON object") from None
