"""What the table of payments promises; that it is whole is shown in tests/accounts/base/test_lifecycle.py."""

from gateway.methods.rail import PaymentAction
from gateway.payments.lifecycle import TRANSITIONS
from gateway.payments.models import Status

FINAL = {Status.FAILED, Status.EXPIRED, Status.REFUNDED}


def test_nothing_leaves_a_final_status_but_what_people_let_money_in_suspense_pay() -> None:
    leaving = [one for one in TRANSITIONS if FINAL & set(one.sources)]
    assert [(one.action[0], one.target) for one in leaving] == [(PaymentAction.ASSIGN, Status.PAID)]
    assert Status.REFUNDED not in leaving[0].sources


def test_money_moves_exactly_when_a_payment_becomes_paid() -> None:
    for one in TRANSITIONS:
        becomes_paid = one.target == Status.PAID and Status.PAID not in one.sources
        assert (one.books is not None) == becomes_paid
        assert (one.announces == ("payment.paid",)) == becomes_paid
        assert one.posts == ("payment.paid" if becomes_paid else None)
