"""Why Adyen did not do what was asked, sorted by what may happen next. What stands in no list is unclear.

The lists: docs.adyen.com/development-resources/refusal-reasons and docs.adyen.com/development-resources/error-codes.
"""

from gateway.methods.rail import PaymentOutcome, PaymentResult
from gateway.providers.adyen.shapes import Refused
from gateway.providers.errors import Unclear

BY_PAYER = {
    "2": ("CARD_REFUSED", "The payer's bank refused the payment."),
    "3": ("CARD_REFUSED", "The payer's bank refused the payment."),
    "5": ("CARD_REFUSED", "The card is blocked."),
    "6": ("EXPIRED_CARD", "The card has expired."),
    "8": ("INVALID_CARD_NUMBER", "The card number is wrong."),
    "10": ("CARD_REFUSED", "The payer's bank does not allow this kind of payment."),
    "11": ("THREE_DS_REFUSED", "The holder's confirmation was refused."),
    "12": ("INSUFFICIENT_FUNDS", "The payer does not have enough funds."),
    "14": ("SUSPECTED_FRAUD", "The payment was refused as possible fraud."),
    "15": ("CANCELED_BY_PAYER", "The payment was canceled."),
    "16": ("CANCELED_BY_PAYER", "The payer canceled the payment."),
    "17": ("CARD_REFUSED", "The PIN is wrong."),
    "18": ("CARD_REFUSED", "The PIN was wrong too often."),
    "19": ("CARD_REFUSED", "The PIN could not be verified."),
    "20": ("SUSPECTED_FRAUD", "The payment was refused as possible fraud."),
    "22": ("SUSPECTED_FRAUD", "The payment was refused as possible fraud."),
    "23": ("CARD_REFUSED", "The payer's bank does not allow this payment."),
    "24": ("INVALID_CVV", "The security code is wrong."),
    "25": ("CARD_REFUSED", "The card may not be used for this."),
    "26": ("CARD_REFUSED", "The payer's bank revoked the authorization."),
    "27": ("CARD_REFUSED", "The payer's bank refused the payment."),
    "28": ("INSUFFICIENT_FUNDS", "The amount exceeds a limit of the card."),
    "29": ("CARD_REFUSED", "The card was used too often."),
    "31": ("SUSPECTED_FRAUD", "The payer's bank suspects fraud."),
    "32": ("CARD_REFUSED", "The address is not that of the card."),
    "33": ("CARD_REFUSED", "The card needs a PIN."),
    "34": ("CARD_REFUSED", "The card has no checking account."),
    "35": ("CARD_REFUSED", "The card has no savings account."),
    "36": ("CARD_REFUSED", "The card needs a PIN on the phone."),
    "38": ("THREE_DS_REFUSED", "The payer's bank demands a confirmation."),
    "39": ("THREE_DS_REFUSED", "The holder's confirmation did not arrive."),
    "42": ("THREE_DS_REFUSED", "The holder's confirmation failed."),
    "46": ("CARD_REFUSED", "The card was refused too often."),
}
"""`refusalReasonCode` → our failure. The payer's bank, the payer or a check against fraud decided: that is final."""
NOT_PROCESSED = ("4", "7", "9", "21")
"""Acquirer error, invalid amount, issuer unavailable, not submitted: another acquirer may be asked."""
NEVER_STARTED = {"validation", "configuration", "security"}
"""`errorType` of a request that was not carried out."""
IN_PROGRESS = "704"
"""`errorCode`: the request was processed already, or is in progress."""
INVALID_AMOUNT = "137"


def of_result(result: str, reason: str, psp: str | None) -> PaymentOutcome:
    """The outcome of a payment that was not authorized. Raises Unclear."""
    if result not in ("Refused", "Cancelled", "Error"):
        raise Unclear(f"the result is {result[:40]}")
    if reason in NOT_PROCESSED:
        failure = ("ACQUIRER_REFUSED", f"The acquirer did not process the payment ({reason}).")
        return PaymentOutcome(PaymentResult.REFUSED, failure=failure, reference=psp)
    if reason in BY_PAYER and result != "Error":
        return PaymentOutcome(PaymentResult.DECLINED, failure=BY_PAYER[reason], reference=psp)
    raise Unclear(f"the payment is {result} for the reason {reason[:10]}")


def of_refusal(refused: Refused) -> tuple[str, str]:
    """The failure of a request that was definitely not carried out. Raises Unclear."""
    if refused.type not in NEVER_STARTED or refused.code == IN_PROGRESS or refused.status not in (400, 401, 403, 422):
        raise Unclear(f"HTTP {refused.status}, error {refused.code} ({refused.type})")
    if refused.code == INVALID_AMOUNT:
        return "AMOUNT_TOO_SMALL", "The acquirer does not take an amount like this."
    return "ACQUIRER_REFUSED", f"The acquirer did not accept the request (error {refused.code})."
