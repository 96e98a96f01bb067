"""The JSON of the sandbox clock (contract §14.4)."""

from typing_extensions import TypedDict

from accounts.base.clock import now
from accounts.base.wire import Timestamp, timestamp
from accounts.models import Merchant
from gateway.simulations.services import Fired


class FiredPayload(TypedDict):
    """A scheduled event that ran on the way, at its own time."""

    type: str
    id: str
    at: Timestamp


class ClockPayload(TypedDict):
    """The company's time in the sandbox, and how far it is ahead of real time."""

    now: Timestamp
    offsetSeconds: int


class AdvancedClockPayload(ClockPayload):
    """The clock after it was advanced, and what ran on the way, oldest first."""

    fired: list[FiredPayload]


def clock(merchant: Merchant) -> ClockPayload:
    return {"now": timestamp(now(merchant)), "offsetSeconds": int(merchant.clock_offset.total_seconds())}


def advanced(merchant: Merchant, fired: list[Fired]) -> AdvancedClockPayload:
    happened: list[FiredPayload] = [{"type": one.kind, "id": one.id, "at": timestamp(one.at)} for one in fired]
    return {**clock(merchant), "fired": happened}
