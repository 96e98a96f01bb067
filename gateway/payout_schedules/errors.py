"""Refusals of payout schedules."""

from django.utils.translation import gettext_noop as _

from accounts.base.errors import Refusal


class ScheduleUnknown(Refusal):
    code = "ONP404_PAYOUT_SCHEDULE"
    message = _("Payout schedule not found.")
    advice = _("Check the id, and the environment of your key.")


class ScheduleExists(Refusal):
    code = "ONP409_PAYOUT_SCHEDULE"
    message = _("This wallet already has a payout schedule.")
    advice = _("End the schedule of the wallet before you register another one.")


class ScheduleState(Refusal):
    code = "ONP409_PAYOUT_SCHEDULE_STATE"
    message = _("The payout schedule has been started already, or has ended.")
    advice = _("Reload the scheduled payouts.")
