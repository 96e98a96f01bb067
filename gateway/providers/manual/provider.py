"""Money without any integration: payers see the company's account, and staff say what has arrived; withdrawals wait
until staff have paid them.

Nothing is called, so nothing can be asked: `gateway/payments/proposals.py` records that a payment was paid, and
`gateway/withdrawals/proposals.py` what became of a withdrawal.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import ClassVar
from zoneinfo import ZoneInfo

from gateway.bank_files.shapes import Party
from gateway.methods.bank_details import details_of, number_of
from gateway.methods.bank_transfer.rail import ArgentineTransfer, ColombianTransfer
from gateway.methods.bre_b.rail import BreB
from gateway.methods.nequi.rail import Nequi
from gateway.methods.pay_to import PayTo
from gateway.methods.pix.brcode import static_code
from gateway.methods.pix.rail import Pix, txid_of
from gateway.methods.pse.rail import Pse
from gateway.methods.rail import PaymentAction, PaymentOrder, PaymentOutcome, PaymentResult, Rail, RefundOrder
from gateway.methods.spei.clabe import bank_name
from gateway.methods.spei.rail import Spei
from gateway.payouts.by_batch import ArgentineByBatch, ColombianByBatch, CryptoByBatch, PixByBatch, SpeiByBatch
from gateway.payouts.rail import PayoutRail
from gateway.providers.by_file import PaysByFile
from gateway.providers.manual.credentials import ManualCredentials
from gateway.providers.order_list import OrderList
from gateway.providers.provider import Provider

CVU_PREFIX = "000"


class ManualRail(Rail):
    """Common to all: nobody is called, and only people know what has arrived."""

    def __init__(self, account: ManualCredentials) -> None:
        self.account = account

    def calls_provider(self, order: PaymentOrder) -> bool:
        return False

    def ask(self, order: PaymentOrder, about: PaymentAction) -> PaymentOutcome:
        return PaymentOutcome(PaymentResult.WAITING)

    def refund(self, order: RefundOrder, at: datetime) -> PaymentOutcome:
        """Staff pay it back and record it."""
        return PaymentOutcome(PaymentResult.UNKNOWN)


class ManualTransfer(ManualRail):
    """The payer gets the account in `bankDetails`, with a reference that staff find in the statement."""

    @abstractmethod
    def numbers(self) -> dict[str, str]:
        """The account."""

    def instruct(self, order: PaymentOrder) -> PaymentOutcome:
        to_holder = replace(order, beneficiary=self.account.holder)
        return PaymentOutcome(
            PaymentResult.WAITING, {"bankDetails": details_of(to_holder, number_of(order), **self.numbers())}
        )


class ManualSpei(ManualTransfer, Spei):
    def numbers(self) -> dict[str, str]:
        number, bank = self.account.clabe, self.account.clabe[:3]
        return {
            "clabe": number,
            "bankName": bank_name(bank) or "",
            "bankCode": bank,
            "beneficiaryTaxId": self.account.tax_id,
        }


class ManualArgentineTransfer(ManualTransfer, ArgentineTransfer):
    def numbers(self) -> dict[str, str]:
        number = self.account.cbu
        return {
            "cvu": number,
            "alias": self.account.alias,
            "bankName": self.account.bank,
            "bankCode": number[:7] if number.startswith(CVU_PREFIX) else number[:3],
            "beneficiaryTaxId": self.account.tax_id,
        }


class ManualPix(ManualRail, Pix):
    """A static code of the key; its txid is the ULID of the payment without the first digit, which is always 0."""

    def instruct(self, order: PaymentOrder) -> PaymentOutcome:
        txid = txid_of(order.payment_id)[1:]
        code = static_code(
            key=self.account.pix_key, amount=order.amount, name=self.account.holder, city=order.city, txid=txid
        )
        return PaymentOutcome(PaymentResult.WAITING, {"pixCopyPaste": code, "pixTxid": txid})


class ManualCheckout(ManualRail):
    """The payer is sent to our page, which shows the account until the account's own deadline."""

    @abstractmethod
    def lines(self) -> list[tuple[str, str]]:
        """What the page shows after the holder: names of its words, and values."""

    def instruct(self, order: PaymentOrder) -> PaymentOutcome:
        reference = details_of(order, number_of(order))["paymentReference"]
        account = self.account
        texts = {"en": account.instructions_en, "es": account.instructions_es, "pt": account.instructions_pt}
        pay_to = PayTo(
            lines=[("holder", account.holder), *self.lines()],
            page=account.pse_page if self.method == Pse.method else "",
            reference=reference,
            texts={language: text for language, text in texts.items() if text},
        )
        return PaymentOutcome(
            PaymentResult.CHECKOUT, {"checkout": True, "payTo": pay_to}, expires_after_s=account.payers_time_s
        )


class ManualColombianTransfer(ManualCheckout, ColombianTransfer):
    def lines(self) -> list[tuple[str, str]]:
        account = self.account
        tax_id = [("tax_id", account.tax_id)] if account.tax_id else []
        return [*tax_id, ("bank", account.bank), (account.account_type.lower(), account.account_number)]


class ManualPse(ManualCheckout, Pse):
    def lines(self) -> list[tuple[str, str]]:
        return []


class ManualNequi(ManualCheckout, Nequi):
    def lines(self) -> list[tuple[str, str]]:
        return [("nequi", self.account.nequi_number)]


class ManualBreB(ManualCheckout, BreB):
    def lines(self) -> list[tuple[str, str]]:
        return [("bre_b", self.account.bre_b_key)]


SERVED: dict[str, type[ManualRail]] = {
    "clabe": ManualSpei,
    "cbu": ManualArgentineTransfer,
    "account_number": ManualColombianTransfer,
    "pse_page": ManualPse,
    "nequi_number": ManualNequi,
    "bre_b_key": ManualBreB,
    "pix_key": ManualPix,
}
"""The member of the credentials that a method needs, and its rail."""
PAID_OUT: dict[str, type[PayoutRail]] = {
    "clabe": SpeiByBatch,
    "cbu": ArgentineByBatch,
    "account_number": ColombianByBatch,
    "pix_key": PixByBatch,
    "crypto_wallet": CryptoByBatch,
}
"""The member of the credentials that a payout rail needs, and the rail."""
UTC = ZoneInfo("UTC")
ZONES = {
    "pix_key": ZoneInfo("America/Sao_Paulo"),
    "clabe": ZoneInfo("America/Mexico_City"),
    "cbu": ZoneInfo("America/Argentina/Buenos_Aires"),
    "account_number": ZoneInfo("America/Bogota"),
}
"""The member of the credentials, and where its bank is."""


class ManualProvider(Provider[ManualCredentials]):
    """The company's own accounts, watched by people."""

    name: ClassVar[str] = "manual"
    title: ClassVar[str] = "Manual (watched by staff)"
    answers: ClassVar[bool] = False
    credentials_type = ManualCredentials
    methods: ClassVar[tuple[tuple[str, str], ...]] = tuple(
        (rail.method, market.currency) for rail in SERVED.values() for market in rail.markets
    )
    payouts: ClassVar[tuple[tuple[str, str], ...]] = tuple(
        (rail.rail, market.currency) for rail in PAID_OUT.values() for market in rail.markets
    )

    def rails(self) -> Sequence[Rail]:
        return [rail(self.credentials) for member, rail in SERVED.items() if getattr(self.credentials, member)]

    def payout_rails(self) -> Sequence[PayoutRail]:
        return [rail() for member, rail in PAID_OUT.items() if getattr(self.credentials, member)]

    def by_file(self) -> PaysByFile:
        own = self.credentials
        payer = Party(name=own.holder, tax_id=own.tax_id, clabe=own.clabe, cbu=own.cbu, pix_key=own.pix_key)
        return OrderList(payer, next((zone for member, zone in ZONES.items() if getattr(own, member)), UTC))

    def check(self) -> None:
        """There is nothing to connect to."""


PROVIDER = ManualProvider
