"""Waits for what other processes do."""

import time
from collections.abc import Callable
from typing import Any


def until(holds: Callable[[], Any], seconds: float = 30, why: Callable[[], object] = str) -> Any:
    """What `holds` returned when it first held. `why` tells what is known if it never does."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if found := holds():
            return found
        time.sleep(0.05)
    raise AssertionError(f"did not hold within {seconds} s: {why()}")
