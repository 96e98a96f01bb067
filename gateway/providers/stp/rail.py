"""SPEI payments at STP: a CLABE for each payment. What arrives there is its money, however much it is."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta

from accounts.base.clock import utcnow
from gateway.methods.bank_details import details_of, number_of
from gateway.methods.rail import Money, PaymentAction, PaymentOrder, PaymentOutcome, PaymentResult, RefundOrder
from gateway.methods.spei.clabe import bank_name, with_check_digit
from gateway.methods.spei.rail import TRACKING_KEY, Spei
from gateway.providers import numbers
from gateway.providers.errors import Unclear
from gateway.providers.numbers import SeriesUsedUp
from gateway.providers.stp.api import StpApi
from gateway.providers.stp.reasons import refused, returned
from gateway.providers.stp.shapes import ReceivedOrder, SentOrder
from gateway.providers.stp.transfers import Refusal, State, Transfer, Transfers, is_account, key_of, state_of

SERIES = "CLABE"
LISTED_FOR = timedelta(days=3)
"""How far back deposits are listed for one payment."""
REFUND_ASKED_AFTER_S = 60
USED_UP = ("NO_CLABE_LEFT", "Every CLABE of the account's prefix belongs to a payment.")
NO_MONEY = ("NO_DEPOSIT", "STP does not list the money of the payment.")
NO_ACCOUNT = ("NO_ACCOUNT", "The deposit does not name an account that money can be sent back to.")


class StpSpei(Spei):
    """SPEI with an account at STP."""

    is_asked_seldom = True

    def __init__(self, api: StpApi) -> None:
        self._api, self._transfers = api, Transfers(api)

    def instruct(self, order: PaymentOrder) -> PaymentOutcome:
        """The next CLABE of the prefix, the same one each time. STP need not be told of it."""
        account = self._api.credentials
        try:
            clabe = self._clabe(order.payment_id)
        except SeriesUsedUp:
            return PaymentOutcome(PaymentResult.REFUSED, failure=USED_UP)
        bank = {"bankName": bank_name(clabe[:3]) or "", "bankCode": clabe[:3], "beneficiaryTaxId": account.tax_id}
        details = details_of(order, number_of(order), clabe=clabe, **bank) | {"beneficiaryName": account.holder}
        return PaymentOutcome(PaymentResult.WAITING, {"bankDetails": details})

    def ask(self, order: PaymentOrder, about: PaymentAction) -> PaymentOutcome:
        received = self._deposits(order)
        return _paid(order, received) if received else self.instruct(order)

    def cancel(self, order: PaymentOrder) -> PaymentOutcome:
        """A CLABE can always be paid: what comes later is held. REFUSED if it has been paid meanwhile."""
        paid = any(money.amount == order.amount for money in self._deposits(order, afresh=True))
        return PaymentOutcome(PaymentResult.REFUSED if paid else PaymentResult.DONE)

    def refund(self, order: RefundOrder, at: datetime) -> PaymentOutcome:
        """An order of our own to the account that the money came from."""
        transfer = self._transfer_back(order, at)
        if isinstance(transfer, tuple):
            return PaymentOutcome(PaymentResult.DECLINED, failure=transfer)
        found = self._transfers.send(transfer, at, may_be_known=True)
        if isinstance(found, Refusal):
            return PaymentOutcome(PaymentResult.DECLINED, failure=refused(found.id))
        return _refunded(found)

    def ask_refund(self, order: RefundOrder, at: datetime) -> PaymentOutcome:
        transfer = self._transfer_back(order, at)
        if isinstance(transfer, tuple) or order.sent_at is None:
            raise Unclear("STP no longer lists the money of the payment")
        found = self._transfers.find(transfer, order.sent_at)
        return _refunded(found) if found else PaymentOutcome(PaymentResult.NOT_RECEIVED)

    def _clabe(self, payment_id: str) -> str:
        """Raises SeriesUsedUp."""
        return with_check_digit(str(numbers.number_for(payment_id, SERIES, self._api.credentials.numbers)))

    def _deposits(self, order: PaymentOrder, *, afresh: bool = False) -> list[ReceivedOrder]:
        """Since the payment has had its CLABE. `afresh`: without what was listed a moment ago."""
        try:
            clabe, now = self._clabe(order.payment_id), utcnow()
        except SeriesUsedUp:  # it never had one
            return []
        since = max(now - LISTED_FOR, min(order.created_at, now))
        found = self._api.received(since, now, clabe) if afresh else self._api.received_by(clabe, since, now)
        return [one for one in found if one.clabe == clabe and one.is_money]

    def _transfer_back(self, order: RefundOrder, at: datetime) -> Transfer | tuple[str, str]:
        """The order to the payer's account, or why there can be none."""
        deposit = self._deposit(order.payment_reference or "")
        if deposit is None:
            return NO_MONEY
        if not is_account(deposit.sender_account):
            return NO_ACCOUNT
        return Transfer(
            key=key_of(order.refund_id),
            account=deposit.sender_account,
            institution=deposit.institution,
            name=deposit.sender,
            amount=order.amount,
            concept=f"Devolucion {deposit.key}",
            number=deposit.day % 10**7,
            tax_id=deposit.sender_tax_id,
            about=order.refund_id,
        )

    def _deposit(self, reference: str) -> ReceivedOrder | None:
        """The money of a payment, by its reference. None: STP lists none."""
        try:
            day = date.fromisoformat(reference[-8:])
        except ValueError:
            return None
        return next((one for one in self._api.received_on(day, utcnow()) if one.reference == reference), None)


def _paid(order: PaymentOrder, received: Sequence[ReceivedOrder]) -> PaymentOutcome:
    """The money that has paid it before, or has its amount, or came first; and the rest."""
    own = min(received, key=lambda one: (one.reference != order.reference, one.amount != order.amount))
    others = tuple(Money(one.reference, one.amount, "MXN") for one in received if one is not own)
    details = {TRACKING_KEY: own.key}
    return PaymentOutcome(PaymentResult.DONE, details, None, own.reference, own.amount, "MXN", others=others)


def _refunded(found: SentOrder | None) -> PaymentOutcome:
    """What the bank sends back is not refunded."""
    state = state_of(found) if found else State.UNDER_WAY
    if found is None or state == State.UNDER_WAY:
        return PaymentOutcome(PaymentResult.UNKNOWN, ask_after_s=REFUND_ASKED_AFTER_S)
    if state == State.PAID:
        return PaymentOutcome(PaymentResult.DONE, reference=found.key, amount=found.amount, currency="MXN")
    if state == State.RETURNED:
        return PaymentOutcome(PaymentResult.DECLINED, {}, returned(found), found.key, found.amount, "MXN")
    canceled = ("CANCELED", "STP canceled the order, and nothing was sent.")
    return PaymentOutcome(PaymentResult.DECLINED, failure=canceled)
