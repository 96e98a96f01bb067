"""How much a test tries of what is many: a little in each run, a lot in `make nightly`."""

import os
from collections.abc import Sequence
from datetime import date
from typing import TypeVar

T = TypeVar("T")
NIGHTLY = os.environ.get("ONPAY_EXAMPLES") == "nightly"
# All processes of a run have the day on which it began.
DAY = int(os.environ.setdefault("ONPAY_TEST_DAY", str(date.today().toordinal())))


def tries(few: int, many: int) -> int:
    """How many examples, rounds or moments: `few` in each run, `many` at night."""
    return many if NIGHTLY else few


def todays(cases: Sequence[T]) -> Sequence[T]:
    """A third of the cases, the next third tomorrow. At night all, and always if there are one or two."""
    return cases if NIGHTLY or len(cases) < 3 else cases[DAY % 3 :: 3]
