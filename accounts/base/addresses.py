"""Which URLs may be called, and which addresses may be connected to."""

import re
import socket
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import lru_cache, partial
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any

from django.conf import settings
from django.utils.translation import gettext_noop as _
from yarl import URL

LONGEST_URL = 2048
# A name may list thousands of addresses; trying them all would make us a port scanner.
MOST_ADDRESSES = 8

# The parts of IPv4 and of 2000::/3 that are private, tunnels, multicast or unassigned. Listed because
# `is_global` misses some of them and changes between patch releases of Python.
NOT_PUBLIC = tuple(
    ip_network(network)
    for network in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # carrier-grade NAT
        "127.0.0.0/8",  # loopback
        "169.254.0.0/16",  # link-local, cloud metadata
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments
        "192.0.2.0/24",  # documentation
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",  # private
        "198.18.0.0/15",  # benchmarking
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, broadcast
        "2001::/23",  # Teredo, ORCHID, benchmarking
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4
        "3fff::/20",  # documentation
    )
)
# The only range allocated as public IPv6. It excludes ::/96, NAT64, 100::/64, SRv6, unique and site local.
GLOBAL_UNICAST = ip_network("2000::/3")

_AUTHORITY_END = re.compile(r"[/?#]")
_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
_LOOKS_NUMERIC = re.compile(r"(0x[0-9a-f]*|[0-9]+)")

_THERE_IS_NONE = (socket.EAI_NONAME, socket.EAI_NODATA)

Address = IPv4Address | IPv6Address
Lookup = Callable[..., Sequence[tuple[Any, ...]]]


class ForbiddenAddress(ValueError):
    """A URL or host that must not be called; the message is a sentence for the merchant, with its facts filled in."""

    def __init__(self, sentence: str, **facts: Any) -> None:
        super().__init__(sentence % facts if facts else sentence)
        self.sentence = sentence
        self.facts = facts


class UnknownHost(ForbiddenAddress):
    """A host that has no address at the moment; it may have one later."""


class NoSuchHost(UnknownHost):
    """A host that does not exist according to the resolver. A failing resolver does not raise this."""


@lru_cache(maxsize=4096)
def parse_url(url: str, *, loopback_allowed: bool) -> URL:
    """Returns the URL to call, with its host in canonical ASCII. Raises ForbiddenAddress.

    Makes no lookup: an IP address in the host is checked here, a name only by `resolve`.
    """
    parsed = absolute(url)
    at_home = loopback_allowed and is_home(parsed)
    if parsed.scheme != "https" and not (at_home and parsed.scheme == "http"):
        raise ForbiddenAddress(_("The URL must start with https://."))
    if "#" in url:
        raise ForbiddenAddress(_("The URL must not contain a fragment."))
    if not (_is_own_port(parsed.port or 0) if at_home else parsed.port in settings.WEBHOOK_PORTS):
        ports = " or ".join(map(str, settings.WEBHOOK_PORTS))
        raise ForbiddenAddress(_("The port must be %(ports)s."), ports=ports)
    return parsed.with_host(_canonical_host(parsed.raw_host or "", loopback_allowed=loopback_allowed))


def _is_own_port(port: int) -> bool:
    """On a developer's machine every port is the developer's own."""
    return port in (80, 443) or port >= 1024


def resolve(host: str, port: int, *, loopback_allowed: bool, lookup: Lookup = socket.getaddrinfo) -> list[str]:
    """Returns the addresses to connect to, at most eight, all of them vetted. Raises ForbiddenAddress.

    One forbidden address rejects the host, so a mixed answer cannot be exploited. Blocks during the lookup.
    """
    try:
        answers = lookup(host, port, type=socket.SOCK_STREAM)
    except UnicodeError as unknown:
        raise _no_such_host(loopback_allowed) from unknown
    except OSError as unknown:
        if unknown.errno in _THERE_IS_NONE:
            raise _no_such_host(loopback_allowed) from unknown
        raise UnknownHost("The host name has no address.") from unknown
    if not answers:
        raise _no_such_host(loopback_allowed)
    addresses = [_unmapped(ip_address(answer[4][0])) for answer in answers]
    for address in addresses:
        _refuse_unless_permitted(address, loopback_allowed=loopback_allowed)
    return [str(address) for address in dict.fromkeys(addresses)][:MOST_ADDRESSES]


def resolving(
    host: str, port: int, *, loopback_allowed: bool, lookup: Lookup = socket.getaddrinfo
) -> Future[list[str]]:
    """`resolve` in a thread of its own.

    A lookup cannot be interrupted. A caller who stops waiting abandons the thread, which ends when the resolver gives
    up. No pool is shared, so a name server that never answers delays only those who asked for its names.
    """
    result: Future[list[str]] = Future()
    question = partial(resolve, host, port, loopback_allowed=loopback_allowed, lookup=lookup)
    threading.Thread(target=_fulfil, args=(result, question), name=f"lookup-{host}", daemon=True).start()
    return result


def _fulfil(result: Future[list[str]], question: Callable[[], list[str]]) -> None:
    if result.set_running_or_notify_cancel():
        try:
            result.set_result(question())
        except Exception as error:  # noqa: BLE001  (whoever waits for the result gets it)
            result.set_exception(error)


def _no_such_host(loopback_allowed: bool) -> NoSuchHost:
    if loopback_allowed:
        return NoSuchHost(
            _("The host name has no address: compare its spelling. A receiver on this machine is http://localhost.")
        )
    return NoSuchHost(_("The host name has no address: compare its spelling."))


def is_public(address: Address) -> bool:
    """Whether the address is a unicast address on the public internet."""
    address = _unmapped(address)
    if isinstance(address, IPv6Address) and (address.scope_id or address not in GLOBAL_UNICAST):
        return False
    return address.is_global and not any(address in network for network in NOT_PUBLIC)


def absolute(url: str) -> URL:
    """Returns the parsed URL if it has a host and is unambiguous. Raises ForbiddenAddress."""
    if len(url) > LONGEST_URL:
        raise ForbiddenAddress(_("The URL must have at most %(most)s characters."), most=LONGEST_URL)
    # yarl silently drops line breaks and surrogates: the checked URL must be the one that was written.
    if not url.isprintable() or " " in url or "\\" in url:
        raise ForbiddenAddress(_("The URL must not contain spaces, backslashes or control characters."))
    try:
        parsed = URL(url)
    except (ValueError, IndexError) as malformed:  # yarl counts brackets past the end of "https://@]"
        raise ForbiddenAddress(_("The URL is not valid.")) from malformed
    if not parsed.scheme or not parsed.raw_host:
        raise ForbiddenAddress(_("The URL must be absolute, with a host."))
    if "@" in _AUTHORITY_END.split(url.partition("//")[2], 1)[0]:
        raise ForbiddenAddress(_("The URL must not contain a user name or password."))
    host = parsed.raw_host.removesuffix(".")
    if _literal(host) is None and not _is_name(host):
        raise ForbiddenAddress(_("The host is not a valid name."))
    return parsed


def _canonical_host(host: str, *, loopback_allowed: bool) -> str:
    host = host.removesuffix(".")
    address = _literal(host)
    if address is not None:
        _refuse_unless_permitted(address, loopback_allowed=loopback_allowed)
        return str(address)
    return host


def _is_name(host: str) -> bool:
    return len(host) <= 253 and all(_LABEL.fullmatch(label) for label in host.split("."))


def is_home(url: URL) -> bool:
    """Whether the host is this machine, by name or address: only such hosts may be called without TLS."""
    host = (url.raw_host or "").removesuffix(".")
    literal = _literal(host)
    return literal.is_loopback if literal else host == "localhost" or host.endswith(".localhost")


def _literal(host: str) -> Address | None:
    """The address that a literal host denotes, in any spelling accepted by getaddrinfo (127.1, 0x7f000001)."""
    try:
        if ":" in host and "%" not in host:
            return _unmapped(IPv6Address(host))
        if _LOOKS_NUMERIC.fullmatch(host.rpartition(".")[2]):
            return IPv4Address(socket.inet_aton(host))
    except (ValueError, OSError) as malformed:
        raise ForbiddenAddress(_("The host is not a valid address.")) from malformed
    return None


def _unmapped(address: Address) -> Address:
    return address.ipv4_mapped or address if isinstance(address, IPv6Address) else address


def _refuse_unless_permitted(address: Address, *, loopback_allowed: bool) -> None:
    if not (is_public(address) or (loopback_allowed and address.is_loopback)):
        raise ForbiddenAddress(_("The host must resolve to public addresses only."))
