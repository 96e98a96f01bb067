"""Garbage collection in a process that lives long and makes many objects."""

import gc


def spare_what_is_loaded() -> None:
    """Objects loaded so far stay: to collect them again and again takes a tenth of a request's time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
