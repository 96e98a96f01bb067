"""Refusals of saved cards."""

from accounts.base.errors import MethodRefusal, Refusal


class SavedCardUnknown(Refusal):
    code = "ONP404_SAVED_CARD"
    message = "Saved card not found."
    advice = "List the saved cards of this customer; a removed one cannot be used or removed again."


class SavedCardUnavailable(MethodRefusal):
    code = "ONP422_<METHOD>_SAVED_CARD_UNAVAILABLE"
    message = "The acquirer that keeps this saved card does not take payments of the company at the moment."
    advice = "Omit paymentMethodToken, so that the payer enters the card again."
    methods = ("CREDIT_CARD", "DEBIT_CARD")
