"""Refusals about money in suspense."""

from django.utils.translation import gettext_noop as _

from accounts.base.errors import Refusal


class ItemUnknown(Refusal):
    code = "ONP404_SUSPENSE"
    message = _("There is no such money in suspense.")
    advice = _("Look it up in the list.")


class ItemState(Refusal):
    code = "ONP409_SUSPENSE_STATE"
    message = _("The state of the money in suspense does not allow this.")
    advice = _("Look it up again: its state shows what can still be done.")


class NotReturnable(Refusal):
    code = "ONP409_SUSPENSE_NOT_RETURNABLE"
    message = _("The provider cannot be asked to return this money.")
    advice = _("Return it from the bank account itself, then record the return with the bank's reference.")


class DoesNotFit(Refusal):
    code = "ONP422_SUSPENSE_PAYMENT"
    message = _("The money cannot pay this payment.")
    advice = _(
        "It must have exactly the payment's amount and currency, and the payment must be open, failed or expired."
    )


class NotTheirs(Refusal):
    code = "ONP422_SUSPENSE_COMPANY"
    message = _("The money arrived at another company's account, or for another method.")
    advice = _("Choose a payment that could have been paid at this provider account.")


class NotWatched(Refusal):
    code = "ONP409_SUSPENSE_ACCOUNT"
    message = _("Money of this account is not entered by staff.")
    advice = _("Enter what arrived at a manual account with real money, once the account was activated.")


class PaysItsPayment(Refusal):
    code = "ONP409_SUSPENSE_PAYS"
    message = _("The money has exactly the amount of its payment, which is still open.")
    advice = _("Record the payment as paid instead, with the bank's reference.")
