"""Refusals of saved cards."""

from django.utils.translation import gettext_noop as _

from accounts.base.errors import MethodRefusal, Refusal


class SavedCardUnknown(Refusal):
    code = "ONP404_SAVED_CARD"
    message = _("Saved card not found.")
    advice = _("List the saved cards of this customer; a removed one cannot be used or removed again.")


class SavedCardUnavailable(MethodRefusal):
    code = "ONP422_<METHOD>_SAVED_CARD_UNAVAILABLE"
    message = _("The acquirer that keeps this saved card does not take payments of the company at the moment.")
    advice = _("Omit paymentMethodToken, so that the payer enters the card again.")
    methods = ("CREDIT_CARD", "DEBIT_CARD")
