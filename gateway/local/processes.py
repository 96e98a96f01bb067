"""Child processes that do not outlive us. A process is checked before it is signalled."""

import ctypes
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

PR_SET_PDEATHSIG, PR_SET_NAME = 1, 15
LOG_LIMIT = 10 * 1024 * 1024

# Loaded before any fork: a child between fork and exec must not import.
_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


def ends_with(parent: int, signal_number: int) -> Callable[[], None]:
    """Runs between fork and exec: the kernel sends the signal whenever the parent ends."""

    def set_death_signal() -> None:
        if _libc:
            _libc.prctl(PR_SET_PDEATHSIG, signal_number)
            if os.getppid() != parent:  # it had already ended
                os._exit(1)

    return set_death_signal


def call_myself(name: str) -> None:
    """The name of this process in `top` and `ps -o comm`."""
    if _libc:
        _libc.prctl(PR_SET_NAME, name.encode())


def spawn(
    command: Sequence[str | Path],
    log: Path,
    *,
    env: Mapping[str, str] | None = None,
    cwd: str | Path = "/",
    owner: tuple[int, int] | None = None,
    stop_signal: int = signal.SIGTERM,
) -> subprocess.Popen[bytes]:
    """Starts a child, as another user if one is named, in its own session: Ctrl-C reaches only us."""
    user, group, groups = _identity(owner)
    with log.open("ab") as output:
        return subprocess.Popen(
            [str(part) for part in command],
            env=env,
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=ends_with(os.getpid(), stop_signal),
            user=user,
            group=group,
            extra_groups=groups,
        )


def run(
    command: Sequence[str | Path], owner: tuple[int, int], env: Mapping[str, str] | None = None, input_text: str = ""
) -> subprocess.CompletedProcess[str]:
    """Runs a command as a user until it ends, and returns its output and exit code."""
    user, group, groups = _identity(owner)
    return subprocess.run(
        [str(part) for part in command],
        env=env,
        cwd="/",
        input=input_text,
        capture_output=True,
        text=True,
        check=False,
        user=user,
        group=group,
        extra_groups=groups,
    )


def _identity(owner: tuple[int, int] | None) -> tuple[int | None, int | None, list[int] | None]:
    if owner is None or owner[0] == os.geteuid():
        return None, None, None
    return owner[0], owner[1], []


def arguments(pid: int) -> str:
    """The command line of a process, with a space at both ends; only spaces if it has ended or is a zombie."""
    if Path("/proc/self").exists():
        with suppress(OSError):
            return " " + Path(f"/proc/{pid}/cmdline").read_text(errors="replace").replace("\0", " ")
        return " "
    seen = run(["ps", "-ww", "-p", str(pid), "-o", "args="], (os.geteuid(), os.getegid()))
    return f" {seen.stdout.strip()} "


def recorded(pid_file: Path, mark: str) -> int | None:
    """The process whose number a pid file holds, if its command line carries the mark. No other is ours."""
    with suppress(OSError, ValueError, IndexError):
        pid = int(pid_file.read_text().split()[0])
        if pid > 1 and f" {mark} " in arguments(pid):
            return pid
    return None


def wait_until(true: Callable[[], bool], seconds: float) -> bool:
    """Whether it came true in time."""
    deadline = time.monotonic() + seconds
    while not true():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def of_sessions(sessions: frozenset[int]) -> list[int]:
    """Our Python processes in these sessions: a process id may have been reused since."""
    everyone = [int(entry.name) for entry in Path("/proc").glob("[0-9]*")] or sorted(sessions)
    candidates = [pid for pid in everyone if _session(pid) in sessions]
    return [pid for pid in candidates if arguments(pid).startswith(f" {sys.executable} ")]


def _session(pid: int) -> int | None:
    with suppress(OSError):
        return os.getsid(pid)
    return None


def signal_to(pid: int, signal_number: int) -> None:
    """Signals a process that may already have ended."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal_number)


def bound(log: Path) -> None:
    """Keeps a log small: its content is moved to a second file, without disturbing its writers."""
    with suppress(FileNotFoundError):
        if log.stat().st_size > LOG_LIMIT:
            shutil.copyfile(log, log.with_suffix(".old.log"))
            os.truncate(log, 0)
