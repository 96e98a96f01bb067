"""Refusals of payment links."""

from django.utils.translation import gettext_noop as _

from accounts.base.errors import InvalidRequest, Refusal


class InvalidPaymentLink(InvalidRequest):
    code = "ONP400_PAYMENT_LINK"
    message = _("The payment link is not valid.")
    advice = _("Correct the fields listed in error.fields and send the request again.")


class PaymentLinkUnknown(Refusal):
    code = "ONP404_PAYMENT_LINK"
    message = _("Payment link not found.")
    advice = _("Check the id, and the environment of your key.")


class PaymentLinkState(Refusal):
    """`status` is the link's."""

    code = "ONP409_PAYMENT_LINK_STATE"
    message = _("The payment link's status does not allow this.")
    advice = _("Look the link up; one that has ended stays ended.")


class PaymentLinkInUse(Refusal):
    code = "ONP409_PAYMENT_LINK_IN_USE"
    message = _("Every use that is left is being paid at the moment.")
    advice = _("A payment that is not made in time frees its use.")
