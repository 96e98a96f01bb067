"""Payout schedules, read-only: owners register and end them in the dashboard (contract §11.9)."""

from accounts.models import Merchant
from gateway.api.errors import InvalidFilter
from gateway.api.operations import Resource, operation
from gateway.api.pagination import ListQuery, ResultPage, page_of
from gateway.payout_schedules import payloads, selectors
from gateway.payout_schedules.errors import ScheduleUnknown
from gateway.withdrawals.errors import UnregisteredOrigin


class ScheduleQuery(ListQuery):
    """Which page."""

    otherwise = InvalidFilter


class PayoutSchedulesView(Resource):
    tag = "Withdrawals"

    @operation(
        "listPayoutSchedules",
        "withdrawals:read",
        query=ScheduleQuery,
        gives=payloads.PayoutSchedulePayload,
        registered_origin=True,
        refuses=[UnregisteredOrigin, InvalidFilter],
    )
    def get(self, merchant: Merchant, query: ScheduleQuery) -> ResultPage:
        """List payout schedules

        Those that run, newest first: at most one for each wallet. Owners register and end them in the dashboard.
        """
        return page_of(selectors.running(merchant), query, payloads.schedule)


class PayoutScheduleView(Resource):
    tag = "Withdrawals"

    @operation(
        "getPayoutSchedule",
        "withdrawals:read",
        gives=payloads.PayoutSchedulePayload,
        registered_origin=True,
        refuses=[UnregisteredOrigin, ScheduleUnknown],
    )
    def get(self, merchant: Merchant, schedule_id: str) -> payloads.PayoutSchedulePayload:
        """Get a payout schedule

        Also one that has ended; `nextRunAt` is null then.
        """
        return payloads.schedule(selectors.get(merchant, schedule_id))
