"""Credits, withdrawals and disputes of one wallet at the same moment, and no sweep: nothing gets past who waits."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connections, transaction
from django.http import HttpResponse

from accounts.models import Merchant
from gateway.payments import services as payments
from gateway.refunds import services as refunds
from gateway.refunds.models import OPEN, Refund
from gateway.withdrawals.models import Withdrawal
from ledger.books.models import Balance
from ledger.chart import AccountKind
from ledger.verify import verify
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.refunds import answered, ask, decided, disputed, now, paid, wallet, withdraw_all_but
from tests.support.threads import at_once, wait_for_waiters
from tests.support.withdrawals import ask as withdraw
from tests.support.withdrawals import register

pytestmark = pytest.mark.django_db(transaction=True)

CREATED, TOO_LITTLE = (201, "ONP201"), (422, "ONP422_INSUFFICIENT_BALANCE")
Call = Callable[[], HttpResponse]


@pytest.fixture
def caller(transactional_db: None, acme: Shop, address: str) -> Callable[[], Api]:
    """Another process of acme's backend at each call."""
    register(acme, address)
    return lambda: Api(acme.sandbox_key, address)


def outcomes(answers: list[HttpResponse]) -> Counter[tuple[int, str]]:
    return Counter((answer.status_code, answer.json()["onpayCode"]) for answer in answers if answer.content)


def coming_in(shop: Shop, amount: str) -> Call:
    """A payment that is paid at that moment."""
    payment_id = a_payment(shop.sandbox, amount=amount).pk

    def pay() -> HttpResponse:
        payments.simulate(Merchant.objects.select_related("company").get(pk=shop.sandbox.pk), payment_id, "PAID")
        return HttpResponse()

    return pay


def is_right(shop: Shop) -> bool:
    """Nothing is available while somebody lacks money, and the books are right."""
    lacking = any(refund.shortfall for refund in Refund.objects.filter(status__in=OPEN))
    return verify() == [] and not (lacking and sum(wallet(shop)[:2]))


def test_dispute_first_then_five_payments_each_withdrawn_at_once(
    api: Api, acme: Shop, caller: Callable[[], Api]
) -> None:
    payment = paid(api, amount=1000)
    withdraw_all_but(acme, 0)
    refund = disputed(api, payment)

    for _ in range(5):
        answers = at_once(coming_in(acme, "200.00"), *[lambda: withdraw(caller(), acme, amount=190)] * 4)
        assert outcomes(answers) == {TOO_LITTLE: 4}

    assert (now(api, refund)["blockedAmount"], wallet(acme)[0]) == (990.05, 0)
    assert Withdrawal.objects.count() == 0
    assert is_right(acme)


def test_credits_and_withdrawals_at_once_leave_the_payer_everything_first(
    api: Api, acme: Shop, caller: Callable[[], Api]
) -> None:
    payment = paid(api, amount=1000)
    withdraw_all_but(acme, 0)
    refund = disputed(api, payment)

    answers = at_once(
        *[coming_in(acme, "200.00") for _ in range(6)], *[lambda: withdraw(caller(), acme, amount=90)] * 10
    )

    assert set(outcomes(answers)) <= {CREATED, TOO_LITTLE}
    assert now(api, refund)["blockedAmount"] == 1000
    assert outcomes(answers)[CREATED] <= 2  # of the 188.06 that came beside it
    assert is_right(acme)


def test_a_dispute_in_the_moment_of_credits_and_withdrawals(api: Api, acme: Shop, caller: Callable[[], Api]) -> None:
    for _ in range(5):
        payment = paid(api, amount=500)
        withdraw_all_but(acme, min(10_000, wallet(acme)[0] - 1))
        wish = f"/simulations/payments/{payment}/refund-requests"

        answers = at_once(
            lambda path=wish: caller().post(path, {}),
            *[coming_in(acme, "50.00") for _ in range(3)],
            *[lambda: withdraw(caller(), acme, amount=40)] * 4,
            lambda one=payment: ask(caller(), one, amount=10),
        )

        codes = {CREATED, TOO_LITTLE, (409, "ONP409_REFUND_IN_DISPUTE"), (422, "ONP422_REFUND_AMOUNT_EXCEEDED")}
        assert set(outcomes(answers)) <= codes
        assert is_right(acme)


def test_disputes_that_end_while_money_comes_neither_wait_for_ever_nor_lose_a_cent(
    api: Api, acme: Shop, caller: Callable[[], Api]
) -> None:
    for _ in range(3):
        made = [paid(api, amount=100) for _ in range(4)]
        paid(api, "DEBIT_CARD", amount=60)
        withdraw_all_but(acme, 0)
        waiting = [disputed(api, one) for one in made]

        answers = at_once(
            *[lambda one=one: decided(caller(), one, "CANCELED") for one in waiting[:2]],
            *[lambda one=one: answered(caller(), one, "ACCEPT") for one in waiting[2:]],
            *[coming_in(acme, "70.00") for _ in range(4)],
        )

        assert set(outcomes(answers)) == {(200, "ONP200"), CREATED}
        assert is_right(acme)


def test_releasing_money_that_returns_does_not_stand_in_the_way_of_money_that_comes(api: Api, acme: Shop) -> None:
    """Each goes on to another refund that lacks money: neither may have an account that the other one has passed."""
    one, two, three = [paid(api, amount=100) for _ in range(3)]
    paid(api, "DEBIT_CARD", amount=60)
    withdraw_all_but(acme, 0)
    from_releasing, early, late = [disputed(api, payment) for payment in (one, two, three)]
    assert [one["blockedAmount"] for one in (from_releasing, early, late)] == [58.81, 0, 0]
    pay = coming_in(acme, "150.00")
    available = Balance.objects.filter(account__merchant=acme.sandbox, account__kind=AccountKind.AVAILABLE)

    def begun(threads: ThreadPoolExecutor, call: Callable[[], Any], waiting: int) -> Future[Any]:
        def alone() -> Any:
            try:
                return call()
            finally:
                connections.close_all()

        calling = threads.submit(alone)
        wait_for_waiters(waiting)
        return calling

    with ThreadPoolExecutor(2) as threads:
        with transaction.atomic():
            available.select_for_update(of=("self",)).get()
            Refund.objects.select_for_update(of=("self",)).get(pk=early["id"])
            comes = begun(threads, pay, 1)
            returns = begun(threads, lambda: refunds.simulate(acme.sandbox, from_releasing["id"], "CANCELED"), 2)
        comes.result(timeout=20)
        returns.result(timeout=20)

    assert [now(api, one)["blockedAmount"] for one in (early, late)] == [100, 100]
    assert is_right(acme)
