"""Refusals of payout schedules."""

from accounts.base.errors import Refusal


class ScheduleUnknown(Refusal):
    code = "ONP404_PAYOUT_SCHEDULE"
    message = "Payout schedule not found."
    advice = "Check the id, and the environment of your key."


class ScheduleExists(Refusal):
    code = "ONP409_PAYOUT_SCHEDULE"
    message = "This wallet already has a payout schedule."
    advice = "End the schedule of the wallet before you register another one."


class ScheduleState(Refusal):
    code = "ONP409_PAYOUT_SCHEDULE_STATE"
    message = "The payout schedule has been started already, or has ended."
    advice = "Reload the scheduled payouts."
