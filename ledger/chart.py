"""The chart of accounts of a merchant's closed book. + is credit, - is debit."""

from django.db import models


class AccountKind(models.TextChoices):
    AVAILABLE = "AVAILABLE", "Available: the merchant may withdraw it"
    RELEASING = "RELEASING", "Releasing: confirmed, available at releaseAt"
    BLOCKED = "BLOCKED", "Blocked: held for a refund, a withdrawal or by order"
    CLEARING = "CLEARING", "Clearing: what the provider of a method owes us"
    BANK = "BANK", "Bank: what a bank account holds; without its code, paid out and in no statement yet"
    SUSPENSE = "SUSPENSE", "Suspense: received, and belongs to nobody yet"
    FEE_INCOME = "FEE_INCOME", "Fee income: what we earned"
    ACQUIRER_FEES = "ACQUIRER_FEES", "Acquirer fees: what acquirers charged us"
    BANK_FEES = "BANK_FEES", "Bank fees: what banks charged us"
    TRANSIT = "TRANSIT", "Transit: between bank accounts of ours"
    OWN_FUNDS = "OWN_FUNDS", "Own funds: what bank accounts opened with"
    GAINS_LOSSES = "GAINS_LOSSES", "Gains and losses of the operator"
    ADVANCE_INCOME = "ADVANCE_INCOME", "Advance income: what advances earned"
    FX_POSITION = "FX_POSITION", "FX position: one side of every conversion"
    FX_SPREAD = "FX_SPREAD", "FX spread: what conversions earned"
    PAYOUT = "PAYOUT", "Payout: on its way to a beneficiary"
    DEBT = "DEBT", "Debt: what the merchant owes us"


BUCKETS = (AccountKind.AVAILABLE, AccountKind.RELEASING, AccountKind.BLOCKED)
"""The three accounts of a wallet. They are never negative."""

WALLET_METHOD = {"BRL": "PIX", "MXN": "SPEI", "EUR": "MB_WAY", "ARS": "BANK_TRANSFER", "COP": "BANK_TRANSFER"}
"""A wallet is named after the rail that pays its money out (contract §10.1)."""
