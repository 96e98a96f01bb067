"""What simulations refuse."""

from accounts.base.errors import InvalidRequest, Refusal


class InvalidClock(InvalidRequest):
    code = "ONP400_CLOCK"
    message = "Exactly one of advanceBy, an ISO 8601 duration, and advanceTo, a timestamp, is needed."


class ClockOnlyForward(Refusal):
    code = "ONP409_CLOCK"
    message = "The clock moves forward only, and at most ten years ahead of the real time."
    advice = "Read the clock, then advance it to a later moment; nothing has been moved."
