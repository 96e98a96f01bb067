"""What card fields say to payers, by code: our own in the sandbox, and those of acquirers."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

FIELD: dict[str, Promise] = {
    "MONTH_YEAR": _("MM/YY"),
    "INVALID_NUMBER": _("This card number is not valid."),
    "INVALID_NUMBER_short": _("The card number is incomplete."),
    "INVALID_EXPIRY": _("The card has expired, or the date is not valid."),
    "INVALID_EXPIRY_short": _("The expiry date is incomplete."),
    "INVALID_CVC": _("The security code is not valid."),
    "INVALID_CVC_short": _("The security code is not complete."),
}
"""Of one field; `_short` where it is not complete."""

OUTCOME: dict[str, Promise] = {
    "REFUSED": _("The payment was declined. You have not been charged."),
    "CARD_REFUSED": _("Your bank declined this card. You have not been charged."),
    "INSUFFICIENT_FUNDS": _("This card has insufficient funds. You have not been charged."),
    "EXPIRED_CARD": _("This card has expired. You have not been charged."),
    "INVALID_CVV": _("Your bank does not recognize this security code. You have not been charged."),
    "THREE_DS_REFUSED": _("Your bank could not confirm your identity. You have not been charged."),
    "UNKNOWN_CARD_TYPE": _("The type of this card is unknown. You have not been charged."),
    "CARD_METHOD_NOT_ALLOWED": _("The shop does not accept this type of card. You have not been charged."),
    "TEST_CARD_UNKNOWN": _("This is a sandbox: only test cards work here."),
    "SESSION_INVALID": _("This payment has expired, or has already been decided."),
    "PAYMENT_STATE": _("This payment has expired, or has already been decided."),
    "TOO_MANY_ATTEMPTS": _("Too many cards were tried. Ask the shop for a new payment."),
    "CONNECTION_LOST": _("There is no connection. You have not been charged. Try again."),
    "OUTCOME_UNKNOWN": _("The connection was lost during the payment. Ask the shop before you pay again."),
    "CARD_NEEDED_AGAIN": _(
        "The payment could not be completed on the first try. You have not been charged. Enter your card again."
    ),
    "FIELDS_UNAVAILABLE": _("The card fields could not be loaded. Reload the page."),
}
"""Of a confirmation; REFUSED for any other refusal."""
