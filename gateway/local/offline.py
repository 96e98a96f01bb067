"""A network of our own that has loopback and nothing else: a Linux network namespace."""

import ctypes
import fcntl
import os
import socket
import struct
import sys
from collections.abc import Callable
from pathlib import Path

CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 0x1
SERVERS = ("DATABASE_URL", "CELERY_BROKER_URL")
INSIDE = "ONPAY_OFFLINE"
"""Is set for everything that runs in such a network."""


def leave_the_network() -> str:
    """Takes this process, and all that it starts from now on, off the network; why that is impossible, or "".

    Call it while the process has one thread. A user who is not root gets a user namespace as well.
    """
    if sys.platform != "linux":
        return "only Linux has network namespaces"
    if named := [name for name in SERVERS if os.environ.get(name)]:
        return f"{' and '.join(named)} may name a server outside"
    if not _succeeds(_leave):
        return "the system does not allow a network namespace"
    _leave()
    os.environ[INSIDE] = "1"
    return ""


def _leave() -> None:
    """Raises OSError. A failure may come half-way, when loopback is gone: first try it in another process."""
    user, group = os.geteuid(), os.getegid()
    _unshare(CLONE_NEWNET if user == 0 else CLONE_NEWNET | CLONE_NEWUSER)
    if user != 0:
        own = Path("/proc/self")
        (own / "setgroups").write_text("deny")
        (own / "uid_map").write_text(f"{user} {user} 1")  # nobody else: embedded servers do not run as root
        (own / "gid_map").write_text(f"{group} {group} 1")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        asked = struct.pack("16sH14x", b"lo", 0)
        flags = struct.unpack("16sH14x", fcntl.ioctl(any_socket, SIOCGIFFLAGS, asked))[1]
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", flags | IFF_UP))


def _unshare(kinds: int) -> None:
    if ctypes.CDLL(None, use_errno=True).unshare(kinds) != 0:
        raise OSError(ctypes.get_errno(), "unshare")


def _succeeds(act: Callable[[], None]) -> bool:
    """Whether it does so in another process."""
    child = os.fork()
    if child == 0:
        try:
            act()
        except OSError:
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0
