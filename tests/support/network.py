"""The network that tests have: this machine."""

import socket
import sys
from ipaddress import ip_address
from typing import Any


class OutsideWorld(Exception):
    """A test was about to connect to another machine."""


def stay_inside() -> None:
    """From now on this process connects to loopback addresses and local sockets only."""
    sys.addaudithook(_refuse_others)


def _refuse_others(event: str, given: tuple[Any, ...]) -> None:
    if event not in ("socket.connect", "socket.sendto"):
        return
    address = given[1]
    if isinstance(address, tuple) and not _is_here(str(address[0])):
        raise OutsideWorld(f"{event} to {address[0]}")


def _is_here(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])
