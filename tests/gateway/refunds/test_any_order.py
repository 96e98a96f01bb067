"""In whatever order things happen to a wallet: the books are right, and nothing is free while a payer lacks money."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from accounts.base.clock import now
from accounts.models import User
from gateway.methods.rail import Clawback
from gateway.refunds.clawbacks import settle
from gateway.refunds.due import run_due
from gateway.refunds.med import waits_for_money
from gateway.refunds.models import OPEN, OWED, Refund
from ledger.holds import services as holds
from ledger.holds.models import Hold
from ledger.receivables import advances
from ledger.receivables.due import run_due as release_due
from ledger.receivables.models import Advance, Receivable
from ledger.verify import verify
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.effort import tries
from tests.support.refunds import answered, ask, decided, later, paid, wallet, withdraw_all_but

pytestmark = pytest.mark.django_db

STEPS = (
    "pix", "debit", "credit", "dispute", "part", "claim", "contest", "accept", "give", "reject", "cancel", "fail",
    "refund", "clawback", "block", "lift", "reserve", "approve", "refuse", "soon", "late",
)  # fmt: skip


class World:
    """A company to which things happen; what cannot happen now is passed over."""

    def __init__(self, api: Api, shop: Shop) -> None:
        self.api, self.shop = api, shop
        self.payments: list[str] = []
        self.staff = User.objects.create_user("risk@onpay.example")

    def one(self, among: list[Any], n: int) -> Any:
        return among[n % len(among)] if among else None

    def step(self, name: str, n: int) -> None:
        if name in ("pix", "debit", "credit"):
            method = {"pix": "PIX", "debit": "DEBIT_CARD", "credit": "CREDIT_CARD"}[name]
            self.payments.append(paid(self.api, method, amount=100 + n))
        elif name in ("dispute", "part", "claim", "refund"):
            self.give_back(name, n)
        elif name == "clawback":
            payment = self.one(self.payments, n)
            told = Clawback(f"D{n}{payment}"[:40], "E1", Decimal(1 + n), "BRL", "FRAUD")  # the same n is told again
            settle(self.shop.sandbox, payment, [told])
        elif name in ("contest", "accept", "give", "reject", "cancel", "fail"):
            self.decide(name, n)
        elif name in ("soon", "late"):
            later(self.shop, seconds=3) if name == "soon" else later(self.shop, days=1 + n % 31)
            release_due()
            run_due()
        else:
            self.of_staff(name, n)

    def give_back(self, name: str, n: int) -> None:
        payment = self.one(self.payments, n)
        wish: dict[str, Any] = {} if name == "dispute" else {"amount": 1 + n}
        if name == "claim":
            wish["disputeKind"] = "MED"
        if name == "refund":
            ask(self.api, payment, **wish)
        else:
            self.api.post(f"/simulations/payments/{payment}/refund-requests", wish)

    def decide(self, name: str, n: int) -> None:
        refund = self.one(list(Refund.objects.filter(status__in=OPEN).order_by("id").values("id")), n)
        if refund and name in ("contest", "accept"):
            answered(self.api, refund, name.upper())
        elif refund:
            decided(
                self.api,
                refund,
                {"give": "PROCESSING", "reject": "REJECTED", "cancel": "CANCELED", "fail": "FAILED"}[name],
            )

    def of_staff(self, name: str, n: int) -> None:
        if name == "block" and wallet(self.shop)[0] > n:
            withdraw_all_but(self.shop, n)
        elif name == "lift":
            block = self.one(list(Hold.objects.filter(reason="COMPLIANCE", ended_at=None).order_by("id")), n)
            if block:
                holds.lift(block.pk)
        elif name == "reserve":
            waiting = list(Receivable.objects.filter(state="SCHEDULED", method="CREDIT_CARD").order_by("id"))
            self.unless_refused(lambda: advances.request(self.shop.sandbox, [self.one(waiting, n).pk], None), waiting)
        elif name in ("approve", "refuse"):
            asked = list(Advance.objects.filter(state="UNDER_REVIEW").order_by("id"))
            decide = advances.approve if name == "approve" else advances.refuse
            self.unless_refused(lambda: decide(self.one(asked, n).pk, self.staff), asked)

    def unless_refused(self, act: Callable[[], Any], there_are: list[Any]) -> None:
        if there_are:
            with transaction.atomic():
                act()

    def check(self) -> None:
        assert verify() == []
        here = now(self.shop.sandbox)
        short = [refund for refund in Refund.objects.filter(status__in=OWED) if refund.shortfall]
        lacking = [refund for refund in short if waits_for_money(refund, here)]
        scheduled = sum(Receivable.objects.filter(state="SCHEDULED").values_list("amount", flat=True))
        assert not (lacking and wallet(self.shop)[0] + scheduled)


@pytest.fixture(autouse=True)
def unlimited(settings: Any) -> None:
    """All examples call from one address: 200 of them make more calls a minute than the API takes."""
    settings.RATE_LIMITS = dict.fromkeys(settings.RATE_LIMITS, 10**6)


@examples(deadline=None, max_examples=tries(12, 200), suppress_health_check=list(HealthCheck))
@given(steps=st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 90)), min_size=4, max_size=14))
def test_nothing_is_free_while_a_payer_lacks_money(api: Api, acme: Shop, steps: list[tuple[str, int]]) -> None:
    with transaction.atomic():
        world = World(api, acme)
        world.step("pix", 50)
        for name, n in steps:
            world.step(name, n)
            world.check()
        transaction.set_rollback(True)
    acme.sandbox.refresh_from_db()
