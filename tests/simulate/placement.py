"""Merchants of unequal size on nodes: a merchant's payments are all on one node, so the largest decides."""

import heapq
from collections.abc import Sequence
from itertools import accumulate


def volumes(merchants: int, skew: float) -> list[float]:
    """The share of each merchant in all payments, the largest first: Zipf's law with this exponent; 0: all equal."""
    weights = [rank**-skew for rank in range(1, merchants + 1)]
    whole = sum(weights)
    return [weight / whole for weight in weights]


def placed(shares: Sequence[float], nodes: int) -> list[float]:
    """The share of each node, if every merchant, the largest first, goes to the node with the least so far."""
    loads = [(0.0, node) for node in range(nodes)]
    for share in shares:
        load, node = loads[0]
        heapq.heapreplace(loads, (load + share, node))
    return [load for load, _ in sorted(loads, key=lambda one: one[1])]


def of_the_largest(shares: Sequence[float], part: float) -> int:
    """How many of the largest merchants make this part of all payments."""
    return next(count for count, reached in enumerate(accumulate(shares), 1) if reached >= part - 1e-9)
