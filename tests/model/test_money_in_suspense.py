"""Every way in which the bank and the network may answer to returns of money in suspense, over three calls."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from itertools import product

import pytest

from accounts.base.clock import utcnow
from gateway.methods.rail import Money, PaymentOutcome, PaymentResult
from gateway.payments.other_money import Cause
from gateway.providers.errors import NotSent, Unclear
from gateway.suspense.holding import hold
from gateway.suspense.models import SuspenseItem
from tests.support.companies import Shop
from tests.support.providers import active
from tests.support.scripted_provider import Answer, rewritten
from tests.support.suspense import balances, wait

LOST, SILENT, DONE, DECLINED = FATES = ("lost", "silent", "done", "declined")
"""The call does not arrive; it arrives, and its answer does not; the bank returns the money, or refuses to."""
TOLD = {DONE: PaymentOutcome(PaymentResult.DONE, reference="D1"), DECLINED: PaymentOutcome(PaymentResult.DECLINED)}
ENDS = {DONE: "RETURNED", DECLINED: "HELD"}


@dataclass
class Order:
    """What the bank has of a return: nothing, an order under way, or its end."""

    fates: Iterator[str]
    at_the_bank: str = ""

    def answer(self, is_sent: bool) -> Answer:
        """To the next call, which orders the return or asks what became of it."""
        fate = next(self.fates, DONE)
        if fate == LOST:
            return NotSent("no connection")
        if not (is_sent or self.at_the_bank):
            return PaymentOutcome(PaymentResult.NOT_RECEIVED) if fate != SILENT else Unclear("no answer")
        if self.at_the_bank in ("", "under way"):
            self.at_the_bank = "under way" if fate == SILENT else fate
        return Unclear("no answer") if fate == SILENT else TOLD[self.at_the_bank]


@pytest.mark.django_db(transaction=True)
def test_no_money_is_returned_twice_or_taken_for_returned(acme: Shop) -> None:
    script, account, long_ago = rewritten(), active("bank", acme.production), utcnow() - timedelta(days=1)
    orders: dict[str, Order] = {}
    for number, fates in enumerate(product(FATES, repeat=3)):
        money = Money(f"E{number}", Decimal(1), "BRL")
        item = hold(account, money, Cause.UNKNOWN_CHARGE, long_ago, method="PIX")
        orders[item.pk] = Order(iter(fates))
    SuspenseItem.objects.update(return_at=long_ago)

    for _ in range(6):
        for item in SuspenseItem.objects.exclude(state="RETURNED").exclude(failure_code="PROVIDER_REFUSED"):
            is_sent = item.sent_at is None
            assert not (is_sent and orders[item.pk].at_the_bank), f"{item.pk} would be sent twice"
            script.answers[item.pk] = [orders[item.pk].answer(is_sent)]
        script.calls.clear()
        wait(hours=2)
        assert len(script.calls) == len({our_id for _, _, our_id in script.calls}), "one call for each"
        for item in SuspenseItem.objects.all():
            assert item.state in ("RETURNING", ENDS.get(orders[item.pk].at_the_bank))

    ended = {item.pk: item.state for item in SuspenseItem.objects.all()}
    assert ended == {item_id: ENDS[order.at_the_bank] for item_id, order in orders.items()}
    kept = 100 * list(ended.values()).count("HELD")
    assert balances(acme) == {"CLEARING": -kept, "SUSPENSE": kept}
