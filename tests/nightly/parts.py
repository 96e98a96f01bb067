"""The parts of a night: targets of make, run one after another, each with the counts that its tests kept."""

import os
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gateway.local import home
from tests.support.tally import FILE, Count, kept

IN_SHORT = {"SHORT": "1"}


@dataclass(frozen=True)
class Part:
    """A target, and its settings in the long and in the short form. What the environment says comes first."""

    target: str
    long: Mapping[str, str] = field(default_factory=dict)
    short: Mapping[str, str] = field(default_factory=lambda: IN_SHORT)

    def settings(self, *, short: bool) -> list[str]:
        chosen = self.short if short else self.long
        return [f"{name}={os.environ.get(name) or value}" for name, value in chosen.items()]


PARTS = (
    Part("check"),
    Part("test"),
    Part("browser"),
    Part("clients", {"REQUESTS": "100000"}, {}),
    Part("older", {}, {"T": "tests/ledger/books"}),
    Part("faults", {"KILLS": "1000"}, {"KILLS": "1"}),
    Part("ha"),
    Part("cells"),
    Part("model", {"OPS": "1000000"}, {"OPS": "250"}),
    Part("drill"),
    Part("upgrade"),
    Part("bench"),
)


@dataclass(frozen=True)
class Result:
    target: str
    counts: Sequence[Count]
    took_s: float
    passed: bool


def run(parts: Iterable[Part], folder: Path, make: Sequence[str | Path], *, short: bool) -> Iterator[Result]:
    """Runs each, whatever became of those before it. Their counts are kept in the folder."""
    for part in parts:
        file = folder / f"{part.target}.jsonl"
        file.unlink(missing_ok=True)
        own = {FILE: str(file)} | ({} if short else {"ONPAY_EXAMPLES": "nightly"})
        began = time.monotonic()
        done = subprocess.run(
            [*make, "--no-print-directory", part.target, *part.settings(short=short)],
            cwd=home.CHECKOUT,
            env=os.environ | own,
            check=False,
        )
        yield Result(part.target, kept(file), time.monotonic() - began, done.returncode == 0)
