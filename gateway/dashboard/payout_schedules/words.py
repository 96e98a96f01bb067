"""Texts about scheduled payouts."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from gateway.payout_schedules.models import Frequency

FREQUENCY: dict[str, Promise] = {
    Frequency.DAILY: _("Every day"),
    Frequency.WEEKLY: _("Every week"),
    Frequency.ABOVE: _("When more than an amount is available"),
}
WEEKDAY: tuple[Promise, ...] = (
    _("Monday"), _("Tuesday"), _("Wednesday"), _("Thursday"), _("Friday"), _("Saturday"), _("Sunday"),
)  # fmt: skip
"""By `weekday`."""
SKIPPED: dict[str, Promise] = {"NOTHING_AVAILABLE": _("Too little was available.")}
