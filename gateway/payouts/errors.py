"""Refusals of payout rails."""

from django.utils.translation import gettext_noop as _

from accounts.base.errors import InvalidRequest, Refusal


class InvalidPixKey(InvalidRequest):
    code = "ONP400_PIX_KEY"
    message = _("The PIX key is invalid or does not match its type.")


class InvalidClabe(InvalidRequest):
    code = "ONP400_CLABE"
    message = _("The CLABE must be 18 digits with a valid check digit.")


class InvalidBankAccount(InvalidRequest):
    code = "ONP400_BANK_ACCOUNT"
    message = _("The beneficiary's account is incomplete, invalid, or in a country that does not match the currency.")


class InvalidCryptoAddress(InvalidRequest):
    code = "ONP400_CRYPTO_ADDRESS"
    message = _("The address is not a valid mainnet address of this network, or it belongs to us.")


class InvalidCryptoNetwork(InvalidRequest):
    code = "ONP400_CRYPTO_NETWORK"
    message = _("This asset cannot be paid out over this network.")


class WithdrawalDisabled(Refusal):
    code = "ONP403_WITHDRAWAL_DISABLED"
    message = _("Withdrawals are not enabled for this company, or not for this rail and currency.")
    advice = _("Ask support to enable withdrawals or the rail named in error.field.")


class WithdrawalNotConnected(Refusal):
    code = "ONP403_WITHDRAWAL_NOT_CONNECTED"
    message = _("No provider is connected for withdrawals over this rail, in this currency and of this amount.")
    advice = _("Ask support to connect a provider; repeating the request is no use.")


class WithdrawalTooSmall(Refusal):
    code = "ONP422_WITHDRAWAL_AMOUNT_TOO_SMALL"
    message = _("The amount is below the minimum of the rail, or nothing would be left for the beneficiary.")
    advice = _("Raise the amount and use a new idempotency key; a preflight shows the limits.")


class WithdrawalTooLarge(Refusal):
    code = "ONP422_WITHDRAWAL_AMOUNT_TOO_LARGE"
    message = _("The amount exceeds the maximum of the rail.")
    advice = _("Lower the amount and use a new idempotency key; a preflight shows the limits.")


class PayoutUnavailable(Refusal):
    code = "ONP503_WITHDRAWAL_TEMPORARILY_UNAVAILABLE"
    message = _("The rail, or the rate it needs, is temporarily unavailable; nothing was withdrawn.")
    advice = _("Send the same request again with the same key after retryAfter seconds, with backoff and jitter.")
    retryable = True
    retry_after_s = 30
