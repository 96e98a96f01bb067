"""Refusals of months."""

from django.utils.translation import gettext_noop as _

from accounts.base.errors import Refusal


class MonthState(Refusal):
    code = "ONP409_MONTH_STATE"
    message = _("The month is not over yet, is closed already, or has nothing in the books.")
    advice = _("Choose a month that is over and is not closed.")
