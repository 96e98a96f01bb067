"""Whatever a bank answers, or does not: it is unclear, never a failure, and nothing happens twice."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from gateway.methods.rail import PaymentAction, PaymentOrder, PaymentResult, Rail, RefundOrder
from gateway.providers.bacen_pix.provider import BacenPixProvider
from gateway.providers.errors import NotSent, Unclear
from tests.support.bacen_pix.bank import AFTER, BEFORE, WAITED_FOR, Bank

RefundOf = Callable[[str, str], RefundOrder]
NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)
REFUSALS = {"404 of another kind", "400", "403", "422", "400 after", "403 after", "401"}
USELESS = sorted((BEFORE.keys() | AFTER.keys() | {"unknown status"}) - REFUSALS)
AT_ONCE = sorted(set(USELESS) - set(WAITED_FOR))
"""Those that are not waited for."""
both_kinds = pytest.mark.parametrize("kind", ["cob", "cobv"])


def txid(order: PaymentOrder) -> str:
    return order.payment_id.removeprefix("pay_")


@pytest.mark.a_third_a_day
@both_kinds
@pytest.mark.parametrize("failure", USELESS)
def test_an_order_with_a_useless_answer_is_unclear_and_one_charge_in_the_end(
    bank: Bank, rail: Rail, order: PaymentOrder, failure: str
) -> None:
    bank.will(failure)
    with pytest.raises(Unclear):
        rail.instruct(order)
    assert bank.elsewhere == []

    known = rail.ask(order, PaymentAction.PREPARE).answered
    assert known == (PaymentResult.WAITING if bank.books.charges else PaymentResult.NOT_RECEIVED)
    assert rail.instruct(order).answered == PaymentResult.WAITING
    assert len(bank.books.charges) == 1


@pytest.mark.a_third_a_day
@both_kinds
@pytest.mark.parametrize("failure", AT_ONCE)
def test_a_question_with_a_useless_answer_is_unclear(bank: Bank, rail: Rail, order: PaymentOrder, failure: str) -> None:
    rail.instruct(order)
    bank.will(failure)
    with pytest.raises(Unclear):
        rail.ask(order, PaymentAction.PAY)
    assert rail.ask(order, PaymentAction.PAY).answered == PaymentResult.WAITING


@both_kinds
def test_an_address_that_does_not_exist_says_nothing_about_a_payment(
    bank: Bank, rail: Rail, order: PaymentOrder
) -> None:
    rail.instruct(order)
    bank.will("404 of another kind")
    with pytest.raises(Unclear, match="HTTP 404 RecursoInexistente"):
        rail.ask(order, PaymentAction.PAY)


@pytest.mark.a_third_a_day
@both_kinds
@pytest.mark.parametrize("failure", [*AT_ONCE, "timeout after"])
def test_a_cancellation_with_a_useless_answer_is_unclear(
    bank: Bank, rail: Rail, order: PaymentOrder, failure: str
) -> None:
    rail.instruct(order)
    bank.will(failure)
    with pytest.raises(Unclear):
        rail.cancel(order)
    assert rail.cancel(order).answered == PaymentResult.DONE


@pytest.mark.a_third_a_day
@pytest.mark.parametrize("failure", USELESS)
def test_a_refund_with_a_useless_answer_is_unclear_and_paid_once(
    bank: Bank, rail: Rail, refund_of: RefundOf, failure: str
) -> None:
    bank.books.settles = "DEVOLVIDO"
    refund = refund_of(bank.books.pay(None, "100.00"), "100.00")
    bank.will(failure)
    with pytest.raises(Unclear):
        rail.refund(refund, NOON)

    known = rail.ask_refund(refund, NOON).answered
    assert known == (PaymentResult.DONE if bank.books.returned() else PaymentResult.NOT_RECEIVED)
    assert rail.refund(refund, NOON).answered == PaymentResult.DONE
    assert bank.books.returned() == Decimal("100.00")


@pytest.mark.a_third_a_day
@pytest.mark.parametrize("failure", AT_ONCE)
def test_a_question_about_a_refund_with_a_useless_answer_is_unclear(
    bank: Bank, rail: Rail, refund_of: RefundOf, failure: str
) -> None:
    refund = refund_of(bank.books.pay(None, "100.00"), "40.00")
    rail.refund(refund, NOON)
    bank.will(failure)
    with pytest.raises(Unclear):
        rail.ask_refund(refund, NOON)


@pytest.mark.a_third_a_day
@pytest.mark.parametrize("failure", sorted({*AT_ONCE, "timeout before", "400", "401", "403"} - {"unknown status"}))
def test_without_an_access_token_nothing_is_sent(bank: Bank, rail: Rail, order: PaymentOrder, failure: str) -> None:
    bank.will(failure, on="^POST /oauth/token")
    with pytest.raises(NotSent, match="no access token"):
        rail.instruct(order)
    assert (bank.calls, bank.books.charges) == (["POST /oauth/token"], {})


@pytest.mark.a_third_a_day
@pytest.mark.parametrize("failure", sorted({*AT_ONCE, "403"} - {"unknown status"}))
def test_a_list_of_money_with_a_useless_answer_is_unclear(bank: Bank, provider: BacenPixProvider, failure: str) -> None:
    bank.will(failure)
    with pytest.raises(Unclear):
        list(provider.received(NOON, NOON + timedelta(hours=1)))


@pytest.mark.parametrize("closed", ["https://localhost:1", "https://a..b"])
def test_an_unreachable_bank_was_sent_nothing(
    connect: Callable[..., BacenPixProvider], order: PaymentOrder, closed: str
) -> None:
    with pytest.raises(NotSent, match="no connection"):
        connect(base_url=closed, token_url=f"{closed}/oauth/token").rails()[0].instruct(order)


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_bank_whose_clock_differs_by_an_hour_is_understood(
    bank: Bank, rail: Rail, provider: BacenPixProvider, order: PaymentOrder, hours: int
) -> None:
    bank.books.clock_offset = timedelta(hours=hours)

    assert rail.instruct(order).answered == PaymentResult.WAITING
    money = bank.books.pay(txid(order))
    assert rail.ask(order, PaymentAction.PAY).reference == money
    around = datetime.now(UTC) + timedelta(hours=hours)
    found = provider.received(around - timedelta(minutes=1), around + timedelta(minutes=1))
    assert [one.end_to_end_id for one in found] == [money]
    assert len(bank.tokens) == 1


def test_one_token_serves_many_calls(bank: Bank, rail: Rail, order: PaymentOrder) -> None:
    for _ in range(3):
        rail.instruct(order)
    assert bank.calls.count("POST /oauth/token") == 1


@pytest.mark.parametrize("seconds", [0, 60, "60"])
def test_a_token_is_renewed_before_it_ends(bank: Bank, rail: Rail, order: PaymentOrder, seconds: int | str) -> None:
    bank.token_lasts_s = seconds
    for _ in range(3):
        rail.instruct(order)
    assert bank.calls.count("POST /oauth/token") == 3


@pytest.mark.parametrize("seconds", ["soon", -5, None, [1], "9" * 5000, 10**400])
def test_a_token_with_an_absurd_life_is_not_used(bank: Bank, rail: Rail, order: PaymentOrder, seconds: object) -> None:
    bank.token_lasts_s = seconds
    with pytest.raises(NotSent):
        rail.instruct(order)
    assert bank.calls == ["POST /oauth/token"]


@pytest.mark.parametrize("error", [["invalid_client"], {"error": "invalid_client"}, 7])
def test_an_error_of_another_form_than_text_is_a_missing_token(
    bank: Bank, rail: Rail, order: PaymentOrder, monkeypatch: pytest.MonkeyPatch, error: object
) -> None:
    monkeypatch.setattr(bank, "token", lambda *_: (400, {"error": error}))
    with pytest.raises(NotSent, match="no access token: HTTP 400"):
        rail.instruct(order)
    assert bank.books.charges == {}


def test_a_token_that_the_bank_forgot_is_renewed_once(bank: Bank, rail: Rail, order: PaymentOrder) -> None:
    rail.instruct(order)
    bank.tokens.clear()

    assert rail.ask(order, PaymentAction.PAY).answered == PaymentResult.WAITING
    assert bank.calls.count("POST /oauth/token") == 2


def test_a_bank_that_refuses_its_own_tokens_is_asked_twice_and_no_more(
    bank: Bank, rail: Rail, order: PaymentOrder
) -> None:
    bank.will("401", "401", "401")
    with pytest.raises(NotSent, match="token was refused"):
        rail.instruct(order)
    assert (bank.failures, bank.books.charges) == (["401"], {})


@pytest.mark.parametrize("failure", ["timeout before", "trickle"])
def test_a_call_ends_at_its_deadline(bank: Bank, rail: Rail, order: PaymentOrder, failure: str) -> None:
    rail.instruct(order)
    bank.will(failure)
    bank.stalls_s, started = 5, time.monotonic()
    with pytest.raises(Unclear, match="within 1 s"):
        rail.ask(order, PaymentAction.PAY)
    assert time.monotonic() - started < 3
