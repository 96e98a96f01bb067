"""The table is the life of a payment: what it does not say is refused."""

import itertools

import pytest

from gateway.methods.rail import PaymentResult
from gateway.payments.errors import PaymentState
from gateway.payments.lifecycle import STEPS, PaymentAction, step
from gateway.payments.models import Status

LISTED = {(s.asked, s.answered, source): s.target for s in STEPS for source in (s.sources or ("",))}
FINAL = {Status.FAILED, Status.EXPIRED, Status.REFUNDED}


@pytest.mark.parametrize("asked", PaymentAction)
def test_every_triple_is_listed_or_refused(asked: PaymentAction) -> None:
    for answered, status in itertools.product(PaymentResult, ["", *Status]):
        if (asked, answered, status) in LISTED:
            assert step(asked, answered, status).target == LISTED[asked, answered, status]
        else:
            with pytest.raises(PaymentState):
                step(asked, answered, status)


def test_no_triple_is_listed_twice() -> None:
    assert len(LISTED) == sum(len(s.sources or ("",)) for s in STEPS)


def test_nothing_leaves_a_final_status() -> None:
    assert not [s for s in STEPS if FINAL & set(s.sources)]


def test_every_status_can_be_reached() -> None:
    assert {s.target for s in STEPS} == set(Status)


def test_money_moves_exactly_when_a_payment_becomes_paid() -> None:
    for s in STEPS:
        becomes_paid = s.target == Status.PAID and Status.PAID not in s.sources
        assert (s.books is not None) == becomes_paid
        assert (s.announces == "payment.paid") == becomes_paid
