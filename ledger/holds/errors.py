"""Refusals of holds."""

from accounts.base.errors import InvalidRequest, Refusal


class HoldEnded(Refusal):
    code = "ONP409_HOLD_STATE"
    message = "This hold has already been released."
    advice = "Look the hold up; a released hold cannot be changed."


class HoldUnexplained(InvalidRequest):
    code = "ONP400_HOLD"
    message = "A hold needs a note, and a legal order the number of its case."
    advice = "Explain the hold, and give the number of the case."
