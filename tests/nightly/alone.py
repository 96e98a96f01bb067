"""A suite that loses servers, run alone: it ends in the table of what was lost, as a night does."""

import os
import time
from pathlib import Path

import pytest

from tests.nightly.parts import Result
from tests.nightly.table import table
from tests.support.effort import todays
from tests.support.tally import FILE, kept


class Alone:
    """A plugin of pytest, registered by the suite of this name. Its short form takes a third of the tests a day."""

    def __init__(self, name: str, *, short: bool) -> None:
        self.name, self.short = name, short
        self.began = time.monotonic()
        os.environ.setdefault(FILE, str(Path(os.environ.get("TMPDIR", "/tmp")) / f"{name}-{os.getpid()}.jsonl"))

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        if self.short:
            items[:] = todays(items)

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter, exitstatus: int) -> None:
        counts = [count for count in kept(Path(os.environ[FILE])) if count.what != "tests"]
        result = Result(self.name, counts, time.monotonic() - self.began, exitstatus == 0)
        terminalreporter.write_line(f"\n{table([result])}")
