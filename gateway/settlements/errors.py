"""Refusals about settlements."""

from django.utils.translation import gettext_noop as _

from accounts.base.errors import Refusal


class ReportUnreadable(Refusal):
    code = "ONP400_SETTLEMENT_REPORT"
    message = _("The file is not a settlement report of this account.")
    advice = _(
        "Download the report again as CSV, for the merchant account of the provider account, and upload it as it is."
    )


class ReportKnown(Refusal):
    code = "ONP409_SETTLEMENT_REPORT_KNOWN"
    message = _("This settlement report was read before.")
    advice = _("Nothing needs to be done: the list of reports shows when it was read.")


class NotByFile(Refusal):
    code = "ONP409_SETTLEMENT_ACCOUNT"
    message = _("Settlement reports of this account are not uploaded.")
    advice = _("Choose a production account of a provider whose reports are files, once it was activated.")


class DifferenceUnknown(Refusal):
    code = "ONP404_SETTLEMENT_DIFFERENCE"
    message = _("There is no such difference.")
    advice = _("Look it up in the list.")


class DifferenceEnded(Refusal):
    code = "ONP409_SETTLEMENT_DIFFERENCE"
    message = _("The difference has ended.")
    advice = _("Nothing needs to be done.")
