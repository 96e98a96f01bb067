"""Refusals of payments."""

from django.utils.translation import gettext_noop as _

from accounts.base.errors import InvalidRequest, MethodRefusal, Refusal


class InvalidMethod(InvalidRequest):
    code = "ONP400_METHOD"
    message = _("The payment method is missing or unknown.")


class InvalidAmount(InvalidRequest):
    code = "ONP400_AMOUNT"
    message = _("The amount must be a positive JSON number with no more decimals than its currency has.")
    advice = _("Send 150.00, without quotation marks; the client libraries write it so for you.")


class InvalidCurrency(InvalidRequest):
    code = "ONP400_CURRENCY"
    message = _("The currency is missing, unknown, or not available for this method.")


class InvalidReference(InvalidRequest):
    code = "ONP400_REFERENCE"
    message = _("The reference must be 1 to 128 characters long.")


class InvalidPayer(InvalidRequest):
    code = "ONP400_PAYER"
    message = _("The payer's details are incomplete or invalid.")
    advice = _("error.fields says what is wrong with each member; GET /payment-methods names what the method requires.")


class BoletoIncomplete(InvalidRequest):
    code = "ONP400_BOLETO"
    message = _("Required boleto fields are missing.")
    advice = _("error.fields lists every missing field; add them and send the request again.")


class InvalidDueDate(InvalidRequest):
    code = "ONP400_DUE_DATE"
    message = _("The due date must be between today and one year from today.")


class InvalidReturnUrl(InvalidRequest):
    code = "ONP400_RETURN_URL"
    message = _("The return URL is missing or is not an HTTPS URL.")


class InvalidExpiresIn(InvalidRequest):
    code = "ONP400_EXPIRES_IN"
    message = _("expiresIn is outside the range of the payment method, or was sent together with dueDate.")


class InvalidPaymentMethodToken(InvalidRequest):
    code = "ONP400_PAYMENT_METHOD_TOKEN"
    message = _("paymentMethodToken can only be used with cards.")


class CompanyNotActive(Refusal):
    code = "ONP403_COMPANY_STATUS"
    message = _("The company is not active.")
    advice = _("Complete the verification, or ask support why the company is suspended.")


class TokensNotEnabled(Refusal):
    code = "ONP403_TOKENS_NOT_ENABLED"
    message = _("Saved cards are not enabled for this company.")
    advice = _("Ask support to enable them, or omit paymentMethodToken to use secure fields.")


class SandboxOnly(Refusal):
    code = "ONP403_SANDBOX_ONLY"
    message = _("Simulations are available only in the sandbox.")
    advice = _("Use a sandbox key.")


class PaymentUnknown(Refusal):
    code = "ONP404_PAYMENT"
    message = _("Payment not found.")
    advice = _("Check the id, and the environment of your key.")


class BoletoGone(Refusal):
    code = "ONP410_BOLETO"
    message = _("The boleto can no longer be paid.")
    advice = _("Create a new payment; this one has expired or failed.")


class DuplicateReference(Refusal):
    code = "ONP409_DUPLICATE_REFERENCE"
    message = _("This reference is already in use.")
    advice = _(
        "Look the existing record up before you charge again; a reference is free again after FAILED or EXPIRED. "
        "POST /payments/{id}/expire ends an open payment."
    )


class PaymentState(Refusal):
    code = "ONP409_PAYMENT_STATE"
    message = _("The payment's status does not allow this.")
    advice = _("error.paymentStatus is the status it has; a final one does not change.")


class PaymentBusy(Refusal):
    code = "ONP409_PAYMENT_BUSY"
    message = _("The provider of the payment is being asked about it right now.")
    advice = _("Repeat the same request with the same key after retryAfter seconds.")
    retryable = True
    retry_after_s = 2
    final = False


class OutcomeNotForStaff(Refusal):
    code = "ONP409_PAYMENT_OUTCOME"
    message = _("Staff do not decide the outcome of this payment.")
    advice = _("Its provider or simulator is asked. Staff decide once the outcome stays unclear past its deadline.")


class PaymentOver(Refusal):
    code = "ONP409_PAYMENT_OVER"
    message = _("The payment ended before the money was recorded.")
    advice = _("Enter the money on the page of the provider account: it is held in suspense until two people decide.")


class InvalidBankReference(Refusal):
    code = "ONP422_BANK_REFERENCE"
    message = _("The bank reference does not have the form that this payment method gives it.")
    advice = _("Copy it from the bank's statement: the end-to-end id of a PIX, the tracking key of a SPEI transfer.")


class BankReferenceUsed(Refusal):
    code = "ONP409_BANK_REFERENCE"
    message = _("Money with this bank reference has already paid another payment, or was held in suspense.")
    advice = _("Search for the reference, and compare both with the statement. One transfer pays one payment.")


class OtherAmountReceived(Refusal):
    code = "ONP422_OTHER_AMOUNT_RECEIVED"
    message = _("The amount received is not the amount of the payment.")
    advice = _(
        "Record exact amounts only. Enter other money on the page of the provider account: it is held in suspense."
    )


class PaymentMethodTokenInvalid(MethodRefusal):
    code = "ONP422_<METHOD>_PAYMENT_METHOD_TOKEN_INVALID"
    message = _("No such saved card for this company and environment.")
    advice = _("Use a token of the same environment, or omit it to use secure fields.")
    methods = ("CREDIT_CARD", "DEBIT_CARD")


class SimulationOfCard(Refusal):
    code = "ONP422_SIMULATION_CARD"
    message = _("Card payments cannot be simulated here.")
    advice = _("Pay with a test card in the browser; without one, with a saved card such as pmt_sandbox_approved.")
