"""The state folder: where a checkout keeps its databases, logs, keys and addresses."""

import fcntl
import hashlib
import json
import os
import stat
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import IO

from gateway.local.errors import LocalError

CHECKOUT = Path(__file__).resolve().parent.parent.parent
SOCKET_PATH_LIMIT = 100  # bytes; the kernel allows 107, macOS 103


def folder() -> Path:
    """The state folder: `ONPAY_HOME`, or `.local` in the checkout. It may not exist yet."""
    return Path(os.environ.get("ONPAY_HOME") or CHECKOUT / ".local").expanduser().absolute()


def make(path: Path) -> Path:
    """Makes a folder that others may pass through but not list. One that exists stays as it is."""
    if not path.is_dir():
        make(path.parent)
        path.mkdir(exist_ok=True)
        path.chmod(0o711)  # regardless of the umask
    return path


def lock(path: Path, *, wait: bool) -> IO[str] | None:
    """Holds a lock file until the answer is closed or we die. None: another holds it, and we do not wait."""
    handle = path.open("a")
    with suppress(BlockingIOError):
        fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        return handle
    handle.close()
    return None


def claim(name: str) -> tuple[Path, IO[str]]:
    """The first unused folder of name, name-2, name-3 …. It is reserved while the lock is held."""
    for number in count(1):
        place = make(folder() / (name if number == 1 else f"{name}-{number}"))
        if held := lock(place / "lock", wait=False):
            return place, held
    raise AssertionError


def private(path: Path, owner: tuple[int, int]) -> Path:
    """Makes a folder that only its owner can open, or makes sure that the one there is such a folder."""
    with suppress(FileExistsError):
        path.mkdir(mode=0o700)
        os.chown(path, *owner)
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != owner[0] or found.st_mode & 0o077:
        raise LocalError(f"{path} is not private to its user: remove it, or set ONPAY_HOME to another folder")
    return path


def sockets(place: Path, owner: tuple[int, int]) -> Path:
    """A private folder for the sockets of a server: inside its own, or a short one where that is too deep."""
    inside = place / "run"
    if len(os.fsencode(inside / ".s.PGSQL.5432")) <= SOCKET_PATH_LIMIT:
        return private(inside, owner)
    digest = hashlib.sha256(os.fsencode(place)).hexdigest()[:16]
    return private(Path("/tmp", f"onpay-{digest}"), owner)  # noqa: S108  (private; TMPDIR may be deep)


def write(file: Path, content: object) -> None:
    """Writes a JSON file that only we can read, whole or not at all."""
    fresh = file.with_suffix(".new")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as output:
        json.dump(content, output, indent=2)
    fresh.replace(file)
