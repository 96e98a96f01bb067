"""Refusals of the books."""

from django.utils.translation import gettext_noop as _

from accounts.base.errors import Refusal


class InsufficientBalance(Refusal):
    code = "ONP422_INSUFFICIENT_BALANCE"
    message = _("Insufficient available balance.")
    advice = _("Check the balance, then send a smaller amount with a new idempotency key.")
