"""The deposits of a day of operation, listed once for many payments that were paid at the same time.

STP has no query of one deposit, and its list of a day has all of them.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import date
from threading import Lock
from time import monotonic

from gateway.providers.stp.shapes import ReceivedOrder

REMEMBERED_S = 10


@dataclass
class Burst:
    """The last list of one account and day. That of the day under way answers for each CLABE once, and never that a
    CLABE has received nothing: then, and when the same CLABE is asked for again, STP is asked.
    """

    is_over: bool = False
    listed_at: float = -REMEMBERED_S
    by_clabe: dict[str, list[ReceivedOrder]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    @property
    def is_recent(self) -> bool:
        return monotonic() - self.listed_at < REMEMBERED_S

    def of(self, clabe: str, listed: Callable[[], Iterable[ReceivedOrder]]) -> list[ReceivedOrder]:
        """What the CLABE has received. Callers take turns: who waited may be answered by the list of another."""
        with self._lock:
            if self.is_recent and self.is_over:
                return self.by_clabe.get(clabe, [])
            if self.is_recent and (known := self.by_clabe.pop(clabe, None)):
                return known
            self.by_clabe, began = {}, monotonic()
            for one in listed():
                self.by_clabe.setdefault(one.clabe, []).append(one)
            self.listed_at = began
            return self.by_clabe.get(clabe, []) if self.is_over else self.by_clabe.pop(clabe, [])


_bursts: dict[tuple[str, str, date | None], Burst] = {}


def burst_of(address: str, account: str, day: date | None) -> Burst:
    """That of this process for an account at STP. `day` None: the one under way."""
    for key in [key for key, one in [*_bursts.items()] if key[2] is not None and not one.is_recent]:
        _bursts.pop(key, None)  # lists of past days are not kept in memory
    return _bursts.setdefault((address, account, day), Burst(is_over=day is not None))
