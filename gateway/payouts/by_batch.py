"""The payout rails of institutions that are paid by file, and of people who pay by hand."""

from gateway.payouts.bank_transfer.brazil import BrazilianPayout
from gateway.payouts.bank_transfer.rail import ArgentinePayout, ColombianPayout
from gateway.payouts.crypto.rail import CryptoPayout
from gateway.payouts.pix.rail import PixPayout
from gateway.payouts.rail import PaidByBatch
from gateway.payouts.spei.rail import SpeiPayout


class PixByBatch(PaidByBatch, PixPayout):
    """Reais to a key."""


class BrazilianByBatch(PaidByBatch, BrazilianPayout):
    """Reais to an account, by PIX or TED."""


class SpeiByBatch(PaidByBatch, SpeiPayout):
    """Pesos to a CLABE."""


class ArgentineByBatch(PaidByBatch, ArgentinePayout):
    """Pesos to a CBU or CVU."""


class ColombianByBatch(PaidByBatch, ColombianPayout):
    """Pesos to an account."""


class CryptoByBatch(PaidByBatch, CryptoPayout):
    """From a wallet to an address."""
