"""Refusals of rates."""

from accounts.base.errors import Refusal


class RateBeyondGuard(Refusal):
    code = "ONP409_RATE_GUARD"
    message = "One person cannot enter a rate: it takes precedence over the market's."
    advice = "Have a second person confirm it."
