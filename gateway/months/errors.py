"""Refusals of months."""

from accounts.base.errors import Refusal


class MonthState(Refusal):
    code = "ONP409_MONTH_STATE"
    message = "The month is not over yet, is closed already, or has nothing in the books."
    advice = "Choose a month that is over and is not closed."
