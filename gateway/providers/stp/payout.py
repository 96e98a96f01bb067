"""Withdrawals over SPEI at STP, each an order of its own."""

from datetime import datetime, timedelta
from typing import Any

from gateway.methods.bank_details import number_from
from gateway.payouts.rail import FailureCode, PayoutOrder, PayoutOutcome, PayoutResult
from gateway.payouts.spei.rail import SpeiPayout
from gateway.providers.errors import Unclear
from gateway.providers.stp.api import INSTITUTION, StpApi
from gateway.providers.stp.reasons import refused, returned
from gateway.providers.stp.shapes import SentOrder
from gateway.providers.stp.transfers import Refusal, State, Transfer, Transfers, institution_of, key_of, state_of

ASKED_AFTER_S, DAY_S = 30, 86_400
RETURNS_WITHIN = timedelta(days=30)
LONGEST_BREAK_S = 3_600
RECEIPTS = "https://www.banxico.org.mx/cep/"
"""Banco de México's page of receipts (CEP): it asks for date, tracking key, both institutions, account and amount."""


class StpPayout(SpeiPayout):
    """SPEI with an account at STP."""

    def __init__(self, api: StpApi) -> None:
        self._transfers = Transfers(api)

    def send(self, order: PayoutOrder, at: datetime) -> PayoutOutcome:
        """An order that was sent before, and that STP did not know, is looked up once more."""
        transfer = _transfer(order)
        if transfer is None:
            return PayoutOutcome(PayoutResult.DECLINED, failure=FailureCode.INVALID_DESTINATION.failure)
        found = self._transfers.send(transfer, at, may_be_known=order.sent_times > 1)
        if isinstance(found, Refusal):
            return PayoutOutcome(PayoutResult.DECLINED, failure=refused(found.id))
        if found is None:
            return PayoutOutcome(PayoutResult.SENT, reference=transfer.key, ask_after_s=ASKED_AFTER_S)
        return _outcome(order, found, at)

    def ask(self, order: PayoutOrder, at: datetime) -> PayoutOutcome:
        transfer = _transfer(order)
        if transfer is None or order.sent_at is None:
            raise Unclear("no order of this withdrawal can have been sent")
        found = self._transfers.find(transfer, order.sent_at)
        if found:
            return _outcome(order, found, at)
        if order.has_arrived:
            raise Unclear("STP no longer lists the order")
        wait_s = min(60 << order.sent_times, LONGEST_BREAK_S)
        return PayoutOutcome(PayoutResult.NOT_RECEIVED, ask_after_s=wait_s)


def _transfer(order: PayoutOrder) -> Transfer | None:
    """None: SPEI has no institution with such CLABEs."""
    to = order.destination
    institution = institution_of(to["clabe"])
    if institution is None:
        return None
    return Transfer(
        key=key_of(order.withdrawal_id),
        account=to["clabe"],
        institution=institution,
        name=to["beneficiaryName"],
        amount=order.payout_amount,
        concept=to.get("concept") or "",
        number=int(to.get("numericReference") or 0) or number_from(order.withdrawal_id),
        tax_id=to.get("beneficiaryTaxId") or "",
        about=order.withdrawal_id,
    )


def _outcome(order: PayoutOrder, found: SentOrder, at: datetime) -> PayoutOutcome:
    state = state_of(found)
    if state == State.RETURNED:
        return PayoutOutcome(PayoutResult.RETURNED, found.key, returned(found), details=_receipt(found))
    if state == State.CANCELED:
        return PayoutOutcome(PayoutResult.DECLINED, found.key, FailureCode.BANK_REJECTED.failure)
    if state == State.UNDER_WAY:
        return PayoutOutcome(PayoutResult.SENT, found.key, ask_after_s=None if order.asked_times else ASKED_AFTER_S)
    return PayoutOutcome(
        PayoutResult.DONE, found.key, ask_after_s=_returns_asked_after_s(order, at), details=_receipt(found)
    )


def _returns_asked_after_s(order: PayoutOrder, at: datetime) -> int | None:
    """STP tells of returns. What it did not tell is found after one, two, four … days, for thirty days."""
    age = at - (order.sent_at or at)
    if age > RETURNS_WITHIN:
        return None
    return max(int(age.total_seconds()), DAY_S)


def _receipt(found: SentOrder) -> dict[str, Any]:
    """Where Banco de México shows the receipt, and what its page asks for."""
    day = str(found.day)
    is_theirs = found.receipt.startswith(RECEIPTS)
    return {
        "cep": {
            "url": found.receipt if is_theirs else RECEIPTS,
            "operationDate": f"{day[:4]}-{day[4:6]}-{day[6:]}",
            "senderBank": str(INSTITUTION),
            "receiverBank": str(found.institution),
        }
    }
