"""A CLABE for each payment: what arrives there, whatever is told of it, and how it goes back."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from structlog.testing import capture_logs

from accounts.base.ids import new_id
from gateway.methods.rail import Money, PaymentAction, PaymentOrder, PaymentOutcome, PaymentResult, Rail, RefundOrder
from gateway.methods.spei.clabe import is_clabe
from gateway.providers.errors import NotConnected, Unclear
from gateway.providers.numbers import IssuedNumber
from gateway.providers.stp.api import MEXICO
from gateway.providers.stp.credentials import StpCredentials
from gateway.providers.stp.provider import StpProvider
from tests.support.stp.books import OWN, PAYER, PREFIX
from tests.support.stp.service import NEVER_CLEAR, Stp
from tests.support.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)


def clabe_of(outcome: PaymentOutcome) -> str:
    return str(outcome.details["bankDetails"]["clabe"])


def refund_of(order: PaymentOrder, money: str, amount: str = "50.00") -> RefundOrder:
    return RefundOrder(new_id("ref"), order.payment_id, money, Decimal(amount), "MXN")


def reference(row: dict[str, object]) -> str:
    return f"{row['claveRastreo']}-{row['institucionContraparte']}-{row['fechaOperacion']}"


def test_each_payment_gets_a_clabe_of_the_prefix_and_keeps_it(rail: Rail, order: PaymentOrder, stp: Stp) -> None:
    first, again = rail.instruct(order), rail.instruct(order)
    other = rail.instruct(replace(order, payment_id=new_id("pay")))

    assert first == again and first.answered == PaymentResult.WAITING
    assert all(is_clabe(clabe_of(one)) and clabe_of(one).startswith(PREFIX) for one in (first, other))
    assert clabe_of(first) != clabe_of(other)
    assert rail.shown(first.details)["bankDetails"]["beneficiaryName"] == "Onpay México"
    assert stp.calls == []


def test_processes_never_give_out_a_clabe_twice(rail: Rail, order: PaymentOrder) -> None:
    orders = [replace(order, payment_id=new_id("pay")) for _ in range(4)] * 2

    given = at_once(*(lambda one=one: (one.payment_id, clabe_of(rail.instruct(one))) for one in orders))

    assert len(set(given)) == len(dict(given)) == len(set(dict(given).values())) == 4


def test_a_prefix_without_numbers_left_refuses_and_gives_no_clabe_twice(stp: Stp, order: PaymentOrder) -> None:
    credentials = StpCredentials.model_validate(stp.credentials(clabe_prefix=f"{PREFIX}000"))
    IssuedNumber.objects.create(series="CLABE", number=credentials.numbers[-1], payment_id=new_id("pay"))
    rail = StpProvider(credentials).rails()[0]

    assert rail.instruct(order).answered == PaymentResult.REFUSED
    assert rail.ask(order, PaymentAction.PAY).answered == PaymentResult.REFUSED
    assert IssuedNumber.objects.count() == 1


def test_exact_money_pays_and_all_other_money_is_told_beside_it(rail: Rail, order: PaymentOrder, stp: Stp) -> None:
    account = clabe_of(rail.instruct(order))
    assert rail.ask(order, PaymentAction.PAY).answered == PaymentResult.WAITING
    short, exact = stp.books.deposit(account, "149.99"), stp.books.deposit(account, "150")
    stp.books.deposit(OWN, "150.00")

    told = rail.ask(order, PaymentAction.PAY)

    assert (told.answered, told.reference, told.amount) == (PaymentResult.DONE, reference(exact), order.amount)
    assert told.others == (Money(reference(short), Decimal("149.99"), "MXN"),)
    assert told.details == {"trackingKey": exact["claveRastreo"]}
    assert rail.cancel(order).answered == PaymentResult.REFUSED


def test_a_deposit_that_cannot_be_read_stops_no_other(rail: Rail, order: PaymentOrder, stp: Stp) -> None:
    other = replace(order, payment_id=new_id("pay"))
    accounts = [clabe_of(rail.instruct(one)) for one in (order, other)]
    stp.books.deposit(accounts[0], "150.00", institucionContraparte=None)
    stp.books.deposit(accounts[1], "150.00")

    with capture_logs() as logs:
        assert rail.ask(other, PaymentAction.PAY).answered == PaymentResult.DONE

    assert [one["log_level"] for one in logs if one["event"] == "provider.unreadable_deposit"] == ["critical"]
    assert rail.ask(order, PaymentAction.PAY).answered == PaymentResult.WAITING
    with pytest.raises(Unclear):
        rail.cancel(order)


def test_the_same_tracking_key_of_two_banks_is_two_deposits(rail: Rail, order: PaymentOrder, stp: Stp) -> None:
    account = clabe_of(rail.instruct(order))
    stp.books.deposit(account, "150.00", claveRastreo="1234567")
    stp.books.deposit(account, "150.00", claveRastreo="1234567", institucionContraparte=40002)

    told = rail.ask(order, PaymentAction.PAY)

    assert len({told.reference, *(one.reference for one in told.others)}) == 2


def test_an_order_of_ours_that_came_back_is_no_deposit(provider: StpProvider, rail: Rail, stp: Stp) -> None:
    stp.books.deposit(OWN, "1.20", tipoPago=0)
    stp.books.deposit(OWN, "1.20", estado="D")
    own = stp.books.deposit(OWN, "3.00")
    now = datetime.now(UTC)

    found = list(provider.arrivals(now - timedelta(days=2), now))

    assert [(one.method, one.money.reference, one.payment_id) for one in found] == [("SPEI", reference(own), None)]


def test_money_of_the_days_before_is_found_in_their_lists(
    provider: StpProvider, rail: Rail, order: PaymentOrder, stp: Stp
) -> None:
    row = stp.books.deposit(clabe_of(rail.instruct(order)), "150.00")
    day = datetime.now(MEXICO) - timedelta(days=1)
    while day.weekday() > 4:
        day -= timedelta(days=1)
    row["fechaOperacion"] = int(f"{day:%Y%m%d}")
    now = datetime.now(UTC)

    found = list(provider.arrivals(now - timedelta(days=4), now))

    assert [(one.payment_id, one.money.amount) for one in found] == [(order.payment_id, order.amount)]


def test_a_refund_is_an_order_to_the_payers_account_under_its_own_key(
    rail: Rail, order: PaymentOrder, stp: Stp
) -> None:
    money = reference(stp.books.deposit(clabe_of(rail.instruct(order)), "150.00"))
    refund, now = refund_of(order, money), datetime.now(UTC)

    assert rail.refund(refund, now).answered == PaymentResult.UNKNOWN
    stp.books.settle()
    done = rail.ask_refund(replace(refund, sent_at=now), now)

    sent = stp.books.sent[0]
    assert (done.answered, done.reference) == (PaymentResult.DONE, refund.refund_id.replace("ref_", "REF"))
    assert (sent["cuentaBeneficiario"], sent["institucionContraparte"], sent["monto"]) == (PAYER, 40012, 50)
    assert (stp.books.paid(PAYER), len(stp.books.sent)) == (Decimal("50.00"), 1)


@pytest.mark.parametrize("more", [{"cuentaOrdenante": "12345"}, {"cuentaOrdenante": None}])
def test_money_without_an_account_to_send_it_back_to_is_for_people(
    rail: Rail, order: PaymentOrder, stp: Stp, more: dict[str, object]
) -> None:
    money = reference(stp.books.deposit(clabe_of(rail.instruct(order)), "150.00", **more))

    told = rail.refund(refund_of(order, money), datetime.now(UTC))

    assert (told.answered, told.failure and told.failure[0]) == (PaymentResult.DECLINED, "NO_ACCOUNT")
    assert stp.books.sent == []


@pytest.mark.parametrize("state", ["CN", "D"])
def test_a_refund_that_the_bank_does_not_take_is_declined(
    rail: Rail, order: PaymentOrder, stp: Stp, state: str
) -> None:
    money = reference(stp.books.deposit(clabe_of(rail.instruct(order)), "150.00"))
    refund, now = refund_of(order, money), datetime.now(UTC)
    rail.refund(refund, now)
    stp.books.settle(state)

    told = rail.ask_refund(replace(refund, sent_at=now), now)

    assert told.answered == PaymentResult.DECLINED and told.failure


@pytest.mark.a_third_a_day
@pytest.mark.parametrize("failure", NEVER_CLEAR)
def test_a_refund_without_a_clear_answer_is_never_sent_twice(
    rail: Rail, order: PaymentOrder, stp: Stp, failure: str
) -> None:
    money = reference(stp.books.deposit(clabe_of(rail.instruct(order)), "150.00"))
    refund, now = refund_of(order, money), datetime.now(UTC)
    stp.will(failure, on="/registra")

    with pytest.raises(Unclear):
        rail.refund(refund, now)
    rail.refund(refund, now)
    stp.books.settle()
    rail.refund(refund, now)

    assert stp.books.paid(PAYER) == refund.amount
    assert stp.elsewhere == []


def test_the_connection_check_reads_the_balance(
    provider: StpProvider, stp: Stp, order: PaymentOrder, rail: Rail
) -> None:
    provider.check()
    assert provider.api.balance() == stp.books.balance == Decimal("10000.00")

    stp.books.deposit(clabe_of(rail.instruct(order)), "150.00")
    assert provider.api.balance() == Decimal("10150.00")


@pytest.mark.parametrize("failure", ["500", "HTML", "a list", "half a body", "nothing"])
def test_a_check_without_a_balance_fails(provider: StpProvider, stp: Stp, failure: str) -> None:
    stp.will(failure)

    with pytest.raises(NotConnected):
        provider.check()


def test_another_key_is_noticed_by_the_check(stp: Stp, make_key: Callable[[], str]) -> None:
    credentials = stp.credentials(private_key=make_key(), passphrase=None)

    with pytest.raises(NotConnected):
        StpProvider(StpCredentials.model_validate(credentials)).check()


def test_payments_that_are_paid_together_take_one_list_and_later_money_a_new_one(
    rail: Rail, order: PaymentOrder, stp: Stp
) -> None:
    days_ago = order.created_at - timedelta(days=4)
    orders = [replace(order, payment_id=new_id("pay"), created_at=days_ago) for _ in range(5)]
    accounts = [clabe_of(rail.instruct(one)) for one in orders]
    for account in accounts:
        stp.books.deposit(account, "150.00")

    assert {rail.ask(one, PaymentAction.PAY).answered for one in orders} == {PaymentResult.DONE}
    days = Counter(one.get("fechaOperacion") for one in stp.bodies)
    assert set(days.values()) == {1} and len(days) > 2

    later = stp.books.deposit(accounts[0], "20.00")
    told = rail.ask(orders[0], PaymentAction.PAY)
    assert [one.reference for one in told.others] == [reference(later)]
    unpaid = replace(order, payment_id=new_id("pay"))
    assert rail.ask(unpaid, PaymentAction.PAY).answered == PaymentResult.WAITING
    assert sum("fechaOperacion" not in one for one in stp.bodies) == 3
