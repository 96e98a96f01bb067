"""Actions in words, and links to their objects."""

from typing import Any

from django.urls import NoReverseMatch, reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.models import AuditEntry
from accounts.roles import May
from gateway.dashboard.context import RequestContext
from gateway.dashboard.links import PAGES

ACTION: dict[str, Promise] = {
    "proposal.made": _("Proposed a decision that a second person must confirm"),
    "proposal.confirmed": _("Confirmed a colleague's decision"),
    "proposal.turned_down": _("Rejected a colleague's decision"),
    "proposal.expired": _("A proposed decision expired: nobody confirmed it"),
    "terms.accepted": _("Accepted the terms of use and the privacy notice"),
    "company.founded": _("Created the company"),
    "company.changed": _("Changed the company's data"),
    "company.logo_changed": _("Changed the company's logo"),
    "company.verified": _("Verified the company"),
    "withdrawal_ip.changed": _("Changed the withdrawal address"),
    "withdrawal_rules.proposed": _("Changed the withdrawal rules, or asked for weaker ones"),
    "withdrawal_rules.agreed": _("Agreed to weaker withdrawal rules"),
    "withdrawal_rules.stopped": _("Stopped a change of the withdrawal rules"),
    "month.closed": _("Closed a month"),
    "month.readers_chosen": _("Chose who is sent each month"),
    "withdrawal.approved": _("Approved a withdrawal"),
    "withdrawal.rejected": _("Rejected a withdrawal"),
    "beneficiary.added": _("Added a beneficiary"),
    "beneficiary.removed": _("Removed a beneficiary"),
    "withdrawals.wait_lifted": _("Lifted the waiting period of withdrawals"),
    "company.suspended": _("Suspended the company"),
    "company.suspension_lifted": _("Lifted the suspension of the company"),
    "company.closed": _("Closed the company"),
    "member.added": _("Added a team member"),
    "user.email_changed": _("Changed a member's sign-in e-mail address"),
    "user.second_factor_removed": _("Removed a member's second factor"),
    "user.deactivated": _("Deactivated a user"),
    "user.reactivated": _("Reactivated somebody"),
    "document.handed_in": _("Uploaded a document"),
    "document.taken_back": _("Removed a document"),
    "production.asked": _("Requested production"),
    "verification.sent_back": _("Sent the verification back"),
    "member.invited": _("Invited a member"),
    "invitation.withdrawn": _("Withdrew an invitation"),
    "invitation.accepted": _("Accepted an invitation"),
    "member.role_changed": _("Changed a member's role"),
    "member.removed": _("Removed a team member"),
    "api_key.issued": _("Issued an API key"),
    "api_key.rotated": _("Replaced an API key"),
    "saved_card.removed": _("Removed a saved card"),
    "api_key.revoked": _("Revoked an API key"),
    "webhook.created": _("Added a webhook"),
    "webhook.changed": _("Changed a webhook"),
    "webhook.deleted": _("Deleted a webhook"),
    "webhook.secret_rotated": _("Rotated a webhook's secret"),
    "webhook.redelivered": _("Sent a delivery again"),
    "webhook.replayed": _("Sent past events again"),
    "webhook.tested": _("Sent a test event"),
    "payment_link.ended": _("Ended a payment link"),
    "payment_link.created": _("Made a payment link"),
    "payment_link.changed": _("Paused, resumed or ended a payment link"),
    "payment.asked_about": _("Queried the provider of a payment"),
    "payment.expired": _("Ended the time in which a payment could be paid"),
    "payment.tried": _("Made a test payment"),
    "payment.simulated": _("Decided a test payment"),
    "refund.asked_by_payer": _("Requested a refund as the payer"),
    "refund.decided": _("Decided a refund in the sandbox"),
    "withdrawal.simulated": _("Decided a test withdrawal"),
    "clock.advanced": _("Moved the sandbox clock"),
    "scenario.played": _("Ran a scenario"),
    "refund.asked": _("Requested a refund"),
    "refund.sent_elsewhere": _("Refunded to another PIX key through the API"),
    "refund.accepted": _("Accepted a payer's refund request"),
    "refund.contested": _("Contested a payer's refund request"),
    "withdrawal.asked": _("Withdrew money"),
    "bulk_file.confirmed": _("Confirmed a bulk file"),
    "bulk_file.approved": _("Approved the withdrawals of a bulk file"),
    "bulk_file.rejected": _("Rejected the withdrawals of a bulk file"),
    "bulk_file.stopped": _("Stopped or discarded a bulk file"),
    "reserve.changed": _("Changed the rolling reserve"),
    "reserve.released": _("Released the rolling reserve"),
    "bank_line.explained": _("Identified a movement of a bank statement"),
    "merchant.changed": _("Changed the features of the company"),
    "company.viewed": _("Support looked at your pages, read-only"),
    "company.view_ended": _("Support stopped looking at your pages"),
    "evidence.automatic": _("Turned automatic evidence on or off"),
    "payout_schedule.registered": _("Registered a payout schedule"),
    "payout_schedule.started": _("Started a payout schedule"),
    "payout_schedule.ended": _("Ended a payout schedule"),
    "advance.requested": _("Requested an advance"),
    "conversion.confirmed": _("Converted money"),
    "dispute.looked_at_again": _("Had a dispute looked at again"),
    "provider_message.read_again": _("Read a provider's message again"),
    "provider_route.set": _("Changed the provider of a method"),
    "settlement_report.uploaded": _("Uploaded a settlement report"),
    "single_approval_limit.changed": _("Changed the limit for one person"),
    "suspense.kept": _("Kept unexpected money"),
}
BY_SUPPORT: dict[str, Promise] = {
    "advance": _("Decided an advance"),
    "company": _("Changed the company's data"),
    "hold": _("Placed or released a hold"),
    "membership": _("Changed the team"),
    "merchant": _("Changed what is enabled"),
    "method_rule": _("Changed the limits of a method"),
    "payment": _("Recorded the outcome of a payment"),
    "payout_rule": _("Changed the terms of a rail"),
    "price_rule": _("Changed a price"),
    "provider_account": _("Changed a provider account"),
    "refund": _("Decided a refund"),
    "suspense": _("Decided about unexpected money"),
    "withdrawal": _("Handled a withdrawal"),
}
"""Staff actions by type of object: staff pages record more actions than have a label of their own."""
MONEY = (
    "advance", "bank_line", "beneficiary", "bulk_file", "conversion", "dispute", "evidence", "hold", "month",
    "payment", "payment_link", "payout_rule", "payout_schedule", "price_rule", "refund", "reserve", "settlement_report",
    "suspense", "withdrawal", "withdrawal_rules", "withdrawals",
)  # fmt: skip
"""Actions that concern money, by type of object: what Finance reads of the audit log."""
_OF_THE_COMPANY = {"cmp": "settings", "doc": "verification", "inv": "team", "key": "keys", "blk": "balance"}


def action_title(action: str) -> str:
    """The label of an action; without one the action code."""
    phrase = ACTION.get(action) or BY_SUPPORT.get(action.partition(".")[0])
    return str(phrase or action.replace(".", ": ").replace("_", " "))


def is_about_money(action: str) -> bool:
    return action.partition(".")[0] in MONEY


def sentence(who: str, action: str) -> str:
    """Who did what: the titles of actions are written so that a name can stand before them."""
    title = action_title(action)
    return f"{who} {title[:1].lower()}{title[1:]}"


def place(here: RequestContext, entry: AuditEntry) -> str | None:
    """The URL of the object's page, in the environment of the action; None if there is none."""
    name, *ids = _page(entry.object_id)
    needs = PAGES[_prefix(entry.object_id)][1] if ids else May.READ_TRAIL
    if not name or not here.may(needs):
        return None
    environment = entry.merchant.environment.lower() if entry.merchant else here.environment
    try:
        return reverse(f"dashboard:{name}", args=(here.company.pk, environment, *ids))
    except NoReverseMatch:
        return None


def _page(object_id: str) -> tuple[str, ...]:
    prefix = _prefix(object_id)
    if prefix in PAGES:
        return PAGES[prefix][0], object_id
    return (_OF_THE_COMPANY.get(prefix) or ("team" if "@" in object_id else ""),)


def _prefix(object_id: str) -> str:
    return object_id.partition("_")[0]


def changes(entry: AuditEntry) -> list[tuple[str, Any, Any]]:
    """Every member with its values before and after; None if it was absent."""
    before, after = entry.before or {}, entry.after or {}
    return [(name, before.get(name), after.get(name)) for name in sorted({*before, *after})]
