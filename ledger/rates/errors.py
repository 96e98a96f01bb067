"""Refusals of rates."""

from django.utils.translation import gettext_noop as _

from accounts.base.errors import Refusal


class RateBeyondGuard(Refusal):
    code = "ONP409_RATE_GUARD"
    message = _("One person cannot enter a rate: it takes precedence over the market's.")
    advice = _("Have a second person confirm it.")
