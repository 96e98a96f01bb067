"""What every method does alike at Adyen. Our ids are the references and, with what is asked for, the idempotency keys.

A request to cancel, capture or refund is only received; a webhook tells the outcome. There is no query: until seven
days have passed the same request may be sent again, and is answered as it was at first.
"""

import re
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import structlog
from django.conf import settings

from gateway.customers.payer import Payer
from gateway.methods.rail import PaymentAction, PaymentOrder, PaymentOutcome, PaymentResult, Rail, RefundOrder
from gateway.providers.adyen.api import CheckoutApi
from gateway.providers.adyen.reasons import of_refusal, of_result
from gateway.providers.adyen.shapes import Paid, Refused
from gateway.providers.errors import Unclear
from ledger.money import to_minor

REPEATABLE = timedelta(days=6)
"""Adyen keeps idempotency keys for seven days at least."""
NO_MONEY = ("NO_PSP_REFERENCE", "The payment has no pspReference, so Adyen cannot return its money.")
_PSP = re.compile(r"[A-Za-z0-9]{1,64}")

log = structlog.get_logger()


class AdyenRail(Rail):
    """A method at Adyen."""

    def __init__(self, api: CheckoutApi) -> None:
        self.api = api

    def cancel(self, order: PaymentOrder) -> PaymentOutcome:
        asked = self.api.cancel(order.reference, order.payment_id)
        if isinstance(asked, Refused):
            raise Unclear(f"not canceled: HTTP {asked.status}, error {asked.code}")
        return PaymentOutcome(PaymentResult.UNKNOWN)

    def refund(self, order: RefundOrder, at: datetime) -> PaymentOutcome:
        psp = order.payment_reference or ""
        if not _PSP.fullmatch(psp):
            return PaymentOutcome(PaymentResult.DECLINED, failure=NO_MONEY)
        asked = self.api.refund(psp, order.refund_id, amount_of(order.amount, order.currency))
        if isinstance(asked, Refused):
            return PaymentOutcome(PaymentResult.DECLINED, failure=of_refusal(asked))
        return PaymentOutcome(PaymentResult.UNKNOWN)

    def ask_refund(self, order: RefundOrder, at: datetime) -> PaymentOutcome:
        """Sends it once more while that is safe. A refusal now says nothing about the first time."""
        if order.sent_at is not None and at - order.sent_at < REPEATABLE:
            self.refund(order, at)
        return PaymentOutcome(PaymentResult.UNKNOWN)


class AdyenTransfer(AdyenRail):
    """A method that the payer completes elsewhere; its money is captured at once."""

    @abstractmethod
    def request(self, order: PaymentOrder) -> dict[str, Any]:
        """The members of the request that belong to the method."""

    @abstractmethod
    def instructions(self, order: PaymentOrder, paid: Paid) -> PaymentOutcome:
        """WAITING, with what the payer needs. Raises Unclear."""

    def instruct(self, order: PaymentOrder) -> PaymentOutcome:
        paid = self.api.pay(order.payment_id, common(order) | {"captureDelayHours": 0} | self.request(order))
        if isinstance(paid, Refused):
            return _not_accepted(order, paid)
        if paid.amount and (paid.amount.exact, paid.amount.currency) != (order.amount, order.currency):
            log.critical("provider.other_amount", about=order.payment_id)
            raise Unclear("the payment has another amount")
        if paid.result == "Authorised" and paid.psp:
            return PaymentOutcome(PaymentResult.DONE, reference=paid.psp, amount=order.amount, currency=order.currency)
        if paid.result in ("Pending", "PresentToShopper", "Received") and paid.action:
            return replace(self.instructions(order, paid), reference=paid.psp)
        return of_result(paid.result, paid.reason, paid.psp)

    def ask(self, order: PaymentOrder, about: PaymentAction) -> PaymentOutcome:
        """An order that was possibly sent is sent once more; whether it was paid, only a webhook tells."""
        return self.instruct(order) if about == PaymentAction.PREPARE else PaymentOutcome(PaymentResult.WAITING)

    def heard(self, order: PaymentOrder, told: PaymentOutcome) -> PaymentOutcome:
        is_paid = told.answered == PaymentResult.AUTHORIZED
        return replace(told, answered=PaymentResult.DONE if is_paid else told.answered, details={})


def common(order: PaymentOrder) -> dict[str, Any]:
    """The members of every payment's request. No payer returns by the address."""
    payer = order.payer
    email = {"shopperEmail": payer.email} if payer.email else {}
    return {
        "amount": amount_of(order.amount, order.currency),
        "returnUrl": settings.BASE_URL,
        "shopperName": name_of(payer),
        **email,
    }


def amount_of(amount: Decimal, currency: str) -> dict[str, Any]:
    return {"value": to_minor(amount, currency), "currency": currency}


def name_of(payer: Payer) -> Mapping[str, str]:
    """Adyen wants two parts."""
    first, _, last = payer.name.strip().partition(" ")
    return {"firstName": first[:80], "lastName": last.strip()[:80] or "-"}


def _not_accepted(order: PaymentOrder, refused: Refused) -> PaymentOutcome:
    """A refusal of what may have been sent before says nothing about the first time."""
    failure = of_refusal(refused)
    if order.asked_times > 1:
        raise Unclear(f"refused when sent again: {failure[1]}")
    return PaymentOutcome(PaymentResult.REFUSED, failure=failure)
