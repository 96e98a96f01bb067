"""Why payments failed, by failure code: one plain sentence each, for people of companies and of support."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

FAILURE: dict[str, Promise] = {
    "ACQUIRER_REFUSED": _("The provider did not process the payment."),
    "AMOUNT_TOO_SMALL": _("The amount was below the provider's minimum."),
    "CANCELED_AT_ACQUIRER": _("The payment was canceled at the provider."),
    "CANCELED_BY_PAYER": _("The payer canceled."),
    "CAPTURE_FAILED": _("The authorized amount could not be captured."),
    "CARD_METHOD_NOT_ALLOWED": _("The company does not accept this type of card."),
    "CARD_REFUSED": _("The card's bank declined the payment."),
    "CARD_SESSION_UNAVAILABLE": _("The card fields could not be prepared in time."),
    "EXPIRED_CARD": _("The card had expired."),
    "INSUFFICIENT_FUNDS": _("The card had insufficient funds."),
    "INVALID_CARD_NUMBER": _("The card number was wrong."),
    "INVALID_CVV": _("The security code was wrong."),
    "NOT_PAID": _("No payment was received."),
    "PAYER_REJECTED": _("The payer rejected the payment."),
    "PAYMENT_REFUSED": _("The payer's bank declined the payment."),
    "PROVIDER_REFUSED": _("No provider accepted the payment."),
    "SIMULATED": _("The failure was simulated."),
    "SUSPECTED_FRAUD": _("The payment was declined as possible fraud."),
    "THREE_DS_REFUSED": _("The cardholder's confirmation failed."),
    "UNKNOWN_CARD_TYPE": _("The type of the card was unknown."),
}
OTHERWISE = _("The provider gave another reason.")


def sentence_of(failure_code: str) -> str:
    return str(FAILURE.get(failure_code, OTHERWISE))
