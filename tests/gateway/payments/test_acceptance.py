"""Acceptance by acquirer: each payment counts where it was asked, and every company sees its own only."""

from datetime import UTC
from decimal import Decimal

import pytest

from accounts.base.periods import Period
from gateway.methods.rail import PaymentOutcome, PaymentResult
from gateway.payments import acceptance
from gateway.payments.acceptance import Attempts
from gateway.payments.models import Payment
from tests.support.companies import Shop
from tests.support.production import PIX, api_of, live
from tests.support.scripted_provider import Script, rewritten

R = PaymentResult
WAITING = PaymentOutcome(R.WAITING, {"pixCopyPaste": "000201code", "pixTxid": "TX"})
PAID = PaymentOutcome(R.DONE, {"pixEndToEndId": "E1"}, reference="E1")
FUNDS = PaymentOutcome(R.DECLINED, failure=("INSUFFICIENT_FUNDS", "The card does not have enough funds."))
ODD = PaymentOutcome(R.DECLINED, failure=("ACQUIRER_REFUSED", "The acquirer did not process the payment."))
REFUSED = PaymentOutcome(R.REFUSED, failure=("ACQUIRER_REFUSED", "No."))


@pytest.fixture
def script(db: None) -> Script:
    return rewritten()


def pay(shop: Shop, script: Script, *answers: PaymentOutcome) -> None:
    api = api_of(shop)
    for number, answer in enumerate(answers):
        script.answers["first instruct"] = [answer]
        api.post("/payments", PIX | {"reference": f"order-{number}"})


def test_what_became_of_each_attempt_is_counted_where_it_was_made(acme: Shop, globex: Shop, script: Script) -> None:
    live(globex)
    first, second = live(acme, "first", "second")
    script.answers["second instruct"] = [FUNDS]
    pay(acme, script, PAID, WAITING, FUNDS, FUNDS, ODD, REFUSED)
    pay(globex, script, PAID)
    today = Period.last_days(acme.production, 1, UTC)

    everybody = acceptance.of_everybody(today)
    own = acceptance.of_merchant(acme.production, today)

    assert [(one.acquirer, one.count, one.paid, one.rate) for one in everybody] == [
        (str(first), 7, 2, Decimal("33.3")),
        (str(second), 1, 0, Decimal(0)),
    ]
    by_first = everybody[0]
    assert (by_first.declined, by_first.technical, by_first.moved, by_first.undecided) == (2, 1, 1, 1)
    assert by_first.top_reasons == [("INSUFFICIENT_FUNDS", 2), ("ACQUIRER_REFUSED", 1)]
    (scripted,) = own  # both accounts are at the same institution
    assert (scripted.acquirer, scripted.method, scripted.currency) == ("Scripted bank", "PIX", "BRL")
    assert (scripted.count, scripted.paid, scripted.declined, scripted.moved) == (7, 1, 3, 1)
    assert acceptance.of_merchant(acme.sandbox, today) == []
    assert Payment.objects.exclude(moved_from=None).get().moved_from == first


def test_without_a_decision_there_is_no_rate() -> None:
    open_only = Attempts("Stripe", "CREDIT_CARD", "BRL", undecided=3)
    assert (open_only.count, open_only.rate, open_only.top_reasons) == (3, None, [])


def test_no_page_adds_up_more_than_ninety_days(acme: Shop) -> None:
    with pytest.raises(AssertionError):
        acceptance.of_everybody(Period.last_days(acme.production, 91, UTC))
