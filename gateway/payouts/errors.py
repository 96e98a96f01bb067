"""Refusals of payout rails."""

from accounts.base.errors import InvalidRequest, Refusal


class InvalidPixKey(InvalidRequest):
    code = "ONP400_PIX_KEY"
    message = "The PIX key is invalid or does not match its type."


class InvalidClabe(InvalidRequest):
    code = "ONP400_CLABE"
    message = "The CLABE must be 18 digits with a valid check digit."


class InvalidBankAccount(InvalidRequest):
    code = "ONP400_BANK_ACCOUNT"
    message = "The beneficiary's account is incomplete, invalid, or in a country that does not match the currency."


class InvalidCryptoAddress(InvalidRequest):
    code = "ONP400_CRYPTO_ADDRESS"
    message = "The address is not a valid mainnet address of this network, or it belongs to us."


class InvalidCryptoNetwork(InvalidRequest):
    code = "ONP400_CRYPTO_NETWORK"
    message = "This asset cannot be paid out over this network."


class WithdrawalDisabled(Refusal):
    code = "ONP403_WITHDRAWAL_DISABLED"
    message = "Withdrawals are not enabled for this company, or not for this rail and currency."
    advice = "Ask support to enable withdrawals or the rail named in error.field."


class WithdrawalNotConnected(Refusal):
    code = "ONP403_WITHDRAWAL_NOT_CONNECTED"
    message = "No provider is connected for withdrawals over this rail, in this currency and of this amount."
    advice = "Ask support to connect a provider; repeating the request is no use."


class WithdrawalTooSmall(Refusal):
    code = "ONP422_WITHDRAWAL_AMOUNT_TOO_SMALL"
    message = "The amount is below the minimum of the rail, or nothing would be left for the beneficiary."
    advice = "Raise the amount and use a new idempotency key; a preflight shows the limits."


class WithdrawalTooLarge(Refusal):
    code = "ONP422_WITHDRAWAL_AMOUNT_TOO_LARGE"
    message = "The amount exceeds the maximum of the rail."
    advice = "Lower the amount and use a new idempotency key; a preflight shows the limits."


class PayoutUnavailable(Refusal):
    code = "ONP503_WITHDRAWAL_TEMPORARILY_UNAVAILABLE"
    message = "The rail, or the rate it needs, is temporarily unavailable; nothing was withdrawn."
    advice = "Send the same request again with the same key after retryAfter seconds, with backoff and jitter."
    retryable = True
    retry_after_s = 30
