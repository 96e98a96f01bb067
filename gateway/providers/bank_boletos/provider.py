"""Boletos of a bank by files: registered by one, paid and withdrawn by what the bank's files say (`gateway.boletos`).

Nobody is called. What can be asked is what the files have said so far.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, ClassVar

from gateway.methods.boleto.rail import Boleto
from gateway.methods.rail import PaymentAction, PaymentOrder, PaymentOutcome, PaymentResult, Rail, RefundOrder
from gateway.providers.bank_boletos.credentials import BoletoCredentials
from gateway.providers.by_file import Folder, Inbox
from gateway.providers.errors import NotSent
from gateway.providers.provider import DAY_S, Provider
from gateway.slips import services as slips
from gateway.slips.agreements import Agreement
from gateway.slips.models import Slip
from ledger.money import to_minor

REFUSED = ("REGISTRATION_REFUSED", "The bank did not register the boleto.")


class BankBoleto(Boleto):
    """The slip is made at once, and can be paid when the bank has registered it: `payableFrom`."""

    is_asked_seldom: ClassVar[bool] = True

    def __init__(self, agreement: Agreement) -> None:
        self.agreement = agreement

    def instruct(self, order: PaymentOrder) -> PaymentOutcome:
        try:
            slip = slips.issue(self.agreement, order.payment_id)
        except slips.NumbersUsedUp:
            raise NotSent("the agreement has no number left for a boleto") from None
        return PaymentOutcome(PaymentResult.WAITING, self._details(order, slip))

    def ask(self, order: PaymentOrder, about: PaymentAction) -> PaymentOutcome:
        """That it was paid is told by the bank's file alone."""
        slip = slips.of_payment(order.payment_id)
        if slip is None:
            return PaymentOutcome(PaymentResult.NOT_RECEIVED)
        if slip.state == Slip.State.REFUSED:
            return PaymentOutcome(PaymentResult.DECLINED, failure=REFUSED)
        details: Mapping[str, Any] = self._details(order, slip) if about == PaymentAction.PREPARE else {}
        return PaymentOutcome(PaymentResult.WAITING, details)

    def cancel(self, order: PaymentOrder) -> PaymentOutcome:
        """UNKNOWN until the bank has confirmed the withdrawal: until then it may be paid."""
        is_withdrawn = slips.withdraw(order.payment_id)
        return PaymentOutcome(PaymentResult.DONE if is_withdrawn else PaymentResult.UNKNOWN)

    def refund(self, order: RefundOrder, at: datetime) -> PaymentOutcome:
        """Staff pay it back and record it."""
        return PaymentOutcome(PaymentResult.UNKNOWN)

    def _details(self, order: PaymentOrder, slip: Slip) -> dict[str, Any]:
        assert order.due_date is not None
        agreement, amount = self.agreement, to_minor(order.amount, order.currency)
        bars = agreement.barcode(slip.number, order.due_date, amount)
        return self.slip(order, bars, agreement.digits(slip.number)) | {
            "beneficiary": agreement.beneficiary.name,
            "beneficiaryTaxId": agreement.beneficiary.tax_id,
            "bankNumber": agreement.written(slip.number),
            "beneficiaryCode": agreement.code,
            "wallet": agreement.wallet,
            "payableFrom": order.details.get("payableFrom"),
        }


class BankBoletoProvider(Provider[BoletoCredentials]):
    """A bank that registers boletos by CNAB files."""

    name: ClassVar[str] = "bank-boletos"
    title: ClassVar[str] = "Boletos of a bank by files"
    credentials_type = BoletoCredentials
    methods: ClassVar[tuple[tuple[str, str], ...]] = (("BOLETO", "BRL"),)
    certain_within_s: ClassVar[int] = 5 * DAY_S
    """A bank confirms a withdrawal on the next business day."""
    is_believed: ClassVar[bool] = True
    """Its files are."""

    def rails(self) -> Sequence[Rail]:
        return [BankBoleto(self.credentials.of_the_bank)]

    def agreement(self) -> Agreement:
        return self.credentials.of_the_bank

    def folder(self) -> Folder | None:
        return self.credentials.folder

    def inbox(self) -> Inbox | None:
        return self.credentials.inbox

    def check(self) -> None:
        """Looks into the folders, where there are some. Raises NotConnected."""
        if folder := self.credentials.folder:
            folder.check()


PROVIDER = BankBoletoProvider
