"""Refusals of simulations."""

from django.utils.translation import gettext_noop as _

from accounts.base.errors import InvalidRequest, Refusal


class InvalidClock(InvalidRequest):
    code = "ONP400_CLOCK"
    message = _("Send exactly one of advanceBy (an ISO 8601 duration) and advanceTo (a timestamp).")


class ClockOnlyForward(Refusal):
    code = "ONP409_CLOCK"
    message = _("The clock can only move forward, and at most ten years ahead of real time.")
    advice = _("Read the clock, then advance it to a later time; nothing was changed.")
