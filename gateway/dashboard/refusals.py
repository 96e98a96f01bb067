"""Refusals worded for people: the contract's messages address integrators."""

from django.utils import translation
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.base.errors import Refusal
from accounts.waits.errors import WithdrawalsWait

IN_WORDS: dict[str, Promise] = {
    "ONP400_COMPANY_NAME": _("The name must not contain a web or e-mail address."),
    "ONP403_KEY_RIGHTS": _(
        "A live key cannot have more rights over money than you have. Leave out refunds, withdrawals and "
        "conversions, or ask an owner to issue it."
    ),
    "ONP403_ROLE_RIGHTS": _("You cannot grant a role with more rights than your own. Ask an owner."),
    "ONP400_AMOUNT": _("The amount is not valid in this currency."),
    "ONP400_BANK_ACCOUNT": _("The account is incomplete, invalid, or in another country."),
    "ONP400_CONVERSION_WALLET": _("Choose two different wallets."),
    "ONP400_DOCUMENT": _("The file cannot be accepted: upload a PDF, PNG or JPEG of at most 10 MB."),
    "ONP400_LOGO": _("Upload a PNG, JPEG or WebP of at most 2 MB and 9 million pixels."),
    "ONP400_EVIDENCE": _("An item of evidence is not valid, or the acquirer does not take it."),
    "ONP400_PAYER": _("The payer's details are incomplete or invalid."),
    "ONP400_PAYMENT_LINK": _("The payment link cannot be made like this."),
    "ONP400_QUOTE_TOKEN": _("This quote does not belong to this company. Request a new one."),
    "ONP400_URL": _("The URL cannot be reached on the public internet."),
    "ONP400_WITHDRAWAL_IP": _(
        "This is not a single public IP address. Enter the one from which your backend reaches the internet."
    ),
    "ONP403_ADVANCE_DISABLED": _("Advances are not enabled for this company. Ask support to enable them."),
    "ONP403_COMPANY_STATUS": _(
        "The company is not active. Complete the verification, or ask support why it was suspended."
    ),
    "ONP403_CONVERSION_DISABLED": _("Conversions are not enabled for this company. Ask support to enable them."),
    "ONP403_METHOD_NOT_ENABLED": _("This payment method is not enabled for this company and currency."),
    "ONP403_OWN_REQUEST": _("You cannot approve your own request. Ask a colleague to review it."),
    "ONP403_REFUND_DESTINATION": _(
        "Only an owner or a member of Finance can refund to a PIX key other than the payer's own tax id."
    ),
    "ONP403_SANDBOX_ONLY": _("This is available only in the sandbox."),
    "ONP403_WITHDRAWAL_DISABLED": _("Withdrawals, or this rail, are not enabled here. Ask support to enable them."),
    "ONP403_WITHDRAWAL_NOT_CONNECTED": _("No provider is connected for this withdrawal. Ask support to connect one."),
    "ONP403_WAIT_STANDS": _(
        "Only an owner who was already an owner before the change, and whom it did not "
        "affect, can lift the waiting period."
    ),
    "ONP404_BULK_FILE": _("File not found: one that nobody confirms is deleted after an hour."),
    "ONP404_CONVERSION": _("Conversion not found."),
    "ONP404_CUSTOMER": _("Customer not found."),
    "ONP404_DELIVERY": _("Delivery not found: deliveries are kept for 30 days."),
    "ONP404_DOCUMENT": _("Document not found."),
    "ONP404_EVENT": _("Event not found: events are kept for 30 days."),
    "ONP404_PAYOUT_SCHEDULE": _("Schedule not found."),
    "ONP404_PAYMENT_LINK": _("Payment link not found."),
    "ONP404_PAYMENT": _("Payment not found."),
    "ONP404_READINESS_CHECK": _("Readiness check not found."),
    "ONP404_REFUND": _("Refund not found."),
    "ONP404_REQUEST": _("Request not found: the log keeps requests made with a valid key, normally for 30 days."),
    "ONP404_WEBHOOK": _("Endpoint not found: a deleted endpoint cannot be recovered."),
    "ONP404_WITHDRAWAL": _("Withdrawal not found."),
    "ONP409_ADVANCE_STATE": _("This advance has already been decided."),
    "ONP409_BULK_FILE_CHANGED": _(
        "What waits for approval in this file has changed since the page was opened. Open it again, then decide."
    ),
    "ONP409_BULK_FILE_REVIEW": _("Compare the lines that are listed, then tick the box."),
    "ONP409_BULK_FILE_STATE": _("This file was confirmed already, or checked more than an hour ago: upload it again."),
    "ONP409_CLOCK": _("The clock can only move forward, and at most ten years. Nothing was changed."),
    "ONP409_DUPLICATE_REFERENCE": _(
        "Another withdrawal already uses this reference. Look it up before you send the money twice."
    ),
    "ONP409_IDEMPOTENCY_CONFLICT": _("This form was already submitted with other content. Start a new one."),
    "ONP409_IDEMPOTENCY_IN_PROGRESS": _("This form is being processed. Check the list in a moment."),
    "ONP409_LAST_OWNER": _("A company must have at least one owner. Make somebody else an owner first."),
    "ONP409_MEMBER": _("This person is already on the team. Change their role in the list."),
    "ONP409_PAYMENT_LINK_IN_USE": _("Somebody is paying this link at the moment."),
    "ONP409_PAYMENT_LINK_STATE": _("The link's status does not allow this. Reload it."),
    "ONP409_PAYMENT_BUSY": _("Another process is querying the provider right now. Look again in a minute."),
    "ONP409_PAYMENT_STATE": _("The payment's status does not allow this. Reload it."),
    "ONP409_MONTH_STATE": _("The month is not over yet, is closed already, or has nothing in the books."),
    "ONP409_PAYOUT_SCHEDULE": _("This wallet already has a schedule. End it first."),
    "ONP409_QUOTE_ALREADY_USED": _("This quote was already confirmed. Request a new one."),
    "ONP409_QUOTE_EXPIRED": _("The quote has expired; nothing was converted. Request a new one."),
    "ONP409_QUOTE_TERMS_CHANGED": _("The terms have changed; nothing was converted. Request a new quote."),
    "ONP409_RATE_CHANGED": _("At the current rate the beneficiary would get less than your minimum."),
    "ONP409_READINESS_CHECK": _("A readiness check is running already. Finish it first."),
    "ONP409_RECEIPT_UNAVAILABLE": _("Receipts exist only for paid payments."),
    "ONP409_RECEIVABLE_RESERVED": _("This payment's money is reserved for an advance that is under review."),
    "ONP409_RECEIVABLE_STATE": _("Some of the selected receivables can no longer be advanced. Reload the list."),
    "ONP409_REFUND_IN_DISPUTE": _("The payer has already disputed this payment. Respond to the dispute instead."),
    "ONP409_REFUND_RESPONSE_DEADLINE": _("The deadline to respond has passed: the refund request was accepted."),
    "ONP409_REFUND_STATE": _("The refund's status does not allow this. Reload it."),
    "ONP409_VERIFICATION_STATE": _("The verification's status does not allow this. Reload the page."),
    "ONP409_WEBHOOK_STATE": _("The endpoint is disabled. Enable it first."),
    "ONP400_WITHDRAWAL_RULES": _("These rules cannot work: more people must approve than there are approvers."),
    "ONP403_APPROVER": _(
        "You do not approve withdrawals under your company's rules, or not yet: a new role counts after 48 hours."
    ),
    "ONP403_BENEFICIARY_COOLING_OFF": _(
        "This beneficiary is new. Your rules allow withdrawals after its cooling-off time."
    ),
    "ONP403_BENEFICIARY_UNKNOWN": _(
        "Your rules allow withdrawals to beneficiaries only. Add the account to them first."
    ),
    "ONP403_OWN_APPROVAL": _("You, or a key of yours, asked for this withdrawal. Another person must approve it."),
    "ONP403_WITHDRAWAL_RULES": _(
        "Another owner must agree, who has been an owner for 48 hours or since before the rules."
    ),
    "ONP409_APPROVAL_GIVEN": _("You, or a key of yours, have already approved this withdrawal."),
    "ONP409_APPROVAL_STATE": _("The withdrawal does not wait for approval any more. Reload it."),
    "ONP409_BENEFICIARY": _("This account is already one of your beneficiaries."),
    "ONP409_WITHDRAWAL_RULES": _("These rules have been replaced, stopped or put in force. Reload the page."),
    "ONP409_WITHDRAWAL_UNAPPROVED": _("The withdrawal waits for approval: it can only fail."),
    "ONP422_BENEFICIARY_LIMIT": _("You have 5,000 beneficiaries, the maximum. Remove some first."),
    "ONP422_WITHDRAWAL_BENEFICIARY_LIMIT": _("This exceeds your own limit for one beneficiary in 24 hours."),
    "ONP422_WITHDRAWAL_DAY_LIMIT": _("This exceeds your own limit for withdrawals in 24 hours."),
    "ONP409_WITHDRAWAL_STATE": _("The withdrawal's status does not allow this. Reload it."),
    "ONP410_BOLETO": _("The boleto can no longer be paid."),
    "ONP422_<METHOD>_AMOUNT_TOO_LARGE": _("The amount exceeds the maximum of this payment method."),
    "ONP422_<METHOD>_AMOUNT_TOO_SMALL": _(
        "The amount is below the minimum of this payment method, or does not cover the fee."
    ),
    "ONP422_<METHOD>_REJECTED": _("The payment was declined."),
    "ONP422_ADVANCE_AMOUNT_TOO_SMALL": _(
        "The amount is too small for an advance. Choose more receivables, or ones that are released later."
    ),
    "ONP422_CONVERSION_AMOUNT_TOO_SMALL": _(
        "The amount rounds to zero in the destination currency. Convert a larger amount."
    ),
    "ONP422_DOCUMENTS": _("You have already uploaded 20 documents. Remove one, or combine several pages into one PDF."),
    "ONP422_INSUFFICIENT_BALANCE": _("Insufficient available balance."),
    "ONP422_REFUND_AMOUNT_EXCEEDED": _("The amount exceeds what is left to refund."),
    "ONP422_REFUND_AMOUNT_TOO_SMALL": _(
        "The amount rounds to zero in the currency in which the payment was settled. Refund a larger amount."
    ),
    "ONP422_REFUND_WINDOW_CLOSED": _(
        "The refund window of this payment has closed. Send the money to the payer in another way."
    ),
    "ONP422_SIMULATION_CARD": _("Card payments cannot be simulated here: use the test cards."),
    "ONP422_WEBHOOK_LIMIT": _("You already have 20 endpoints, the maximum."),
    "ONP422_WITHDRAWAL_AMOUNT_TOO_LARGE": _("The amount exceeds the maximum of this rail."),
    "ONP422_WITHDRAWAL_AMOUNT_TOO_SMALL": _("The amount is below the minimum of this rail."),
    "ONP429_COMPANIES": _(
        "You already have three companies awaiting verification. Have one of them verified before you add another."
    ),
    "ONP429_INVITATIONS": _("Too many invitations were sent today, or to this address. Send the next one tomorrow."),
    "ONP502_<METHOD>_INVALID_RESPONSE": _("The payment provider returned an invalid response. Try again in a minute."),
    "ONP503_<METHOD>_TEMPORARILY_UNAVAILABLE": _(
        "This payment method is temporarily unavailable. Try again in a minute."
    ),
    "ONP503_CONVERSION_TEMPORARILY_UNAVAILABLE": _("No recent market rate is available. Try again in half a minute."),
    "ONP503_WITHDRAWAL_TEMPORARILY_UNAVAILABLE": _(
        "The rail, or the rate it needs, is temporarily unavailable. Nothing was withdrawn. Try again in half a minute."
    ),
}


def _waiting() -> str:
    return gettext(
        "Support changed who may withdraw, or from where: production withdrawals are paused until %(until)s. An "
        "owner can lift the waiting period in the settings."
    )


def in_words(refusal: Refusal) -> str:
    """The refusal for a reader; without a wording here, the contract's message and advice."""
    if isinstance(refusal, WithdrawalsWait):
        return _waiting() % {"until": refusal.until}
    words = IN_WORDS.get(refusal.code)
    if words:
        return str(words)
    return " ".join(translation.gettext(said) for said in (refusal.message, refusal.advice) if said)
