"""The client address of a request: the socket's, or what a trusted proxy reports (contract §2.9)."""

import re
from collections.abc import Mapping
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

import structlog
from django.conf import settings
from django.http import HttpRequest

log = structlog.get_logger()
Address = IPv4Address | IPv6Address
_PORT = re.compile(r"^(?:(\d+\.\d+\.\d+\.\d+)|\[([0-9a-fA-F:.]+)\])(?::\d+)?$")


@lru_cache(maxsize=1)
def _proxies(networks: tuple[str, ...]) -> tuple[IPv4Network | IPv6Network, ...]:
    return tuple(ip_network(network) for network in networks)


def _is_trusted(address: Address) -> bool:
    return any(address in network for network in _proxies(tuple(settings.TRUSTED_PROXIES)))


@lru_cache(maxsize=1024)
def _parse(text: str) -> Address | None:
    bare = _PORT.sub(r"\1\2", text.strip())
    try:
        address = ip_address(bare.partition("%")[0])  # the scope id names one of our own network interfaces
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def client_address(request: HttpRequest) -> Address | None:
    """Returns the client's address, or None if a trusted proxy sends none or an unreadable one.

    Only peers in `ONPAY_TRUSTED_PROXIES` are trusted, and only the header `ONPAY_CLIENT_ADDRESS_HEADER` is read:
    from the right, past further trusted proxies, to the first address that is not one of them.
    """
    return _address(request.META.get("REMOTE_ADDR", ""), request.META.get(_key(settings.CLIENT_ADDRESS_HEADER), ""))


def rate_limit_key(request: HttpRequest) -> str:
    """The key that a rate limit counts by: an IPv4 address, or the /64 network of an IPv6 address."""
    return counted_as(client_address(request))


def rate_limit_key_of(peer: str, headers: Mapping[str, str]) -> str:
    """The rate limit key of a request that has not been parsed yet."""
    return counted_as(address_of(peer, headers))


def address_of(peer: str, headers: Mapping[str, str]) -> Address | None:
    """The client's address of a request that has not been parsed yet."""
    return _address(peer.strip("[]"), headers.get(settings.CLIENT_ADDRESS_HEADER.lower(), ""))


def is_proxy(peer: str) -> bool:
    """Whether the peer is a trusted proxy."""
    address = _parse(peer) if settings.TRUSTED_PROXIES else None
    return address is not None and _is_trusted(address)


@lru_cache(maxsize=4)
def _key(header: str) -> str:
    return "HTTP_" + header.upper().replace("-", "_")


def _address(peer: str, entries: str) -> Address | None:
    address = _parse(peer)
    if address is None or not settings.TRUSTED_PROXIES or not _is_trusted(address):
        return address
    if not entries:
        _note_missing(str(address))
        return None
    for entry in reversed(entries.split(",")):
        if not entry.strip():
            continue
        address = _parse(entry)
        if address is None or not _is_trusted(address):
            return address
    return address


@lru_cache(maxsize=64)
def _note_missing(proxy: str) -> None:
    """Logs once per proxy that its clients cannot be distinguished."""
    log.error("client_address.missing", proxy=proxy, header=settings.CLIENT_ADDRESS_HEADER)


def counted_as(address: Address | None) -> str:
    """The rate limit key of an address."""
    if isinstance(address, IPv6Address):
        return str(ip_network((address, 64), strict=False))
    return str(address)
