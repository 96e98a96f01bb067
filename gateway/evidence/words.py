"""The words of a pack for what happened, why, and how refunds stand: those of an institution, not of a company."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from gateway.refunds.models import Status
from gateway.refunds.reasons import ReasonCode

HAPPENED: dict[str, Promise] = {
    "payment.created": _("The order was made"),
    "payment.action_required": _("The payer was asked to confirm"),
    "payment.authorized": _("The card's bank authorized the payment"),
    "payment.paid": _("The payment was made"),
    "payment.refunded": _("The payment was refunded in full"),
    "refund.created": _("The payer asked for the money back"),
    "refund.completed": _("Money was returned"),
    "refund.failed": _("A return of money failed"),
}
REASON: dict[str, Promise] = {
    ReasonCode.FRAUD: _("Fraud"),
    ReasonCode.UNRECOGNIZED: _("Not recognized"),
    ReasonCode.DUPLICATE: _("Duplicate"),
    ReasonCode.NOT_RECEIVED: _("Not received"),
    ReasonCode.NOT_AS_DESCRIBED: _("Not as described"),
    ReasonCode.SCAM: _("Scam"),
    ReasonCode.ACCOUNT_TAKEOVER: _("Account takeover"),
    ReasonCode.COERCION: _("Coercion"),
    ReasonCode.FRAUDULENT_ACCESS: _("Fraudulent access"),
    ReasonCode.OPERATIONAL_ERROR: _("Operational error"),
    ReasonCode.OTHER: _("Other"),
}
STATUS: dict[str, Promise] = {
    Status.AWAITING_RESPONSE: _("Awaiting response"),
    Status.UNDER_REVIEW: _("Under review"),
    Status.PROCESSING: _("Processing"),
    Status.COMPLETED: _("Completed"),
    Status.FAILED: _("Failed"),
    Status.REJECTED: _("Rejected"),
    Status.CANCELED: _("Canceled"),
}
