"""Descriptions of due work that the sandbox clock runs."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

DUE: dict[str, Promise] = {
    "payment.answered": _("The provider of a payment answers"),
    "payment.expired": _("A payment expired"),
    "balance.released": _("Money is released"),
    "withdrawal.answered": _("The bank answers a withdrawal"),
    "withdrawal.approval_expired": _("Nobody approved a withdrawal in time"),
    "withdrawal_rules.changed": _("Weaker withdrawal rules take effect"),
    "bulk.line": _("A line of a bulk file is carried out"),
    "bulk.decision": _("A withdrawal of a bulk file is approved or rejected with the others"),
    "bulk.tell_of_decision": _("An e-mail about the approval or rejection of a bulk file"),
    "bulk.tell_of_file": _("An e-mail about a bulk file"),
    "payout_schedule.run": _("A scheduled payout is due"),
    "month.closed": _("A month is closed"),
    "report.sent": _("A scheduled report is sent"),
    "reserve.released": _("A rolling reserve is released"),
    "refund.answered": _("The provider of a refund answers"),
    "refund.reminded": _("Reminder: a refund request is waiting for your answer"),
    "refund.evidence": _("Evidence is announced or handed in where nobody answers"),
    "refund.evidence_late": _("The team is told if evidence was not handed in"),
    "refund.lapsed": _("The deadline to answer a refund has passed"),
    "refund.undecided": _("The deadline to decide a MED claim has passed"),
    "webhook.retried": _("A webhook delivery is retried"),
}
