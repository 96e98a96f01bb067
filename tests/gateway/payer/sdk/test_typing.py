"""What is typed into the fields: a slip leaves the session open, and a token pays once and for one payment."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection

from gateway.methods.card.models import CardToken
from gateway.tasks import forget_cards
from ledger.books.models import Transfer
from tests.support.api import Api
from tests.support.cards import APPROVED, CHALLENGE, Session, lookup, opened, outcome, told, wait
from tests.support.companies import Shop

commits = pytest.mark.django_db(transaction=True)
"""What was refused is undone at once, and then the middleware asks where the payment lives by now."""

BAD_NUMBERS = [
    "4242424242424241", "42424242424242424242", "424242424242", "4242 4242 4242 4242", "x", "", None, 4242424242424242,
    ["4242424242424242"], "٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢", "4242424242424242\n", "-4242424242424242", "3782822463100051",
]  # fmt: skip
BAD_DATES: list[dict[str, Any]] = [
    {"expMonth": 0}, {"expMonth": 13}, {"expMonth": -1}, {"expMonth": "12"}, {"expMonth": 1.5}, {"expMonth": None},
    {"expMonth": True}, {"expYear": 2020}, {"expYear": 40}, {"expYear": "2040"}, {"expYear": None}, {"expYear": 9999},
    {"expYear": 10**30},
]  # fmt: skip
BAD_CVCS = ["", "1", "12", "1234", "abc", "12a", None, 123, "١٢٣", " 123", "123\n"]
SLIPS = [
    *(({"number": number}, "INVALID_NUMBER", "cardNumber") for number in BAD_NUMBERS),
    *((members, "INVALID_EXPIRY", "cardExpiry") for members in BAD_DATES),
    *(({"cvc": cvc}, "INVALID_CVC", "cardCvc") for cvc in BAD_CVCS),
    ({"number": "378282246310005", "cvc": "123"}, "INVALID_CVC", "cardCvc"),
]


@pytest.mark.a_third_a_day
@pytest.mark.parametrize(("members", "code", "field"), SLIPS, ids=range(len(SLIPS)))
def test_a_slip_is_said_beside_its_field_and_leaves_the_session_open(
    api: Api, members: dict[str, Any], code: str, field: str
) -> None:
    session = opened(api)

    answer = session.call("tokens", {"number": APPROVED, "expMonth": 12, "expYear": 2040, "cvc": "123"} | members)

    assert outcome(answer) == (400, code)
    assert set(answer.json()) == {"error"}
    assert answer.json()["error"]["field"] == field
    assert answer.json()["error"]["message"]
    assert lookup(api, session) == session.payment
    assert CardToken.objects.count() == 0
    assert outcome(session.pay()) == (200, "PAID")


def test_a_card_is_good_to_the_last_day_of_its_month(api: Api) -> None:
    session = opened(api)
    year, month = (int(part) for part in session.payment["createdAt"].split("-")[:2])
    last_month = {"expYear": year, "expMonth": month - 1} if month > 1 else {"expYear": year - 1, "expMonth": 12}

    assert outcome(session.type(**last_month)) == (400, "INVALID_EXPIRY")
    assert session.type(expYear=year, expMonth=month).status_code == 201


def test_a_token_says_brand_and_last_four_and_nothing_else(api: Api) -> None:
    session = opened(api)

    answer = session.type()

    assert answer.status_code == 201
    assert set(answer.json()) == {"cardToken", "card"}
    assert answer.json()["card"] == {"brand": "visa", "last4": "4242"}
    assert lookup(api, session) == session.payment


@commits
@pytest.mark.parametrize("token", ["", "cat_", "cat_x", "x" * 4000, "pmt_sandbox_approved", "\x00"])
def test_an_invented_token_pays_nothing(api: Api, token: str) -> None:
    session = opened(api)

    assert outcome(session.confirm(token)) == (400, "CARD_TOKEN_INVALID")
    assert lookup(api, session) == session.payment


@commits
def test_without_a_card_there_is_nothing_to_confirm(api: Api) -> None:
    session = opened(api)

    for body in ({}, {"cardToken": None}):
        assert session.call("confirm", body).status_code in (400, 409)
    assert lookup(api, session) == session.payment


@commits
def test_the_token_of_another_payment_pays_nothing(api: Api, globex_api: Api, globex: Shop) -> None:
    session, other = opened(api), opened(globex_api)
    token = session.token()

    assert outcome(other.confirm(token)) == (400, "CARD_TOKEN_INVALID")
    assert lookup(globex_api, other) == other.payment
    assert told(globex) == ["action_required"]
    assert outcome(session.confirm(token)) == (200, "PAID")


@commits
def test_a_token_is_good_for_ten_minutes(api: Api) -> None:
    session = opened(api)
    token, fresh = session.token(), session.token()
    tokens = list(CardToken.objects.order_by("created_at"))
    for one, age_s in zip(tokens, (600, 595), strict=True):
        _is_older(one, age_s)

    assert outcome(session.confirm(token)) == (400, "CARD_TOKEN_INVALID")
    assert lookup(api, session) == session.payment
    assert outcome(session.confirm(fresh)) == (200, "PAID")


def test_a_session_takes_twenty_cards(api: Api) -> None:
    session = opened(api)
    tokens = [session.token() for _ in range(20)]

    assert outcome(session.type()) == (429, "TOO_MANY_ATTEMPTS")
    assert CardToken.objects.count() == 20
    assert outcome(session.confirm(tokens[0])) == (200, "PAID")


def test_a_token_pays_once(api: Api, acme: Shop) -> None:
    session = opened(api)
    token = session.token()
    assert outcome(session.confirm(token)) == (200, "PAID")
    paid = lookup(api, session)

    for one in (token, "cat_x"):
        assert outcome(session.confirm(one)) == (200, "PAID")  # told again, not charged again

    assert lookup(api, session) == paid
    assert told(acme) == ["action_required", "authorized", "paid"]
    assert Transfer.objects.count() == 1


def test_a_token_that_was_used_is_used_for_the_challenge_too(api: Api) -> None:
    session = opened(api)
    token, other = session.token(CHALLENGE), session.token()
    asked = session.confirm(token).json()

    assert session.confirm(token).json() == session.confirm(other).json() == asked
    assert list(asked) == ["threeDs"]
    assert CardToken.objects.filter(used_at=None).count() == 1


def test_cards_are_forgotten_after_a_day(api: Api) -> None:
    old, young = opened(api), opened(api)
    old.token()
    young.token()
    _is_older(CardToken.objects.get(payment_id=old.id), 86_401)

    forget_cards()

    assert [card.payment_id for card in CardToken.objects.all()] == [young.id]


def test_the_time_of_the_session_is_that_of_the_company(api: Api, globex_api: Api) -> None:
    session, other = opened(api), opened(globex_api)

    wait(globex_api, 1800)

    assert outcome(Session(other.payment).call("session")) == (401, "SESSION_INVALID")
    assert session.call("session").status_code == 200


def _is_older(card: CardToken, seconds: float) -> None:
    """The vault lives by the real clock: it is turned back for one card."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE gateway_cardtoken SET created_at = created_at - %s WHERE digest = %s",
            [timedelta(seconds=seconds), bytes(card.digest)],
        )
