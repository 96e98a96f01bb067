"""How much is measured. With SHORT=1 a little of everything: the numbers mean nothing, only that all of it runs."""

import os

SHORT = os.environ.get("SHORT") == "1"


def scaled(usual: int, short: int) -> int:
    return short if SHORT else usual
