"""How much a test with chance in it tries: a little in each run, a lot in `make nightly`."""

import os

NIGHTLY = os.environ.get("ONPAY_EXAMPLES") == "nightly"


def tries(few: int, many: int) -> int:
    """How many examples, rounds or moments: `few` in each run, `many` at night."""
    return many if NIGHTLY else few
