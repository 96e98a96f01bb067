"""What a run broke and tried, and what was lost or doubled: asserted where it is known, and kept for `make nightly`."""

import json
import os
from collections.abc import Sized
from dataclasses import asdict, dataclass
from pathlib import Path

FILE = "ONPAY_TALLY"
"""The environment variable that names the file in which a run keeps its counts. Without it nothing is kept."""


@dataclass(frozen=True)
class Count:
    """`faults` happened while `tried` was done. `lost` and `doubled` are of what was tried."""

    what: str
    tried: int
    faults: int = 0
    lost: int = 0
    doubled: int = 0
    note: str = ""


def survived(what: str, tried: int, *, faults: int = 0, lost: Sized = (), doubled: Sized = (), note: str = "") -> None:
    """Keeps the count, and asserts that nothing was lost or doubled."""
    keep(Count(what, tried, faults, len(lost), len(doubled), note))
    assert not lost, f"{what}: lost {lost}"
    assert not doubled, f"{what}: doubled {doubled}"


def keep(count: Count) -> None:
    if file := os.environ.get(FILE):
        with Path(file).open("a") as kept:  # one line at once, whichever processes write
            kept.write(json.dumps(asdict(count)) + "\n")


def kept(file: Path) -> list[Count]:
    """The counts of a run, in the order in which they were made."""
    return [Count(**json.loads(line)) for line in file.read_text().splitlines()] if file.exists() else []
