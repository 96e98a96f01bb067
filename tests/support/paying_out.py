"""Real money that may leave: a company in production with money, a registered address, and accounts that pay it out."""

from datetime import timedelta
from typing import Any

from django.db.models import F

from accounts.models import Merchant
from gateway.methods.rail import PaymentOutcome, PaymentResult
from gateway.payments import due as payments_due
from gateway.payments.models import Payment
from gateway.withdrawals import due
from gateway.withdrawals.models import Withdrawal
from tests.support import withdrawals as w
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.production import PIX, api_of, live
from tests.support.scripted_provider import SCRIPT

CODE = {"pixCopyPaste": "000201code", "pixTxid": "TX"}
TIMES = ("ask_at", "leased_until", "unclear_since", "certain_by")


def with_real_money(shop: Shop, address: str, amount: float = 10_000.00) -> Api:
    """The company's backend in production: it has been paid, and may withdraw."""
    w.register(shop, address)
    Merchant.objects.filter(pk=shop.production.pk).update(withdrawal_enabled=True)
    live(shop, "pays in")
    paid = PaymentOutcome(PaymentResult.DONE, {"pixEndToEndId": "E0"}, reference="E0")
    SCRIPT.answers |= {"instruct": [PaymentOutcome(PaymentResult.WAITING, CODE)], "ask": [paid]}
    answer = api_of(shop).post("/payments", PIX | {"amount": amount, "reference": "pays-in"})
    assert answer.status_code == 201, answer.content
    Payment.objects.update(ask_at=F("ask_at") - timedelta(minutes=1))
    payments_due.run_due()
    return Api(shop.production_key, address)


def swept(withdrawal_id: str, **later: int) -> Withdrawal:
    """So much time has passed for the withdrawal; then the sweep runs."""
    if later:
        Withdrawal.objects.filter(pk=withdrawal_id).update(**{name: F(name) - timedelta(**later) for name in TIMES})
    due.run_due()
    return Withdrawal.objects.select_related("account", "merchant").get(pk=withdrawal_id)


def accepted(api: Api, shop: Shop, **members: Any) -> Withdrawal:
    return Withdrawal.objects.get(pk=w.withdrawn(api, shop, **members)["id"])
