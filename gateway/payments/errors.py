"""What payments refuse."""

from accounts.base.errors import InvalidRequest, MethodRefusal, Refusal


class InvalidMethod(InvalidRequest):
    code = "ONP400_METHOD"
    message = "The payment method is missing or not known."


class InvalidAmount(InvalidRequest):
    code = "ONP400_AMOUNT"
    message = "The amount is not a positive JSON number with the decimals of its currency."


class InvalidCurrency(InvalidRequest):
    code = "ONP400_CURRENCY"
    message = "The currency is missing, not known, or not one of the method."


class InvalidReference(InvalidRequest):
    code = "ONP400_REFERENCE"
    message = "The reference is missing or not 1 to 128 characters."


class InvalidPayer(InvalidRequest):
    code = "ONP400_PAYER"
    message = "The payer's data is incomplete or not valid."


class BoletoIncomplete(InvalidRequest):
    code = "ONP400_BOLETO"
    message = "Required boleto fields are missing."
    advice = "error.fields lists every missing member; add them and send the request again."


class InvalidDueDate(InvalidRequest):
    code = "ONP400_DUE_DATE"
    message = "The due date is not a date from today to a year ahead."


class InvalidReturnUrl(InvalidRequest):
    code = "ONP400_RETURN_URL"
    message = "The return address is missing or not an HTTPS address."


class InvalidExpiresIn(InvalidRequest):
    code = "ONP400_EXPIRES_IN"
    message = "The payer's time is out of the method's range."


class InvalidPaymentMethodToken(InvalidRequest):
    code = "ONP400_PAYMENT_METHOD_TOKEN"
    message = "A payment method token belongs to cards."


class CompanyNotActive(Refusal):
    code = "ONP403_COMPANY_STATUS"
    message = "The company is not active."
    advice = "Complete the verification, or ask support why the company is suspended."


class TokensNotEnabled(Refusal):
    code = "ONP403_TOKENS_NOT_ENABLED"
    message = "Stored cards are not enabled for this company."
    advice = "Ask support to enable them, or omit paymentMethodToken to start secure fields."


class SandboxOnly(Refusal):
    code = "ONP403_SANDBOX_ONLY"
    message = "Simulations exist in the sandbox only."
    advice = "Use a sandbox key."


class PaymentUnknown(Refusal):
    code = "ONP404_PAYMENT"
    message = "There is no such payment."
    advice = "Compare the id, and the environment of the key."


class BoletoGone(Refusal):
    code = "ONP410_BOLETO"
    message = "The boleto can no longer be paid."
    advice = "Create a new payment; this one has expired or failed."


class DuplicateReference(Refusal):
    code = "ONP409_DUPLICATE_REFERENCE"
    message = "Another live record has this reference."
    advice = "Look the record up before you charge again; after FAILED or EXPIRED the reference is free."


class PaymentState(Refusal):
    code = "ONP409_PAYMENT_STATE"
    message = "The payment is not in a state that allows this."
    advice = "Look the payment up; a final status does not change."


class PaymentMethodTokenInvalid(MethodRefusal):
    code = "ONP422_<METHOD>_PAYMENT_METHOD_TOKEN_INVALID"
    message = "There is no such stored card for this company and environment."
    advice = "Use a token of the same environment, or omit it to start secure fields."
    methods = ("CREDIT_CARD", "DEBIT_CARD")


class SimulationOfCard(Refusal):
    code = "ONP422_SIMULATION_CARD"
    message = "Card payments are not simulated."
    advice = "Use the test card numbers."
