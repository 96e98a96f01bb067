"""Refusals of rates."""

from accounts.base.errors import Refusal


class RateBeyondGuard(Refusal):
    code = "ONP409_RATE_GUARD"
    message = "The rate differs too much from the known rates for one person to enter it."
    advice = "Have a second person confirm it."
