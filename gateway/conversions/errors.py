"""Refusals of conversions."""

from django.utils.translation import gettext_noop as _

from accounts.base.errors import InvalidRequest, Refusal


class InvalidQuoteToken(InvalidRequest):
    code = "ONP400_QUOTE_TOKEN"
    message = _("The quote token is malformed, was altered, or belongs to another company or environment.")
    advice = _("Send quoteToken exactly as you received it, with a key of the same company and environment.")


class InvalidWallet(InvalidRequest):
    code = "ONP400_CONVERSION_WALLET"
    message = _("The wallet does not exist, or source and destination are the same wallet.")
    advice = _("Name two different wallets from GET /companies/{companyId}/balance.")


class CurrencyRequired(InvalidRequest):
    code = "ONP400_CONVERSION_CURRENCY_REQUIRED"
    message = _("The company has more than one wallet for this method.")
    advice = _("Add sourceCurrency or destinationCurrency, as named in error.field.")


class ConversionDisabled(Refusal):
    code = "ONP403_CONVERSION_DISABLED"
    message = _("Conversions are not enabled for this company.")
    advice = _("Ask support to enable conversions.")


class ConversionUnknown(Refusal):
    code = "ONP404_CONVERSION"
    message = _("Conversion not found.")
    advice = _("Check the id, and the environment of your key.")


class QuoteExpired(Refusal):
    code = "ONP409_QUOTE_EXPIRED"
    message = _("The quote has expired; nothing was converted.")
    advice = _("Request a new quote with a new idempotency key.")


class QuoteTermsChanged(Refusal):
    code = "ONP409_QUOTE_TERMS_CHANGED"
    message = _("The terms of the quote have changed; nothing was converted.")
    advice = _("Request a new quote with a new idempotency key.")


class QuoteAlreadyUsed(Refusal):
    code = "ONP409_QUOTE_ALREADY_USED"
    message = _("This quote was already confirmed with another idempotency key.")
    advice = _("error.conversionId names the conversion. Request a new quote for another one.")


class ConversionTooSmall(Refusal):
    code = "ONP422_CONVERSION_AMOUNT_TOO_SMALL"
    message = _("The amount rounds to zero in the destination currency.")
    advice = _("Raise the amount and use a new idempotency key.")


class ConversionUnavailable(Refusal):
    code = "ONP503_CONVERSION_TEMPORARILY_UNAVAILABLE"
    message = _("No recent market rate is available.")
    advice = _("Send the same request again with the same key after retryAfter seconds, with backoff and jitter.")
    retryable = True
    retry_after_s = 30
