"""A real DNS server on loopback, and a thread whose getaddrinfo asks it: it has a resolv.conf of its own."""

import ctypes
import os
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ADDRESS = "127.0.0.53"
CLONE_NEWNS, MS_BIND, MS_REC, MS_PRIVATE = 0x20000, 0x1000, 0x4000, 0x40000
A_RECORD = 1
POINTER_TO_THE_QUESTION = b"\xc0\x0c"


@dataclass
class NameServer:
    """Every name is 127.0.0.1. Names that begin with `hanging` are never answered."""

    asked: list[str] = field(default_factory=list)

    def answer(self, query: bytes) -> bytes | None:
        labels, at = [], 12
        while size := query[at]:
            labels.append(query[at + 1 : at + 1 + size].decode())
            at += 1 + size
        question = query[12 : at + 5]
        name, kind = ".".join(labels), int.from_bytes(query[at + 1 : at + 3], "big")
        self.asked.append(name)
        if name.startswith("hanging"):
            return None
        found = POINTER_TO_THE_QUESTION + b"\0\1\0\1\0\0\0\0\0\4" + socket.inet_aton("127.0.0.1")
        records = [found] if kind == A_RECORD else []
        return (
            query[:2] + b"\x81\x80\0\1" + len(records).to_bytes(2, "big") + b"\0\0\0\0" + question + b"".join(records)
        )


@contextmanager
def a_name_server() -> Iterator[NameServer]:
    """Listens as long as the block runs. Skips the test where the system allows nobody to."""
    server = NameServer()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listening:
        try:
            listening.bind((ADDRESS, 53))
        except OSError as error:
            pytest.skip(f"port 53 of {ADDRESS} cannot be had: {error}")
        listening.settimeout(0.1)
        over = threading.Event()

        def serve() -> None:
            while not over.is_set():
                try:
                    query, caller = listening.recvfrom(512)
                except TimeoutError:
                    continue
                if answer := server.answer(query):
                    listening.sendto(answer, caller)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield server
        finally:
            over.set()
            thread.join()


def asking_it(act: Callable[[], None], folder: Path) -> None:
    """Calls `act` in a thread that, with every thread it starts, looks names up at the name server."""
    written = folder / "resolv.conf"
    written.write_text(f"nameserver {ADDRESS}\noptions timeout:5 attempts:2\n")
    result: Future[None] = Future()

    def run() -> None:
        try:
            _mount_over("/etc/resolv.conf", written)
            act()
            result.set_result(None)
        except BaseException as error:
            result.set_exception(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    try:
        result.result()
    except PermissionError as error:
        pytest.skip(f"the system does not allow a mount namespace: {error}")


def _mount_over(path: str, file: Path) -> None:
    """For this thread and its children only."""
    system = ctypes.CDLL(None, use_errno=True)
    for failed in (
        system.unshare(CLONE_NEWNS),
        system.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None),
        system.mount(os.fsencode(file), os.fsencode(path), None, MS_BIND, None),
    ):
        if failed:
            raise PermissionError(ctypes.get_errno(), "mount")
