#!/usr/bin/env python3
"""Forwards the sandbox events of your Onpay company to a local address, signed like real webhook deliveries."""

from __future__ import annotations

import argparse
import base64
import binascii
import hashlib
import hmac
import http.client
import ipaddress
import json
import os
import re
import signal
import socket
import ssl
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from fnmatch import fnmatchcase
from http import HTTPStatus
from typing import Any, NoReturn, TypeVar
from urllib.parse import SplitResult, urlencode, urlsplit

RECEIVER_TIMEOUT_S = 10.0
RETRIES_AFTER_S = (1, 2, 4)
GATEWAY_TIMEOUT_S = 10.0
# On Windows nothing interrupts a socket that waits, and Ctrl-C should not take long.
WAIT_S = 20 if os.name == "posix" else 3
LONGEST_BACK_OFF_S = 15
LONGEST_RETRY_AFTER_S = 300
TRIES_OF_ONCE = 5
PAGE_SIZE = 100
MOST_ANSWER_BYTES = 4096

CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
BEGINNING = "evt_" + "0" * 26
EVENT_ID = re.compile(r"evt_[0-7][0-9A-HJKMNP-TV-Z]{25}")
EVENT_TYPE = re.compile(r"[a-z0-9_.]{1,64}")
OBJECT_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
PATTERN = re.compile(r"[a-z0-9_.*]+")
SANDBOX_KEY = re.compile(r"onp_sandbox_[A-Za-z0-9_-]+")
ANY_SECRET = re.compile(r"(onp_[a-z]+_|whsec_)[A-Za-z0-9_+/=-]+")
DURATION = re.compile(r"(?:[0-9]{1,9}[smhd])+")
SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}

GREEN, RED, YELLOW = "32", "31", "33"

T = TypeVar("T")


class Ended(Exception):
    """The listener cannot go on; the message is the sentence to say."""

    def __init__(self, sentence: str, code: int = 1) -> None:
        super().__init__(sentence)
        self.code = code


class Away(Exception):
    """The gateway gives no answer now but may give one later, after `wait_s` if it said so."""

    def __init__(self, why: str, wait_s: float | None = None) -> None:
        super().__init__(why)
        self.wait_s = wait_s


@dataclass(frozen=True)
class Event:
    """One event; `body` holds the very bytes that are signed."""

    id: str
    type: str
    object_id: str
    body: bytes


@dataclass(frozen=True)
class Answer:
    """What one attempt brought, in words, and whether that was a 2xx."""

    is_success: bool
    text: str
    elapsed_ms: int


@dataclass(frozen=True)
class Options:
    """What the developer asked for, checked; no `position` means from now on."""

    key: str
    base: str
    forward_to: SplitResult
    secret: str
    position: str | None
    patterns: tuple[str, ...]
    is_once: bool


class Gateway:
    """The events of one company, read with its key."""

    def __init__(self, base: str, key: str) -> None:
        self._base = base
        self._key = key
        # An environment's proxy cannot know this machine's own addresses.
        proxies = urllib.request.ProxyHandler({} if _is_loopback(urlsplit(base)) else None)
        self._opener = urllib.request.build_opener(proxies, _StayHere)

    def newest(self) -> str:
        """The id of the newest event, or where the first one will come after."""
        events = self._get(pageSize=1)
        return events[0].id if events else BEGINNING

    def after(self, position: str, wait_s: int) -> list[Event]:
        """The events that follow that one; waits for one when there is none yet. Their ids need not ascend."""
        return self._get(wait_s, after=position, pageSize=PAGE_SIZE, wait=wait_s)

    def _get(self, wait_s: int = 0, **query: str | int) -> list[Event]:
        request = urllib.request.Request(  # noqa: S310 - only http and https get here
            f"{self._base}/api/v2/events?{urlencode(query)}",
            headers={"x-api-key": self._key, "Accept": "application/json", "User-Agent": "onpay-listen/1"},
        )
        try:
            with self._opener.open(request, timeout=wait_s + GATEWAY_TIMEOUT_S) as response:
                content = response.read()
        except urllib.error.HTTPError as error:
            with error:
                raise _refusal(error, self._base) from None
        except (OSError, http.client.HTTPException) as error:
            raise self._silence(error, wait_s) from None
        try:
            return [_event(given) for given in json.loads(content)["data"]]
        except (ValueError, LookupError, TypeError, AttributeError):
            raise Ended(f"What {self._base} answers is no list of events: is --base right?") from None

    def _silence(self, error: Exception, wait_s: int) -> Exception:
        cause = _cause(error)
        if isinstance(cause, ssl.SSLCertVerificationError):
            return Ended(f"The certificate of {self._base} is not trusted by this Python.")
        return Away(_why(cause, wait_s + GATEWAY_TIMEOUT_S))


class _StayHere(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the key to an address that nobody chose."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class Receiver:
    """The local address: one signed POST at a time, as the gateway makes them."""

    def __init__(self, address: SplitResult, secret: str, timeout_s: float = RECEIVER_TIMEOUT_S) -> None:
        self._address = address
        self._secret = secret
        self._timeout_s = timeout_s

    def deliver(self, event: Event, attempt: int) -> Answer:
        """Makes one attempt and tells how it went, at the latest when the time is over."""
        headers = delivery_headers(event, self._secret, attempt, int(time.time()))
        started = time.monotonic()
        try:
            status, trouble = self._post(event.body, headers), None
        except (OSError, http.client.HTTPException) as error:
            status, trouble = 0, _why(error, self._timeout_s)
        elapsed_s = time.monotonic() - started
        if elapsed_s >= self._timeout_s:
            trouble = f"no answer within {self._timeout_s:g} s"
        return Answer(trouble is None and 200 <= status < 300, trouble or _phrase(status), round(elapsed_s * 1000))

    def _post(self, body: bytes, headers: dict[str, str]) -> int:
        path = (self._address.path or "/") + (f"?{self._address.query}" if self._address.query else "")
        deadline = time.monotonic() + self._timeout_s
        connection = self._connection()
        try:
            connection.connect()
            # A socket's own timeout starts anew with every byte; this one is for the whole answer.
            timer = threading.Timer(deadline - time.monotonic(), _hang_up, [connection.sock])
            timer.daemon = True
            timer.start()
            try:
                connection.request("POST", path, body, headers)
                response = connection.getresponse()
                response.read(MOST_ANSWER_BYTES)
                return response.status
            finally:
                timer.cancel()
        finally:
            connection.close()

    def _connection(self) -> http.client.HTTPConnection:
        host, port = self._address.hostname or "", self._address.port
        if self._address.scheme == "http":
            return http.client.HTTPConnection(host, port, timeout=self._timeout_s)
        context = ssl.create_default_context()
        if _is_loopback(self._address):  # a developer's certificate is self-signed, and nobody stands between
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        return http.client.HTTPSConnection(host, port, timeout=self._timeout_s, context=context)


class Listener:
    """Reads and forwards, one event after another, and knows where it is."""

    def __init__(self, gateway: Gateway, receiver: Receiver, options: Options) -> None:
        self._gateway = gateway
        self._receiver = receiver
        self._options = options
        self.position = options.position
        self.forwarded = 0
        self.failed = 0

    def run(self) -> None:
        """Until it is interrupted; with `--once` until nothing is left."""
        self.position = self.position or self._patiently(self._gateway.newest)
        if not self._options.is_once:
            show("Ready: waiting for events. Ctrl-C ends.\n")
        while self._round(self.position) or not self._options.is_once:
            pass

    def summary(self) -> str:
        """What was done, and how to go on from here."""
        done = f"Forwarded {self.forwarded}, failed {self.failed}."
        return f"{done} To go on from here: --since {self.position}" if self.position else done

    def _round(self, position: str) -> bool:
        started = time.monotonic()
        wait_s = 0 if self._options.is_once else WAIT_S
        events = self._patiently(lambda: self._gateway.after(position, wait_s))
        for event in events:
            if any(fnmatchcase(event.type, pattern) for pattern in self._options.patterns):
                self._forward(event)
            else:
                self.position = event.id
        if wait_s and not events and time.monotonic() - started < 1:
            time.sleep(1)  # whoever answers "nothing" at once is not asked in a tight loop
        return bool(events)

    def _forward(self, event: Event) -> None:
        for attempt in range(1, len(RETRIES_AFTER_S) + 2):
            answer = self._receiver.deliver(event, attempt)
            told = f"{event.type:<24} {event.object_id:<30} {answer.text}  {answer.elapsed_ms} ms"
            if answer.is_success:
                self.position, self.forwarded = event.id, self.forwarded + 1  # first: Ctrl-C may follow the line
                log(told, GREEN)
                return
            if attempt <= len(RETRIES_AFTER_S):
                pause_s = RETRIES_AFTER_S[attempt - 1]
                log(f"{told}  trying again in {pause_s} s", YELLOW)
                time.sleep(pause_s)
        self.position, self.failed = event.id, self.failed + 1
        log(f"{told}  given up after {attempt} attempts", RED)

    def _patiently(self, ask: Callable[[], T]) -> T:
        away = 0
        while True:
            try:
                answer = ask()
            except Away as error:
                away += 1
                if self._options.is_once and away == TRIES_OF_ONCE:
                    raise Ended(f"The gateway is away ({error}); tried {away} times.") from None
                pause_s = error.wait_s or min(2 ** (away - 1), LONGEST_BACK_OFF_S)
                log(f"The gateway is away ({error}): trying again in {pause_s:g} s", YELLOW)
                time.sleep(pause_s)
            else:
                if away:
                    log("The gateway is back.")
                return answer


def delivery_headers(event: Event, secret: str, attempt: int, at: int) -> dict[str, str]:
    """The headers of one attempt made at `at` (Unix seconds), signed by both of the gateway's ways."""
    key = base64.b64decode(secret[len("whsec_") :])
    of_content = hmac.digest(key, f"{event.id}.{at}.".encode() + event.body, "sha256")
    of_body = hmac.digest(secret.encode(), event.body, "sha256")
    # Like the gateway's: the event's time, then a digest; so it is the same whenever this event is forwarded.
    digest = hashlib.sha256(f"{event.id}onpay-listener".encode()).hexdigest()[:16].upper()
    return {
        "webhook-id": event.id,
        "webhook-timestamp": str(at),
        "webhook-signature": "v1," + base64.b64encode(of_content).decode(),
        "x-onpay-signature": "sha256=" + of_body.hex(),
        "x-onpay-event": event.type,
        "x-onpay-delivery": f"dlv_{event.id[4:14]}{digest}",
        "x-onpay-attempt": str(attempt),
        "User-Agent": "Onpay-Webhooks/2",
        "Content-Type": "application/json",
        "Accept": "*/*",
        "Accept-Encoding": "identity",
    }


def derived_secret(key: str) -> str:
    """The same for the same key, so that the receiver is configured once."""
    return "whsec_" + base64.b64encode(hmac.digest(key.encode(), b"onpay-listener", "sha256")).decode()


def position_since(text: str, now_ms: int) -> str:
    """The id after which events are wanted, from `2h`, an ISO 8601 timestamp or an event's id."""
    if text.startswith("evt_"):
        if not EVENT_ID.fullmatch(text):
            raise Ended("--since: an event's id is evt_ and 26 characters.", 2)
        return text
    if DURATION.fullmatch(text):
        ago_s = sum(int(part[:-1]) * SECONDS[part[-1]] for part in re.findall(r"[0-9]+[smhd]", text))
        return _boundary(now_ms - ago_s * 1000)
    try:
        at_ms = round(datetime.fromisoformat(re.sub(r"[Zz]$", "+00:00", text)).timestamp() * 1000)
    except (ValueError, OverflowError, OSError):
        raise Ended("--since takes 30s, 15m, 2h, 1d, a time like 2026-11-20T12:00:00Z, or evt_…", 2) from None
    if at_ms > now_ms:
        raise Ended("--since lies in the future.", 2)
    return _boundary(at_ms)


def _boundary(at_ms: int) -> str:
    """The id before every event of that millisecond: a ULID begins with its 48 bits of time."""
    value = max(at_ms, 0)
    return "evt_" + "".join(CROCKFORD[value >> shift & 31] for shift in range(45, -1, -5)) + "0" * 16


def _event(given: dict[str, Any]) -> Event:
    """An event as the gateway lists it; ValueError for what is none, since ids and types become headers."""
    event = Event(given["id"], given["type"], given.get("objectId") or "-", given["body"].encode())
    if not (EVENT_ID.fullmatch(event.id) and EVENT_TYPE.fullmatch(event.type) and OBJECT_ID.fullmatch(event.object_id)):
        raise ValueError
    return event


def _refusal(error: urllib.error.HTTPError, base: str) -> Exception:
    """What an answer other than 200 means for us."""
    if 300 <= error.code < 400:
        return Ended(f"{base} answers with a redirect: give --base the address where it leads.")
    try:
        problem = json.loads(error.read())["error"]
        sentence, retry_after = _plain(str(problem["message"])), problem.get("retryAfter")
    except (OSError, http.client.HTTPException, ValueError, LookupError, TypeError, AttributeError):
        sentence, retry_after = f"{base}/api/v2/events answers {_phrase(error.code)}.", None
    if error.code == HTTPStatus.TOO_MANY_REQUESTS:
        is_sane = isinstance(retry_after, (int, float)) and retry_after > 0
        return Away(_phrase(error.code), min(retry_after, LONGEST_RETRY_AFTER_S) if is_sane else None)
    if error.code >= 500 or error.code == HTTPStatus.REQUEST_TIMEOUT:
        return Away(_phrase(error.code))
    return Ended(sentence)


def _phrase(status: int) -> str:
    try:
        phrase = f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        phrase = str(status)
    return f"{phrase} (redirects are not followed)" if 300 <= status < 400 else phrase


def _cause(error: Exception) -> Exception:
    reason = getattr(error, "reason", None)
    return reason if isinstance(error, urllib.error.URLError) and isinstance(reason, Exception) else error


def _why(error: Exception, timeout_s: float) -> str:
    """The reason why there is no answer, in words."""
    reasons: tuple[tuple[type[Exception], str], ...] = (
        (socket.timeout, f"no answer within {timeout_s:g} s"),  # in Python 3.9 not yet TimeoutError
        (TimeoutError, f"no answer within {timeout_s:g} s"),
        (ConnectionRefusedError, "connection refused"),
        (ConnectionError, "connection closed without an answer"),
        (socket.gaierror, "unknown host"),
        (ssl.SSLCertVerificationError, "its certificate is not trusted"),
        (ssl.SSLError, "no TLS connection"),
        (http.client.HTTPException, "no valid HTTP answer"),
    )
    return next((words for kind, words in reasons if isinstance(error, kind)), "not reachable")


def _hang_up(connected: socket.socket) -> None:
    with suppress(OSError):
        socket.socket.shutdown(connected, socket.SHUT_RDWR)


def _is_loopback(address: SplitResult) -> bool:
    host = (address.hostname or "").rstrip(".")
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _plain(text: str) -> str:
    """Somebody else's words, harmless for a terminal and without anything secret."""
    return ANY_SECRET.sub(r"\1…", "".join(char if char.isprintable() else " " for char in text))[:500]


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise Ended(f"{_plain(message)} (--help tells more)", 2)


HELP = """\
Forwards the sandbox events of your Onpay company to an address on your machine,
as real signed webhook deliveries: no tunnel, no public address. Each delivery
carries the same headers, signatures and bytes as the gateway's own; verify it
with any Standard Webhooks library.
"""

EXAMPLES = """\
examples:
  read -rs ONPAY_KEY; export ONPAY_KEY    (paste it: so it stands in no history)
  python3 onpay_listen.py --forward-to http://localhost:3000/hooks
  python3 onpay_listen.py --forward-to http://localhost:3000/hooks \\
      --events 'payment.paid,refund.*' --since 2h --once

A delivery succeeds with an answer 2xx within 10 seconds. Otherwise it is tried
again after 1, 2 and 4 seconds and then given up. Redirects are not followed. On
loopback a self-signed certificate is accepted.

exit code: 0 done, 1 something failed, 2 wrongly called, 130 ended by Ctrl-C
"""


def _parser() -> _Parser:
    parser = _Parser(
        prog="onpay_listen.py",
        usage="onpay_listen.py [--key KEY] --forward-to URL [options]",
        description=HELP,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("--forward-to", metavar="URL", required=True, help="where your receiver listens")
    add("--key", help="a sandbox key; default: the environment's ONPAY_KEY")
    add("--base", metavar="URL", default="http://localhost:8000", help="the gateway; default: %(default)s")
    add(
        "--since",
        metavar="WHEN",
        help="begin in the past: 30s, 15m, 2h, 1d, an ISO 8601 time (local unless it has an offset), or after an "
        "event's id; default: from now on, with --once from the oldest event kept",
    )
    add("--events", metavar="LIST", default="*", help="only these, as in payment.paid,refund.*; default: all")
    add("--secret", metavar="WHSEC", help="sign with this whsec_… secret; default: one derived from the key")
    add("--once", action="store_true", help="forward what is there and end")
    return parser


def read_options(arguments: list[str]) -> Options:
    """The command line and the environment, checked; ends with one sentence if something is wrong."""
    given, surplus = _parser().parse_known_args(arguments)
    if surplus:  # not repeated: it may be a key
        raise Ended("There is an argument too much, or one with a wrong name (--help tells more).", 2)
    key = _checked_key((given.key or os.environ.get("ONPAY_KEY") or "").strip())
    base = _checked_url(given.base.rstrip("/"), "--base")
    since = given.since.strip() if given.since else None
    position = position_since(since, time.time_ns() // 1_000_000) if since else None
    return Options(
        key=key,
        base=base.geturl(),
        forward_to=_checked_url(given.forward_to, "--forward-to"),
        secret=_checked_secret(given.secret.strip()) if given.secret else derived_secret(key),
        position=position or (BEGINNING if given.once else None),
        patterns=_checked_patterns(given.events),
        is_once=given.once,
    )


def _checked_key(key: str) -> str:
    if not key:
        raise Ended("No key: set ONPAY_KEY or give --key.", 2)
    if key.startswith("onp_live_"):
        raise Ended("This is a production key: the listener is for the sandbox only.", 2)
    if not SANDBOX_KEY.fullmatch(key):
        raise Ended("This is not a sandbox key: one begins with onp_sandbox_.", 2)
    return key


def _checked_url(text: str, name: str) -> SplitResult:
    try:
        address = urlsplit(text)
        is_usable = address.scheme in ("http", "https") and bool(address.hostname) and address.port != 0
        (address.hostname or "").encode("idna")
    except ValueError:
        is_usable = False
    if not is_usable or not re.fullmatch(r"[!-~]+", text) or address.fragment:
        raise Ended(f"{name} takes an address like http://localhost:3000/hooks.", 2)
    if address.username is not None or address.password is not None:
        raise Ended(f"{name} takes no name and password in the address.", 2)
    return address


def _checked_secret(secret: str) -> str:
    try:
        is_usable = secret.startswith("whsec_") and bool(base64.b64decode(secret[len("whsec_") :], validate=True))
    except (binascii.Error, ValueError):
        is_usable = False
    if not is_usable:
        raise Ended("--secret takes whsec_ and base64.", 2)
    return secret


def _checked_patterns(text: str) -> tuple[str, ...]:
    patterns = tuple(part.strip() for part in text.split(",") if part.strip())
    if not patterns or not all(PATTERN.fullmatch(pattern) for pattern in patterns):
        raise Ended("--events takes a list like payment.paid,refund.*", 2)
    return patterns


def show(text: str, colour: str = "") -> None:
    """One line on the terminal; in colour only if it is one."""
    is_coloured = colour and sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    if is_coloured and (os.name == "posix" or "WT_SESSION" in os.environ):
        text = f"\033[{colour}m{text}\033[0m"
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def log(text: str, colour: str = "") -> None:
    """One line with the time of day."""
    show(f"{time.strftime('%H:%M:%S')}  {text}", colour)


def _complain(sentence: str) -> None:
    sys.stderr.write(sentence + "\n")
    sys.stderr.flush()


def _listener(arguments: list[str]) -> Listener:
    options = read_options(arguments)
    show(f"Forwarding the sandbox events of {options.base} to {options.forward_to.geturl()}")
    show(f"Your signing secret: {options.secret}")
    show("Put it into your receiver's configuration; it is the same at every start with this key or this --secret.")
    return Listener(Gateway(options.base, options.key), Receiver(options.forward_to, options.secret), options)


def _run(arguments: list[str]) -> int:
    listener = None
    try:
        listener = _listener(arguments)
        listener.run()
        code = 1 if listener.failed else 0
    except KeyboardInterrupt:
        code = 130
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)  # the last words are said in any case
    except Ended as end:
        code = end.code
        _complain(str(end))
    if listener:
        show(f"\n{listener.summary()}")
    return code


def main() -> int:
    """Runs the listener; whatever happens, the developer reads a sentence and never a traceback."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    try:
        return _run(sys.argv[1:])
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # nobody reads any more, as with `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:  # noqa: BLE001 - the promise above
        _complain(f"The listener ended because of something unforeseen ({type(error).__name__}).")
        return 1


if __name__ == "__main__":
    sys.exit(main())
