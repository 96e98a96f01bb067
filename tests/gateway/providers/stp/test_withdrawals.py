"""Orders out: what STP answers, what it says later, and orders of which nobody knows whether they arrived."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from gateway.payouts.rail import PayoutOrder, PayoutRail, PayoutResult
from gateway.providers.errors import NotSent, Unclear
from gateway.providers.stp.credentials import StpCredentials
from gateway.providers.stp.provider import StpProvider
from tests.support.stp.books import OWN
from tests.support.stp.service import NEVER_CLEAR, Stp

Sent = Callable[..., PayoutOrder]


def now() -> datetime:
    return datetime.now(UTC)


def key(order: PayoutOrder) -> str:
    return order.withdrawal_id.replace("wdr_", "WDR")


def test_an_order_is_taken_settled_and_shown_with_its_receipt(
    payout: PayoutRail, withdrawal: PayoutOrder, sent: Sent, stp: Stp
) -> None:
    taken = payout.send(withdrawal, now())
    assert (taken.answered, taken.reference) == (PayoutResult.SENT, key(withdrawal))
    assert payout.ask(sent(), now()).answered == PayoutResult.SENT
    stp.books.settle()

    done = payout.ask(sent(), now())

    order = stp.books.sent[0]
    day = datetime.strptime(str(order["fechaOperacion"]), "%Y%m%d").date()
    assert (done.answered, done.reference) == (PayoutResult.DONE, key(withdrawal))
    assert done.details == {
        "cep": {
            "url": "https://www.banxico.org.mx/cep/",
            "operationDate": day.isoformat(),
            "senderBank": "90646",
            "receiverBank": "40072",
        }
    }
    assert (order["monto"], order["nombreBeneficiario"]) == (Decimal("99.50"), "Jose Nunez Hijos S A")
    assert len(order["claveRastreo"]) <= 30 and 0 < order["referenciaNumerica"] < 10**7
    assert stp.books.balance == Decimal("9900.50")


def test_the_receipts_own_address_is_shown_only_if_it_is_the_banks(
    payout: PayoutRail, withdrawal: PayoutOrder, sent: Sent, stp: Stp
) -> None:
    payout.send(withdrawal, now())
    stp.books.settle()
    own = "https://www.banxico.org.mx/cep/go?i=90646&s=20201229&d=abc"

    for told, shown in ((own, own), ("https://evil.example/cep/", "https://www.banxico.org.mx/cep/")):
        stp.books.sent[0]["urlCEP"] = told
        assert payout.ask(sent(), now()).details["cep"]["url"] == shown


@pytest.mark.parametrize("state", ["CN", "TCL", "RL", "RB", "EL"])
def test_an_order_that_was_canceled_or_rejected_was_never_paid(
    payout: PayoutRail, withdrawal: PayoutOrder, sent: Sent, stp: Stp, state: str
) -> None:
    payout.send(withdrawal, now())
    stp.books.settle(state)

    assert payout.ask(sent(), now()).answered == PayoutResult.DECLINED


@pytest.mark.parametrize("state", ["C", "PL", "L", "PA", "A", "E", "XC", "XD", "CR", "EA", "SOMETHING NEW"])
def test_a_state_that_promises_nothing_changes_nothing(
    payout: PayoutRail, withdrawal: PayoutOrder, sent: Sent, stp: Stp, state: str
) -> None:
    payout.send(withdrawal, now())
    stp.books.sent[0]["estado"] = state

    assert payout.ask(sent(), now()).answered == PayoutResult.SENT


def test_a_return_names_its_cause(payout: PayoutRail, withdrawal: PayoutOrder, sent: Sent, stp: Stp) -> None:
    payout.send(withdrawal, now())
    stp.books.settle()
    stp.books.send_back(stp.books.sent[0], cause=3)

    told = payout.ask(sent(has_arrived=True), now())

    assert told.answered == PayoutResult.RETURNED
    assert told.failure == ("RETURNED_BY_BANK", "The beneficiary's bank returned the money: the account is closed.")
    assert stp.books.balance == Decimal("10000.00")


@pytest.mark.parametrize(
    ("error", "code"), [(-7, "INVALID_DESTINATION"), (-20, "BANK_REJECTED"), (-200, "COMPLIANCE_REJECTED")]
)
def test_a_refusal_of_the_order_is_definite(
    payout: PayoutRail, withdrawal: PayoutOrder, stp: Stp, error: int, code: str
) -> None:
    stp.books.refuses = [error]

    told = payout.send(withdrawal, now())

    assert (told.answered, told.failure and told.failure[0]) == (PayoutResult.DECLINED, code)
    assert stp.books.sent == []


def test_a_refusal_is_not_believed_while_stp_has_the_order(
    payout: PayoutRail, withdrawal: PayoutOrder, stp: Stp
) -> None:
    payout.send(withdrawal, now())
    stp.books.refuses = [-7, -1]

    assert [payout.send(withdrawal, now()).answered for _ in range(2)] == [PayoutResult.SENT] * 2
    assert len(stp.books.sent) == 1


def test_a_key_that_was_used_means_that_the_order_arrived(
    payout: PayoutRail, withdrawal: PayoutOrder, stp: Stp
) -> None:
    payout.send(withdrawal, now())
    stp.books.settle()

    assert payout.send(withdrawal, now()).answered == PayoutResult.DONE
    stp.books.hides = True
    with pytest.raises(Unclear):
        payout.send(withdrawal, now())
    assert len(stp.books.sent) == 1


def test_another_amount_under_our_key_is_never_taken_for_ours(
    payout: PayoutRail, withdrawal: PayoutOrder, sent: Sent, stp: Stp
) -> None:
    payout.send(replace(withdrawal, payout_amount=Decimal("1.00")), now())
    stp.books.settle()

    with pytest.raises(Unclear):
        payout.send(withdrawal, now())
    with pytest.raises(Unclear):
        payout.ask(sent(), now())


@pytest.mark.a_third_a_day
@pytest.mark.parametrize("failure", NEVER_CLEAR)
def test_without_a_clear_answer_it_is_asked_and_money_leaves_at_most_once(
    payout: PayoutRail, withdrawal: PayoutOrder, sent: Sent, stp: Stp, failure: str
) -> None:
    stp.will(failure, on="/registra")
    with pytest.raises(Unclear):
        payout.send(withdrawal, now())
    arrived = len(stp.books.sent)
    stp.books.settle()

    if arrived:
        assert payout.ask(sent(), now()).answered == PayoutResult.DONE
    else:
        with pytest.raises(Unclear):  # it may still be on its way
            payout.ask(sent(), now())
        assert payout.ask(sent(now() - timedelta(minutes=11)), now()).answered == PayoutResult.NOT_RECEIVED
    payout.send(replace(withdrawal, sent_times=2), now())

    assert len(stp.books.sent) == 1
    assert stp.elsewhere == []


@pytest.mark.parametrize("failure", ["500", "401", "another form", "HTML", "half a body", "no answer of the service"])
def test_a_query_without_a_clear_answer_never_means_that_it_was_not_received(
    payout: PayoutRail, withdrawal: PayoutOrder, sent: Sent, stp: Stp, failure: str
) -> None:
    stp.will(failure, on="/consOrdEnvRastreo")

    with pytest.raises(Unclear):
        payout.ask(sent(now() - timedelta(minutes=11)), now())


def test_an_order_of_the_day_before_is_not_sent_again_under_its_key(
    payout: PayoutRail, withdrawal: PayoutOrder, sent: Sent, stp: Stp
) -> None:
    """STP takes a key once a day of operation: on the next day it would pay a second time."""
    payout.send(withdrawal, now())
    stp.books.settle()
    yesterday = now() - timedelta(days=1)
    while yesterday.weekday() > 4:
        yesterday -= timedelta(days=1)
    stp.books.sent[0]["fechaOperacion"] = int(f"{yesterday:%Y%m%d}")

    assert payout.ask(sent(yesterday), now()).answered == PayoutResult.DONE
    assert payout.send(replace(withdrawal, sent_times=2), now()).answered == PayoutResult.DONE
    assert len(stp.books.sent) == 1


def test_nothing_is_sent_to_a_bank_outside_spei_or_to_the_account_itself(
    payout: PayoutRail, withdrawal: PayoutOrder, stp: Stp
) -> None:
    for number in ("999180000000000019", OWN):
        to = replace(withdrawal, destination=dict(withdrawal.destination) | {"clabe": number})
        assert payout.send(to, now()).answered == PayoutResult.DECLINED
    assert stp.books.sent == []


def test_what_cannot_be_transmitted_is_not_sent(stp: Stp, withdrawal: PayoutOrder) -> None:
    nobody = StpCredentials.model_validate(stp.credentials(base_url="https://localhost:1"))

    with pytest.raises(NotSent):
        StpProvider(nobody).payout_rails()[0].send(withdrawal, now())


def test_returns_are_asked_for_ever_more_seldom_and_for_thirty_days(
    payout: PayoutRail, withdrawal: PayoutOrder, sent: Sent, stp: Stp
) -> None:
    payout.send(withdrawal, now())
    stp.books.settle()

    waits = [payout.ask(sent(has_arrived=True), now() + timedelta(days=age)).ask_after_s for age in (0, 1, 2, 4, 31)]

    assert waits[0] == 86_400 and waits[-1] is None
    assert [round(one / 86_400) for one in waits[1:-1] if one] == [1, 2, 4]
