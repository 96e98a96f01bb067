"""The sums below a list."""

from dataclasses import dataclass

from accounts.base.listing import ListSums
from gateway.dashboard.context import RequestContext
from gateway.sales.currencies import in_order


@dataclass(frozen=True, slots=True)
class ShownSums:
    """The number of rows, and what they amount to in each currency, in the order of currencies."""

    count: int
    amounts: list[tuple[str, int]]
    more: bool


def list_sums(here: RequestContext, sums: ListSums) -> ShownSums:
    order = in_order(here.merchant, sums.amounts)
    return ShownSums(sums.count, [(code, sums.amounts[code]) for code in order], sums.more)
