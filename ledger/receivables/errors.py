"""Refusals of receivables and advances."""

from django.utils.translation import gettext_noop as _

from accounts.base.errors import Refusal


class ReceivableState(Refusal):
    code = "ONP409_RECEIVABLE_STATE"
    message = _("A receivable's status does not allow this.")
    advice = _(
        "Only scheduled receivables that are not yet due and are open to advances can be advanced: request a new quote."
    )


class AdvanceState(Refusal):
    code = "ONP409_ADVANCE_STATE"
    message = _("This advance has already been decided.")
    advice = _("Look the advance up; the decision is final.")


class AdvanceDisabled(Refusal):
    code = "ONP403_ADVANCE_DISABLED"
    message = _("Advances are not enabled for this company.")
    advice = _("Ask support to enable them.")


class AdvanceTooSmall(Refusal):
    code = "ONP422_ADVANCE_AMOUNT_TOO_SMALL"
    message = _("The advance is below the minimum, or does not cover its fee.")
    advice = _("Choose more receivables, or ones that are released later.")
