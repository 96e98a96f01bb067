"""Refusals about money in suspense."""

from accounts.base.errors import Refusal


class ItemUnknown(Refusal):
    code = "ONP404_SUSPENSE"
    message = "There is no such money in suspense."
    advice = "Look it up in the list."


class ItemState(Refusal):
    code = "ONP409_SUSPENSE_STATE"
    message = "The state of the money in suspense does not allow this."
    advice = "Look it up again: its state shows what can still be done."


class NotReturnable(Refusal):
    code = "ONP409_SUSPENSE_NOT_RETURNABLE"
    message = "The provider cannot be asked to return this money."
    advice = "Return it from the bank account itself, then record the return with the bank's reference."


class DoesNotFit(Refusal):
    code = "ONP422_SUSPENSE_PAYMENT"
    message = "The money cannot pay this payment."
    advice = "It must have exactly the payment's amount and currency, and the payment must be open, failed or expired."


class NotTheirs(Refusal):
    code = "ONP422_SUSPENSE_COMPANY"
    message = "The money arrived at another company's account, or for another method."
    advice = "Choose a payment that could have been paid at this provider account."


class NotWatched(Refusal):
    code = "ONP409_SUSPENSE_ACCOUNT"
    message = "Money of this account is not entered by staff."
    advice = "Enter what arrived at a manual account with real money, once the account was activated."


class PaysItsPayment(Refusal):
    code = "ONP409_SUSPENSE_PAYS"
    message = "The money has exactly the amount of its payment, which is still open."
    advice = "Record the payment as paid instead, with the bank's reference."
