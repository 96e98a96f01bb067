"""The network that tests have: this machine."""

import random
import socket
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import wraps
from ipaddress import ip_address
from typing import Any


class OutsideWorld(Exception):
    """A test was about to connect to another machine."""


def stay_inside() -> None:
    """From now on this process connects to loopback addresses and local sockets only.

    Its sockets see to that: the interpreter would call an audit hook at each `id()`, thousands of times a page.
    """
    for name in ("connect", "connect_ex", "sendto"):
        setattr(socket.socket, name, _inside(getattr(socket.socket, name)))


def _inside(method: Callable[..., Any]) -> Callable[..., Any]:
    """The address is the last thing that each is given."""

    @wraps(method)
    def refusing(self: socket.socket, *given: Any) -> Any:
        address = given[-1]
        if isinstance(address, tuple) and not _is_here(str(address[0])):
            raise OutsideWorld(f"{method.__name__} to {address[0]}")
        return method(self, *given)

    return refusing


def _is_here(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def free_port() -> int:
    return next(free_ports())


def free_ports() -> Iterator[int]:
    """Below those that the system gives to connections and to servers that ask for any: one of them could take the port
    of a server that has not started yet, or that starts again.
    """
    return filter(_is_free, range(random.randrange(20_000, 30_000), 32_000))


def _is_free(port: int) -> bool:
    with socket.socket() as probe, suppress(OSError):
        probe.bind(("127.0.0.1", port))
        return True
    return False
