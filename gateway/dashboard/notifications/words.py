"""What notifications are about: the kinds as people filter by them."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

KIND: dict[str, Promise] = {
    "dispute_opened": _("Refund requests and disputes"),
    "dispute_due": _("Answers that are due"),
    "taken_back": _("Payments taken back by a bank"),
    "refund_elsewhere": _("Refunds to another PIX key"),
    "withdrawal_new_destination": _("Withdrawals to new destinations"),
    "withdrawal_approval": _("Approvals of withdrawals"),
    "withdrawal_came_back": _("Withdrawals that did not arrive"),
    "withdrawals_of_a_day": _("Daily summaries of withdrawals"),
    "withdrawal_rules": _("Withdrawal rules"),
    "withdrawal_address": _("Withdrawal address"),
    "wait_lifted": _("Waiting periods of withdrawals"),
    "beneficiary": _("Beneficiaries"),
    "bulk_file": _("Bulk files"),
    "payout_schedule_changed": _("Payout schedules"),
    "payout_skipped": _("Payouts that were skipped"),
    "advance_decided": _("Advances"),
    "endpoint_failing": _("Failing webhook endpoints"),
    "endpoint_disabled": _("Disabled webhook endpoints"),
    "live_key": _("Live API keys"),
    "member_joined": _("New members"),
    "member_changed": _("Roles of members"),
    "by_support": _("Changes by support"),
    "verified": _("Verification"),
    "sent_back": _("Documents that are missing"),
}
ICON = {
    "dispute_opened": "receipt-refund",
    "dispute_due": "clock",
    "taken_back": "receipt-refund",
    "refund_elsewhere": "receipt-refund",
    "withdrawal_approval": "check",
    "withdrawals_of_a_day": "list-details",
    "withdrawal_rules": "settings",
    "withdrawal_address": "settings",
    "wait_lifted": "settings",
    "beneficiary": "users",
    "bulk_file": "file-text",
    "payout_schedule_changed": "calendar-dollar",
    "payout_skipped": "calendar-dollar",
    "advance_decided": "calendar-dollar",
    "endpoint_failing": "webhook",
    "endpoint_disabled": "webhook",
    "live_key": "key",
    "member_joined": "user-plus",
    "member_changed": "user-plus",
    "by_support": "shield-check",
    "verified": "shield-check",
    "sent_back": "shield-check",
}
USUAL_ICON = "arrow-up-right"
"""Of the rest: money that leaves."""
