"""Refusals of holds."""

from django.utils.translation import gettext_noop as _

from accounts.base.errors import InvalidRequest, Refusal


class HoldEnded(Refusal):
    code = "ONP409_HOLD_STATE"
    message = _("This hold has already been released.")
    advice = _("Look the hold up; a released hold cannot be changed.")


class HoldUnexplained(InvalidRequest):
    code = "ONP400_HOLD"
    message = _("A hold needs a note, and a legal order the number of its case.")
    advice = _("Explain the hold, and give the number of the case.")
