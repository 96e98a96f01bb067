"""Refusals of holds."""

from accounts.base.errors import Refusal


class HoldEnded(Refusal):
    code = "ONP409_HOLD_STATE"
    message = "This hold has already been released."
    advice = "Look the hold up; a released hold cannot be changed."
