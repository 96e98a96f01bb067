"""What the table of payments promises; that it is whole is shown in tests/accounts/base/test_lifecycle.py."""

from gateway.payments.lifecycle import TRANSITIONS
from gateway.payments.models import Status

FINAL = {Status.FAILED, Status.EXPIRED, Status.REFUNDED}


def test_nothing_leaves_a_final_status() -> None:
    assert not [one for one in TRANSITIONS if FINAL & set(one.sources)]


def test_money_moves_exactly_when_a_payment_becomes_paid() -> None:
    for one in TRANSITIONS:
        becomes_paid = one.target == Status.PAID and Status.PAID not in one.sources
        assert (one.books is not None) == becomes_paid
        assert (one.announces == ("payment.paid",)) == becomes_paid
        assert one.posts == ("payment.paid" if becomes_paid else None)
