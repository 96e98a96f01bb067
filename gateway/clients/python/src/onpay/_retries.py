"""Which failures are worth another try, and when."""

import random
import time
from dataclasses import dataclass
from typing import Optional

from onpay.errors import ConnectionFailed, NotFound, OnpayError, ServerError


@dataclass(frozen=True)
class Limits:
    """How long one try and the whole call may take, in seconds, and how many tries follow the first."""

    timeout: float = 30
    deadline: float = 60
    retries: int = 4


class Tries:
    """The tries of one call."""

    def __init__(
        self, limits: Limits, timeout: Optional[float], deadline: Optional[float], *, removes: bool = False
    ) -> None:
        self.timeout = limits.timeout if timeout is None else timeout
        self.ends_at = time.monotonic() + (limits.deadline if deadline is None else deadline)
        self.left = limits.retries
        self.backoff = 0.5
        self.removes = removes
        self.may_be_done = False

    @property
    def time_of_this_one(self) -> float:
        """Never longer than what is left of the whole."""
        return max(min(self.timeout, self.ends_at - time.monotonic()), 0.001)

    def has_removed(self, failure: OnpayError) -> bool:
        """Whether a removal is done although it finds nothing: an answer before was lost."""
        is_gone = isinstance(failure, NotFound) and failure.code.startswith("ONP404")
        return self.removes and self.may_be_done and is_gone

    def pause_after(self, failure: OnpayError) -> Optional[float]:
        """Seconds until the next try; None where the failure stands."""
        if not failure.retryable or self.left == 0:
            return None
        self.left -= 1
        self.may_be_done |= isinstance(failure, (ConnectionFailed, ServerError))
        asked = failure.retry_after or 0
        pause = asked + random.uniform(0.1, 1) * (self.backoff if not asked else min(asked, 1))
        self.backoff = min(self.backoff * 2, 8)
        return pause if time.monotonic() + pause < self.ends_at else None
