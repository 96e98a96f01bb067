"""Refusals of evidence packs."""

from django.utils.translation import gettext_noop as _

from accounts.base.errors import Refusal


class TooMuchEvidence(Refusal):
    code = "ONP422_EVIDENCE"
    message = _("The answer already has ten pieces of evidence.")
    advice = _("Remove one, then add the pack.")
