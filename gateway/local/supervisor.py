"""Keeps the processes of the local service running until it is stopped."""

import json
import os
import signal
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from gateway.local import home, processes
from gateway.local.child import Child
from gateway.local.errors import LocalError
from gateway.local.screen import echo
from gateway.local.server import Server

TICK_S = 0.2
FIRST_DELAY_S, LAST_DELAY_S = 0.5, 10.0
STEADY_S = 5.0  # a process that ran this long is restarted without a delay
CHILDREN_STOP_WITHIN_S = 7.0
CHILDREN_RESTART_WITHIN_S = 1.0
OTHERS_AFTER_S = 4.0  # web restarts first: whoever changed the code loads a page
LEFTOVERS_STOP_WITHIN_S = 3.0


class Stopped(Exception):
    """Somebody asked us to stop."""


@dataclass
class Watched:
    """A part, and when it may be started again after it has ended."""

    part: Server | Child
    since: float
    delay_s: float = FIRST_DELAY_S
    due: float | None = None


def _was_killed(part: Server | Child) -> bool:
    """From outside, so that it need not end the same way again."""
    return isinstance(part, Child) and part.code == -signal.SIGKILL


class Supervisor:
    """Starts processes in order, restarts those that end, and stops them in reverse order, the database last."""

    def __init__(self, sessions: Path) -> None:
        self.sessions = sessions
        self.watched: list[Watched] = []
        self.is_stopping = False
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._on_signal)

    def start(self, part: Server | Child) -> None:
        """Starts a part and watches it from now on."""
        part.start()
        self.watched.append(Watched(part, time.monotonic()))
        self._record()

    def once(self, task: Child) -> None:
        """Runs a command to its end. Raises LocalError, with its last words, if that was not a good one."""
        self.start(task)
        while task.alive():
            self._pause()
        self.watched.pop()
        if task.code:
            last = "\n".join(task.log.read_text(errors="replace").strip().splitlines()[-5:])
            raise LocalError(f"{task.name} failed (exit {task.code}); the end of {task.log}:\n{last}")

    def watch(self) -> None:
        """Checks every part once and waits a moment. Raises Stopped on request."""
        for watched in self.watched:
            processes.bound(watched.part.log)
            if isinstance(watched.part, Server) and watched.part.end_if_stuck():
                echo(f"\n  {watched.part.name} refuses its clients, and is ended (see {watched.part.log})")
            if not watched.part.alive():
                self._restart(watched)
        self._pause()

    def end_leftovers(self) -> None:
        """Ends what a killed service left behind: only our own, found by session and by program."""
        with suppress(OSError, ValueError, AttributeError):
            known = frozenset(json.loads(self.sessions.read_text()).values())
            for pid in processes.of_sessions(known):
                processes.signal_to(pid, signal.SIGTERM)
            if not processes.wait_until(lambda: not processes.of_sessions(known), LEFTOVERS_STOP_WITHIN_S):
                for pid in processes.of_sessions(known):
                    processes.signal_to(pid, signal.SIGKILL)

    def restart(self) -> None:
        """Restarts the gateway's own processes: the first immediately, the others once it is running."""
        self._end_children(CHILDREN_RESTART_WITHIN_S)
        now = time.monotonic()
        for number, watched in enumerate(watched for watched in self.watched if isinstance(watched.part, Child)):
            watched.delay_s, watched.due = FIRST_DELAY_S, now + min(number, 1) * OTHERS_AFTER_S

    def stop(self) -> None:
        """Stops the gateway's own processes together, then the servers they used, one by one."""
        self._end_children(CHILDREN_STOP_WITHIN_S)
        for watched in reversed(self.watched):
            if isinstance(watched.part, Server):
                watched.part.stop()

    def _end_children(self, within_s: float) -> None:
        children = [watched.part for watched in reversed(self.watched) if isinstance(watched.part, Child)]
        for child in children:
            child.signal(signal.SIGTERM)
        processes.wait_until(lambda: not any(child.alive() for child in children), within_s)
        for child in children:
            child.signal(signal.SIGKILL)

    def _restart(self, watched: Watched) -> None:
        now = time.monotonic()
        if watched.due is None:
            watched.part.signal(watched.part.kill_signal)
            if now - watched.since > STEADY_S or _was_killed(watched.part):
                watched.delay_s = FIRST_DELAY_S
            self._wait_for(watched, "ended")
        elif now >= watched.due:
            watched.due, watched.since = None, now
            try:
                watched.part.start()
                self._record()
            except (LocalError, OSError) as problem:
                self._wait_for(watched, f"failed: {problem}")

    def _wait_for(self, watched: Watched, what: str) -> None:
        part, delay_s = watched.part, watched.delay_s
        echo(f"\n  {part.name} {what}; starting it again in {delay_s:g} s (see {part.log})")
        watched.due = time.monotonic() + delay_s
        watched.delay_s = min(delay_s * 2, LAST_DELAY_S)

    def _record(self) -> None:
        children = [watched.part for watched in self.watched if isinstance(watched.part, Child)]
        home.write(self.sessions, {child.name: child.pid for child in children if child.pid})

    def _pause(self) -> None:
        if self.is_stopping:
            raise Stopped
        time.sleep(TICK_S)

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        if not self.is_stopping:
            self.is_stopping = True
            return
        for watched in reversed(self.watched):  # the second signal stops it immediately
            watched.part.signal(watched.part.kill_signal)
        os._exit(128 + number)
