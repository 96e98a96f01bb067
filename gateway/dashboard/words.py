"""Labels and colors of contract codes."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from gateway.methods.registry import Method
from gateway.payouts.registry import RailName

Word = tuple[str | Promise, str]
"""The label and its color."""

GOOD, BAD, WAITING, DONE, QUIET = "green", "red", "yellow", "azure", "secondary"

STATUS: dict[str, Word] = {
    "ACTION_REQUIRED": (_("Action required"), WAITING),
    "PENDING": (_("Pending"), WAITING),
    "AUTHORIZED": (_("Authorized"), DONE),
    "PAID": (_("Paid"), GOOD),
    "FAILED": (_("Failed"), BAD),
    "EXPIRED": (_("Expired"), QUIET),
    "REFUNDED": (_("Refunded"), DONE),
    "AWAITING_RESPONSE": (_("Waiting for your answer"), BAD),
    "UNDER_REVIEW": (_("Under review"), WAITING),
    "PROCESSING": (_("Processing"), WAITING),
    "COMPLETED": (_("Completed"), GOOD),
    "REJECTED": (_("Rejected"), QUIET),
    "CANCELED": (_("Canceled"), QUIET),
    "RETURNED": (_("Returned"), BAD),
    "SCHEDULED": (_("Scheduled"), WAITING),
    "RESERVED_FOR_ADVANCE": (_("Reserved for an advance"), DONE),
    "ADVANCED": (_("Advanced"), GOOD),
    "RELEASED": (_("Released"), GOOD),
    "APPROVED": (pgettext_lazy("advance", "Approved"), GOOD),
    "REFUSED": (pgettext_lazy("advance", "Refused"), BAD),
    "ACTIVE": (pgettext_lazy("company", "Active"), GOOD),
    "PENDING_VERIFICATION": (_("Waiting for verification"), WAITING),
    "SUSPENDED": (pgettext_lazy("company", "Suspended"), BAD),
    "CLOSED": (pgettext_lazy("company", "Closed"), QUIET),
}

METHOD: dict[str, str | Promise] = {**dict(RailName.choices), **dict(Method.choices)}
"""Methods of payment and rails of withdrawals."""

ROLE: dict[str, tuple[Promise, Promise]] = {
    "OWNER": (_("Owner"), _("Everything, including the team")),
    "FINANCE": (_("Finance"), _("Withdrawals, advances, conversions and refunds")),
    "DEVELOPER": (_("Developer"), _("API keys, webhooks, events and requests")),
    "SUPPORT": (_("Support"), _("Payments and refunds")),
    "VIEWER": (_("Viewer"), _("Reads without changing anything")),
}
