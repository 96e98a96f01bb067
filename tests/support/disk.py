"""Disks of databases that are full. That of a service is a tmpfs, which only the service's processes see."""

import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import psycopg

from tests.support.service import Service

ROOM = 1 << 30
"""What is free at first, in bytes. A tmpfs takes only the memory that it needs."""
_MOVE_IN = 'mount -t tmpfs -o size="$3" small "$2" && cp -a "$1/." "$2/" && mount --move "$2" "$1"'
_MOVE_OUT = 'mount --move "$1" "$2" && find "$1" -mindepth 1 -delete && cp -a "$2/." "$1/" && umount "$2"'
_SIZE = 'mount -o remount,size="$2" "$1"'


def cannot_be_mounted() -> str:
    """Why there can be no small disk here, or ""."""
    if os.geteuid() != 0:
        return "only root mounts a small disk"
    if not shutil.which("nsenter"):
        return "nsenter is missing: apt-get install util-linux"
    tried = subprocess.run(
        ["unshare", "--mount", "mount", "-t", "tmpfs", "x", "/mnt"], capture_output=True, check=False
    )
    return "" if tried.returncode == 0 else "the system does not allow to mount a small disk"


@dataclass
class Disk:
    """Of the database: its folder, in a process of the service that sees it."""

    service: Service
    data: Path

    @property
    def seen(self) -> Path:
        assert self.service.process
        return Path(f"/proc/{self.service.process.pid}/root{self.data}")

    def used(self) -> int:
        return shutil.disk_usage(self.seen).used

    def do(self, script: str, *words: object) -> None:
        """Runs a script of the shell where the disk is seen; its words are the folder of the data and these."""
        assert self.service.process
        within = ["nsenter", "--target", str(self.service.process.pid), "--mount"]
        subprocess.run([*within, "sh", "-ec", script, "sh", str(self.data), *map(str, words)], check=True)

    def full(self, but_for: int = 0) -> AbstractContextManager[None]:
        """As long as this lasts there is no room for a further page, or for no more than so many bytes."""
        return without_room(self.used, partial(self.do, _SIZE), ROOM, but_for)


@contextmanager
def without_room(used: Callable[[], int], resize: Callable[[int], None], room: int, but_for: int = 0) -> Iterator[None]:
    """As long as this lasts a disk has no room for a further page, or for no more than so many bytes; afterwards it has
    `room`.
    """
    _shrink(used, resize, but_for)
    try:
        yield
    finally:
        resize(used() + room)


def _shrink(used: Callable[[], int], resize: Callable[[int], None], but_for: int) -> None:
    """To what is used, and so much more. The system refuses less, which it is when a page was written meanwhile."""
    for _ in range(50):
        with suppress(subprocess.CalledProcessError):
            resize(used() + but_for)
            return
    raise AssertionError("the disk fills faster than it is made smaller")


def fill_the_log(address: str) -> None:
    """Every segment of the log of this PostgreSQL is used up, and its disk has no room for another."""
    with suppress(psycopg.Error), psycopg.connect(address, autocommit=True, connect_timeout=2) as connection:
        for _ in range(500):
            connection.execute("SELECT pg_logical_emit_message(false, 'full', 'disk'), pg_switch_wal()")
        raise AssertionError("there was room")


@contextmanager
def small_disk(service: Service) -> Iterator[Disk]:
    """PostgreSQL is killed and moved to it, and back at the end, while nobody starts it."""
    disk = Disk(service, next((service.home / "postgres").resolve().glob("data*")))
    beside = disk.data.with_name("small")
    beside.mkdir()
    try:
        with _stopped(service):
            room = ROOM + sum(one.stat().st_size for one in disk.data.rglob("*") if one.is_file())
            disk.do(_MOVE_IN, beside, room)
        service.until(service.is_well, 60)
        yield disk
        with _stopped(service):
            disk.do(_MOVE_OUT, beside)
        service.until(service.is_well, 60)
    finally:
        beside.rmdir()


@contextmanager
def _stopped(service: Service) -> Iterator[None]:
    """The database is killed, and its supervisor does not see it."""
    assert service.process
    service.process.send_signal(signal.SIGSTOP)
    try:
        service.kill("database")
        service.until(lambda: not service.pids("database"))
        yield
    finally:
        service.process.send_signal(signal.SIGCONT)
