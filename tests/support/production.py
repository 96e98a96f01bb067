"""A company with real money: verified, with a method enabled and providers that a test scripts."""

from datetime import timedelta

from django.db.models import F

from accounts.models import Company
from gateway.methods.models import MethodRule
from gateway.payments import due
from gateway.payments.models import Payment
from gateway.providers.models import ProviderAccount
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.providers import active, routed

PIX = {
    "method": "PIX", "amount": 150.00, "currency": "BRL", "reference": "order-1",
    "payer": {"name": "Maria Silva", "taxId": "52998224725"},
}  # fmt: skip


def live(shop: Shop, *banks: str, method: str = "PIX", currency: str = "BRL") -> list[ProviderAccount]:
    """The company takes real payments of the method at these institutions, in this order."""
    Company.objects.filter(pk=shop.company.pk).update(status=Company.Status.ACTIVE)
    MethodRule.objects.filter(environment="PRODUCTION", method=method, currency=currency).update(enabled=True)
    accounts = [active(bank) for bank in banks]
    routed(*accounts, method=method, currency=currency)
    return accounts


TIMES = ("expires_at", "ask_at", "leased_until", "unclear_since", "certain_by")


def move(payment_id: str, **earlier: int) -> None:
    """Production clocks do not move: what was stored happened so much earlier."""
    Payment.objects.filter(pk=payment_id).update(**{name: F(name) - timedelta(**earlier) for name in TIMES})


def pass_time(payment_id: str, **later: int) -> Payment:
    """Everything of a real payment happened so much earlier; then the sweep runs."""
    move(payment_id, **later)
    due.run_due()
    return Payment.objects.get(pk=payment_id)


def api_of(shop: Shop) -> Api:
    return Api(shop.production_key)
