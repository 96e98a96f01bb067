"""Many browsers confirm at once: one decides, and its payment is announced and posted once."""

from collections import Counter

import pytest
from django.http import HttpResponse

from gateway.methods.card.models import CardToken
from gateway.payments.due import EXPIRY
from gateway.payments.models import Payment
from ledger.books.models import Transfer
from tests.support.api import Api
from tests.support.cards import (
    APPROVED,
    CHALLENGE,
    REFUSED,
    TIMEOUT,
    Session,
    book,
    browser,
    lookup,
    opened,
    outcome,
    told,
)
from tests.support.companies import Shop
from tests.support.threads import Call, at_once

pytestmark = pytest.mark.django_db(transaction=True)

TOO_LATE = {(409, "PAYMENT_STATE"), (401, "SESSION_INVALID")}
"""Before the row is locked the session is seen to be over, or behind it."""


def confirming(session: Session, token: str) -> Call:
    return lambda: session.confirm(token)


def answering(url: str, decision: str) -> Call:
    return lambda: browser().post(url, {"decision": decision})


def decided(answers: list[HttpResponse]) -> set[str]:
    """How it ended for those who were not too late: who asks again is told how it ended."""
    outcomes = [outcome(answer) for answer in answers]
    return {code for status, code in outcomes if (status, code) not in TOO_LATE}


@pytest.mark.parametrize("cvc", ["123", "902"])
def test_eight_cards_at_once_are_one_payment(api: Api, acme: Shop, cvc: str) -> None:
    session = opened(api)
    tokens = [session.token(APPROVED, cvc) for _ in range(8)]

    answers = at_once(*[confirming(session, token) for token in tokens])

    assert decided(answers) == {"PAID"}
    assert CardToken.objects.exclude(used_at=None).count() == 1
    assert told(acme) == ["action_required", "authorized", "paid"]
    fee = 798 if cvc == "123" else 398
    method = "CREDIT_CARD" if cvc == "123" else "DEBIT_CARD"
    assert book(acme) == {
        "RELEASING PIX BRL": 20_000 - fee, f"CLEARING {method} BRL": -20_000, "FEE_INCOME BRL": fee,
    }  # fmt: skip


def test_the_same_card_eight_times_at_once_pays_once(api: Api, acme: Shop) -> None:
    session = opened(api)
    token = session.token()

    answers = at_once(*[confirming(session, token)] * 8)

    assert decided(answers) == {"PAID"}
    assert told(acme) == ["action_required", "authorized", "paid"]
    assert Transfer.objects.count() == 1


def test_different_fates_at_once_are_one_fate(api: Api, acme: Shop) -> None:
    for _ in range(3):
        session = opened(api)
        fates = [APPROVED, REFUSED, TIMEOUT, APPROVED, REFUSED, CHALLENGE, "5555555555554444", APPROVED]
        cards = [(session.token(number), number) for number in fates]

        answers = at_once(*[confirming(session, token) for token, _ in cards])

        asked = [answer for answer in answers if "threeDs" in answer.json()]
        ended = decided([answer for answer in answers if answer not in asked])
        status = lookup(api, session)["status"]
        assert (len(ended), status == "ACTION_REQUIRED") in [(1, False), (0, True)]
        assert len({answer.content for answer in asked}) <= 1
        assert CardToken.objects.filter(payment_id=session.id).exclude(used_at=None).count() == 1
        assert Transfer.objects.filter(reference=session.id).count() == (status == "PAID")
    ends = Counter(told(acme))
    assert ends["paid"] == ends["authorized"] == Payment.objects.filter(status="PAID").count()
    assert ends["failed"] == Payment.objects.filter(status="FAILED").count()
    assert ends["updated"] == Payment.objects.filter(status="PENDING").count()


def test_eight_confirmations_of_a_challenge_ask_one_question(api: Api, acme: Shop) -> None:
    session = opened(api)
    tokens = [session.token(CHALLENGE) for _ in range(8)]

    answers = at_once(*[confirming(session, token) for token in tokens])

    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.json()["threeDs"]["challengeUrl"] for answer in answers}) == 1
    assert CardToken.objects.exclude(used_at=None).count() == 1
    assert told(acme) == ["action_required"]


def test_yes_and_no_at_once_are_one_answer(api: Api, acme: Shop) -> None:
    session = opened(api)
    url = session.pay(CHALLENGE).json()["threeDs"]["challengeUrl"]

    pages = at_once(*[answering(url, decision) for decision in ("approve", "refuse") * 4])

    assert {page.status_code for page in pages} == {200}
    status = lookup(api, session)["status"]
    assert told(acme) in (["action_required", "authorized", "paid"], ["action_required", "failed"])
    assert (status, Transfer.objects.count()) in [("PAID", 1), ("FAILED", 0)]


def test_a_confirmation_and_the_end_of_the_session_do_not_both_happen(api: Api, acme: Shop) -> None:
    session = opened(api)
    token = session.token()

    def expire() -> HttpResponse:
        EXPIRY.run_at_clock(acme.sandbox, session.id)
        return HttpResponse()

    answers = at_once(*[confirming(session, token)] * 4, *[expire] * 4)

    ends = told(acme)[1:]
    assert ends in (["authorized", "paid"], ["expired"])
    assert decided(answers[:4]) == ({"PAID"} if ends != ["expired"] else set())
    assert Transfer.objects.count() == (ends != ["expired"])


def test_payments_of_two_companies_do_not_wait_for_each_other(
    api: Api, globex_api: Api, acme: Shop, globex: Shop
) -> None:
    sessions = [opened(one) for one in (api, globex_api) for _ in range(4)]
    calls = [confirming(session, session.token()) for session in sessions]

    answers = at_once(*calls)

    assert [outcome(answer) for answer in answers] == [(200, "PAID")] * 8
    for shop in (acme, globex):
        assert Counter(told(shop)) == {"action_required": 4, "authorized": 4, "paid": 4}
        assert book(shop)["RELEASING PIX BRL"] == 4 * 19_202
