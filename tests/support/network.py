"""The network that tests have: this machine."""

import socket
from collections.abc import Callable
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
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])
