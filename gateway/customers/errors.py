"""Refusals of customers."""

from django.utils.translation import gettext_noop as _

from accounts.base.errors import Refusal


class CustomerUnknown(Refusal):
    code = "ONP404_CUSTOMER"
    message = _("Customer not found.")
    advice = _("Check the id, and the environment of your key.")
