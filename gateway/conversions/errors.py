"""What conversions refuse."""

from accounts.base.errors import InvalidRequest, Refusal


class InvalidQuoteToken(InvalidRequest):
    code = "ONP400_QUOTE_TOKEN"
    message = "The quote is altered, malformed, or of another company or environment."
    advice = "Confirm the quoteToken exactly as it was answered, with a key of the same company and environment."


class InvalidWallet(InvalidRequest):
    code = "ONP400_CONVERSION_WALLET"
    message = "The wallet is not known, or is converted into itself."
    advice = "Name two different wallets of GET /companies/{companyId}/balance."


class CurrencyRequired(InvalidRequest):
    code = "ONP400_CONVERSION_CURRENCY_REQUIRED"
    message = "The method names more than one wallet of the company."
    advice = "Add sourceCurrency or destinationCurrency, as error.field says."


class ConversionDisabled(Refusal):
    code = "ONP403_CONVERSION_DISABLED"
    message = "The company may not convert."
    advice = "Ask support to enable conversions."


class ConversionUnknown(Refusal):
    code = "ONP404_CONVERSION"
    message = "There is no such conversion."
    advice = "Compare the id, and the environment of the key."


class QuoteExpired(Refusal):
    code = "ONP409_QUOTE_EXPIRED"
    message = "The quote has expired; nothing was converted."
    advice = "Ask for a new quote with a new idempotency key."


class QuoteTermsChanged(Refusal):
    code = "ONP409_QUOTE_TERMS_CHANGED"
    message = "The terms of the quote no longer hold; nothing was converted."
    advice = "Ask for a new quote with a new idempotency key."


class QuoteAlreadyUsed(Refusal):
    code = "ONP409_QUOTE_ALREADY_USED"
    message = "The quote was confirmed before under another idempotency key."
    advice = "error.conversionId names the conversion. For another one ask for a new quote."


class ConversionTooSmall(Refusal):
    code = "ONP422_CONVERSION_AMOUNT_TOO_SMALL"
    message = "The amount is nothing in the destination's currency."
    advice = "Raise the amount and use a new idempotency key."


class ConversionUnavailable(Refusal):
    code = "ONP503_CONVERSION_TEMPORARILY_UNAVAILABLE"
    message = "There is no market rate of the last minutes."
    advice = "Repeat the same request with the same key after retryAfter seconds, with backoff and jitter."
    retryable = True
    retry_after_s = 30
