"""What payout rails refuse."""

from accounts.base.errors import InvalidRequest, Refusal


class InvalidPixKey(InvalidRequest):
    code = "ONP400_PIX_KEY"
    message = "The PIX key is not valid, or not of its type."


class InvalidClabe(InvalidRequest):
    code = "ONP400_CLABE"
    message = "The CLABE is not 18 digits with the right check digit."


class InvalidBankAccount(InvalidRequest):
    code = "ONP400_BANK_ACCOUNT"
    message = "The account of the beneficiary is incomplete, not valid, or of another country than the currency."


class InvalidCryptoAddress(InvalidRequest):
    code = "ONP400_CRYPTO_ADDRESS"
    message = "The address is none of the network's main net, or one of our own."


class InvalidCryptoNetwork(InvalidRequest):
    code = "ONP400_CRYPTO_NETWORK"
    message = "The asset is not paid out over this network."


class WithdrawalDisabled(Refusal):
    code = "ONP403_WITHDRAWAL_DISABLED"
    message = "The company may not withdraw, or not over this rail in this currency."
    advice = "Ask support to enable withdrawals, or the rail that error.field names."


class WithdrawalTooSmall(Refusal):
    code = "ONP422_WITHDRAWAL_AMOUNT_TOO_SMALL"
    message = "The amount is below the minimum of the rail, or nothing is left of it for the beneficiary."
    advice = "Raise the amount and use a new idempotency key; a preflight tells the limits."


class WithdrawalTooLarge(Refusal):
    code = "ONP422_WITHDRAWAL_AMOUNT_TOO_LARGE"
    message = "The amount is above the maximum of the rail."
    advice = "Lower the amount and use a new idempotency key; a preflight tells the limits."


class PayoutUnavailable(Refusal):
    code = "ONP503_WITHDRAWAL_TEMPORARILY_UNAVAILABLE"
    message = "The rail, or the rate it needs, is unavailable for a moment; nothing was withdrawn."
    advice = "Repeat the same request with the same key after retryAfter seconds, with backoff and jitter."
    retryable = True
    retry_after_s = 30
