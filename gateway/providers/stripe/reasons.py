"""Why Stripe did not authorize a card, sorted by who refused it.

The lists: docs.stripe.com/error-codes and docs.stripe.com/declines/codes.
"""

from gateway.methods.rail import PaymentResult
from gateway.providers.stripe.api import Refused
from gateway.providers.stripe.shapes import LastError

Failure = tuple[str, str]
CARD_REFUSED: Failure = ("CARD_REFUSED", "The card's bank refused the payment.")
THREE_DS_REFUSED: Failure = ("THREE_DS_REFUSED", "The holder's confirmation was refused.")
ACQUIRER_REFUSED: Failure = ("ACQUIRER_REFUSED", "The acquirer did not process the payment.")
CANCELED: Failure = ("CANCELED_AT_ACQUIRER", "The payment was canceled at the acquirer.")
_FRAUD: Failure = ("SUSPECTED_FRAUD", "The payment was refused as possible fraud.")
_FUNDS: Failure = ("INSUFFICIENT_FUNDS", "The card does not have enough funds.")
_EXPIRED: Failure = ("EXPIRED_CARD", "The card has expired.")
_CVC: Failure = ("INVALID_CVV", "The security code is wrong.")
_NUMBER: Failure = ("INVALID_CARD_NUMBER", "The card number is wrong.")
BY_ISSUER: dict[str, Failure] = {
    "insufficient_funds": _FUNDS,
    "withdrawal_count_limit_exceeded": _FUNDS,
    "card_velocity_exceeded": _FUNDS,
    "expired_card": _EXPIRED,
    "invalid_expiry_month": _EXPIRED,
    "invalid_expiry_year": _EXPIRED,
    "incorrect_cvc": _CVC,
    "invalid_cvc": _CVC,
    "incorrect_number": _NUMBER,
    "invalid_number": _NUMBER,
    "fraudulent": _FRAUD,
    "merchant_blacklist": _FRAUD,
    "stolen_card": _FRAUD,
    "lost_card": _FRAUD,
    "pickup_card": _FRAUD,
    "authentication_required": THREE_DS_REFUSED,
    "payment_intent_authentication_failure": THREE_DS_REFUSED,
}
"""Decline codes and error codes that merchants can tell apart; all others of the issuer are CARD_REFUSED."""
NOT_PROCESSED = ("processing_error", "issuer_not_available", "try_again_later", "reenter_transaction")
"""Nobody decided about the card."""


def of_error(error: LastError) -> tuple[PaymentResult, Failure]:
    """DECLINED by the issuer, or REFUSED by Stripe. Stripe calls a refused 3DS an error of the request."""
    codes = [code for code in (error.decline_code, error.code) if code]
    known = next((BY_ISSUER[code] for code in codes if code in BY_ISSUER), None)
    is_processed = error.type == "card_error" and not any(code in NOT_PROCESSED for code in codes)
    if known is None and not is_processed:
        return PaymentResult.REFUSED, ACQUIRER_REFUSED
    return PaymentResult.DECLINED, known or CARD_REFUSED


def of_decline(refused: Refused) -> tuple[PaymentResult, Failure]:
    """Why a saved card was not charged."""
    return of_error(LastError("card_error", refused.code, refused.decline_code))


def of_refusal(refused: Refused) -> Failure:
    """Why a request was not carried out."""
    if refused.code == "amount_too_small":
        return "AMOUNT_TOO_SMALL", "The amount is below the acquirer's minimum."
    code = "".join(one for one in refused.code if one.isalnum() or one == "_")[:60]
    return "ACQUIRER_REFUSED", f"The acquirer did not accept the request ({code or refused.status})."
