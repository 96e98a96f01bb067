"""What services refuse, as a person before a page reads it: the contract's own sentences speak to programs."""

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.base.errors import Refusal
from accounts.waits.errors import WithdrawalsWait

IN_WORDS: dict[str, Promise] = {
    "ONP400_COMPANY_NAME": _("The name cannot hold an internet or e-mail address."),
    "ONP403_KEY_RIGHTS": _(
        "A live key cannot do more with money than you may. Leave out refunds, withdrawals and conversions, or ask an "
        "owner to issue it."
    ),
    "ONP403_ROLE_RIGHTS": _("Nobody gives a role that may do more than their own. Ask an owner."),
    "ONP400_AMOUNT": _("The amount is not one of this currency."),
    "ONP400_BANK_ACCOUNT": _("The account is incomplete, not valid, or of another country."),
    "ONP400_CONVERSION_WALLET": _("Choose two different wallets."),
    "ONP400_DOCUMENT": _("The file cannot be accepted: upload a PDF, PNG or JPEG of at most 10 MB."),
    "ONP400_EVIDENCE": _("A piece of evidence is not valid."),
    "ONP400_PAYER": _("What is said about the payer is incomplete or not valid."),
    "ONP400_QUOTE_TOKEN": _("This quote is not one of ours for this company. Ask for a new one."),
    "ONP400_URL": _("The address is not one on the public internet that we can call."),
    "ONP400_WITHDRAWAL_IP": _(
        "This is not one public IP address. Enter the one from which your backend reaches the internet."
    ),
    "ONP403_ADVANCE_DISABLED": _("Advances are off for this company. Ask support to turn them on."),
    "ONP403_COMPANY_STATUS": _("The company is not active. Complete the verification, or ask support why it stopped."),
    "ONP403_CONVERSION_DISABLED": _("Conversions are off for this company. Ask support to turn them on."),
    "ONP403_METHOD_NOT_ENABLED": _("This way to pay is off for this company and currency."),
    "ONP403_OWN_REQUEST": _("Whoever asked for something does not decide it. Ask a colleague."),
    "ONP403_REFUND_DESTINATION": _(
        "Only an owner or somebody of Finance can refund to a PIX key that is not the payer's own tax id."
    ),
    "ONP403_SANDBOX_ONLY": _("This exists in the sandbox only."),
    "ONP403_WITHDRAWAL_DISABLED": _("Withdrawals are off here. Ask support to turn them, or this rail, on."),
    "ONP403_WAIT_STANDS": _("Only an owner whom the change did not touch, and who was one before, lifts the wait."),
    "ONP404_CONVERSION": _("There is no such conversion here."),
    "ONP404_CUSTOMER": _("There is no such customer here."),
    "ONP404_DELIVERY": _("There is no such delivery; they are kept for 30 days."),
    "ONP404_DOCUMENT": _("There is no such document here."),
    "ONP404_EVENT": _("There is no such event; they are kept for 30 days."),
    "ONP404_PAYMENT": _("There is no such payment here."),
    "ONP404_REFUND": _("There is no such refund here."),
    "ONP404_REQUEST": _("There is no such request: the log keeps those with a valid key, for 30 days as a rule."),
    "ONP404_WEBHOOK": _("There is no such endpoint here; a deleted one is gone."),
    "ONP404_WITHDRAWAL": _("There is no such withdrawal here."),
    "ONP409_ADVANCE_STATE": _("The advance was decided before."),
    "ONP409_CLOCK": _("The clock moves forward only, and at most ten years. Nothing was moved."),
    "ONP409_DUPLICATE_REFERENCE": _(
        "Another withdrawal has this reference. Look it up before you send the money twice."
    ),
    "ONP409_IDEMPOTENCY_CONFLICT": _("This form was sent before with other content. Begin a new one."),
    "ONP409_IDEMPOTENCY_IN_PROGRESS": _("This form is being carried out right now. Look at the list in a moment."),
    "ONP409_LAST_OWNER": _("A company keeps at least one owner. Make somebody else an owner first."),
    "ONP409_MEMBER": _("This person is in the team already. Change their role in the list."),
    "ONP409_PAYMENT_STATE": _("The payment is not in a state that allows this. Look at it again."),
    "ONP409_QUOTE_ALREADY_USED": _("The quote was confirmed before. Ask for a new one."),
    "ONP409_QUOTE_EXPIRED": _("The quote has expired; nothing was converted. Ask for a new one."),
    "ONP409_QUOTE_TERMS_CHANGED": _("The terms have changed; nothing was converted. Ask for a new quote."),
    "ONP409_RATE_CHANGED": _("At the rate of now less would arrive than the least that you accept."),
    "ONP409_RECEIPT_UNAVAILABLE": _("Only a payment that was paid has a receipt."),
    "ONP409_RECEIVABLE_RESERVED": _("The money of this payment is reserved for an advance that is under review."),
    "ONP409_RECEIVABLE_STATE": _("Something of it can no longer be advanced. Look at the list again."),
    "ONP409_REFUND_IN_DISPUTE": _("The payer already asks for this money back. Answer that instead."),
    "ONP409_REFUND_RESPONSE_DEADLINE": _("The time to answer is over: the request was accepted."),
    "ONP409_REFUND_STATE": _("The refund is not in a state that allows this. Look at it again."),
    "ONP409_VERIFICATION_STATE": _("The verification is not in a state that allows this. Look at the page again."),
    "ONP409_WEBHOOK_STATE": _("The endpoint is switched off. Switch it on first."),
    "ONP409_WITHDRAWAL_STATE": _("The withdrawal is not in a state that allows this: look at it again."),
    "ONP410_BOLETO": _("The boleto can no longer be paid."),
    "ONP422_<METHOD>_AMOUNT_TOO_LARGE": _("The amount is above the most that this way to pay takes."),
    "ONP422_<METHOD>_AMOUNT_TOO_SMALL": _(
        "The amount is below the least that this way to pay takes, or does not cover the fee."
    ),
    "ONP422_<METHOD>_REJECTED": _("The payment was refused for good."),
    "ONP422_ADVANCE_AMOUNT_TOO_SMALL": _("That is too little for an advance. Choose more, or what is released later."),
    "ONP422_CONVERSION_AMOUNT_TOO_SMALL": _("The amount comes to zero in the other currency. Convert more."),
    "ONP422_DOCUMENTS": _("There are twenty documents already. Remove one, or put several pages into one PDF."),
    "ONP422_INSUFFICIENT_BALANCE": _("The available balance is too small for this."),
    "ONP422_REFUND_AMOUNT_EXCEEDED": _("That is more than what is left to give back."),
    "ONP422_REFUND_AMOUNT_TOO_SMALL": _(
        "The amount comes to zero in the currency in which the payment was settled. Give back more."
    ),
    "ONP422_REFUND_WINDOW_CLOSED": _(
        "The payment is too old to be given back. Send the payer the money in another way."
    ),
    "ONP422_SIMULATION_CARD": _("Card payments are simulated with the test cards."),
    "ONP422_WEBHOOK_LIMIT": _("There are 20 endpoints: that is the most there can be."),
    "ONP422_WITHDRAWAL_AMOUNT_TOO_LARGE": _("The amount is above the most that this rail takes."),
    "ONP422_WITHDRAWAL_AMOUNT_TOO_SMALL": _("The amount is below the least that this rail takes."),
    "ONP429_COMPANIES": _(
        "Three of your companies wait for their verification. Have one of them verified before you add another."
    ),
    "ONP429_INVITATIONS": _(
        "Too many invitations were sent within a day, or to this address. Send the next one tomorrow."
    ),
    "ONP502_<METHOD>_INVALID_RESPONSE": _("The provider gave no usable answer. Try again in a minute."),
    "ONP503_<METHOD>_TEMPORARILY_UNAVAILABLE": _("This payment method is unavailable now. Try again in a minute."),
    "ONP503_CONVERSION_TEMPORARILY_UNAVAILABLE": _("There is no market rate right now. Ask again in half a minute."),
    "ONP503_WITHDRAWAL_TEMPORARILY_UNAVAILABLE": _(
        "The rail, or the rate it needs, is unavailable now. Nothing was withdrawn. Try again in half a minute."
    ),
}


def _waiting() -> str:
    return gettext(
        "Support changed who may withdraw, or from where: production withdrawals wait until %(until)s. An owner "
        "can lift the wait on the page of the settings."
    )


def in_words(refusal: Refusal) -> str:
    """The refusal for a reader; what has no words of its own here, as the contract says it."""
    if isinstance(refusal, WithdrawalsWait):
        return _waiting() % {"until": refusal.until}
    said = IN_WORDS.get(refusal.code)
    return str(said) if said else f"{refusal.message} {refusal.advice}".strip()
