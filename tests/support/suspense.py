"""Money in suspense: a payment with real money at a scripted bank, and what is told about it."""

from collections import Counter
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.db.models import F

from accounts.base.clock import utcnow
from gateway.methods.rail import Money, PaymentOutcome, PaymentResult
from gateway.payments import due as due_payments
from gateway.payments.models import Payment
from gateway.suspense import due
from gateway.suspense.models import SuspenseItem
from ledger.models import Balance
from tests.support.companies import Shop
from tests.support.production import PIX, api_of, live, pass_time
from tests.support.scripted_provider import Script, rewritten

INSTRUCTED = PaymentOutcome(PaymentResult.WAITING, {"pixCopyPaste": "000201code", "pixTxid": "TX"})
STILL_OPEN = PaymentOutcome(PaymentResult.WAITING)
GONE = PaymentOutcome(PaymentResult.DONE)
PAID_BEFORE = PaymentOutcome(PaymentResult.REFUSED)
RETURNED = PaymentOutcome(PaymentResult.DONE, reference="D1")
TIMES = ("return_at", "ask_at", "leased_until", "unclear_since", "certain_by")


def arrived(amount: str = "150", reference: str = "E1", *others: Money, currency: str = "BRL") -> PaymentOutcome:
    """The bank has received this much for the charge."""
    return PaymentOutcome(
        PaymentResult.DONE, reference=reference, amount=Decimal(amount), currency=currency, others=others
    )


def a_bank(shop: Shop, **answers: list[Any]) -> Script:
    """The company takes PIX at one bank, which answers so."""
    live(shop, "bank")
    script = rewritten()
    plain: dict[str, list[Any]] = {"instruct": [INSTRUCTED], "ask": [STILL_OPEN], "cancel": [GONE]}
    script.answers = plain | {name.replace("_", " "): told for name, told in answers.items()}
    return script


def ordered(shop: Shop, **members: Any) -> Payment:
    answer = api_of(shop).post("/payments", PIX | members)
    assert answer.status_code == 201, answer.json()
    return Payment.objects.get(pk=answer.json()["data"]["id"])


def expired(shop: Shop) -> Payment:
    """A payment whose bank confirmed that nobody can pay it any more."""
    payment = pass_time(ordered(shop).pk, days=2)
    assert payment.status == "EXPIRED"
    return payment


def look_again(payment: Payment, script: Script, *told: PaymentOutcome) -> Payment:
    """A message of the bank makes us query it, and it tells this."""
    script.answers["ask"] = list(told)
    Payment.objects.filter(pk=payment.pk).update(ask_at=utcnow())
    due_payments.run_due()
    return Payment.objects.get(pk=payment.pk)


def wait(**earlier: int) -> None:
    """All money in suspense has been there for so much longer; then the sweep runs."""
    SuspenseItem.objects.update(**{name: F(name) - timedelta(**earlier) for name in TIMES})
    due.run_due()


def balances(shop: Shop) -> dict[str, int]:
    """The accounts of the company's production book that are not zero, in minor units: by kind, and by currency where
    there are several of a kind.
    """
    held = Balance.objects.filter(account__merchant=shop.production).exclude(amount=0).select_related("account")
    several = Counter(balance.account.kind for balance in held)
    return {
        kind if several[kind] == 1 else f"{kind} {balance.account.currency}": balance.amount
        for balance in held
        for kind in [balance.account.kind]
    }
