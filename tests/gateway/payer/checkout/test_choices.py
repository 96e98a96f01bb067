"""What a payer chooses in the checkout is the outcome: once, in time, and only when everything was answered."""

import re
from datetime import timedelta
from decimal import Decimal

import pytest

from accounts.models import Merchant
from gateway.payments.due import EXPIRY
from gateway.payments.models import Payment
from ledger.books.models import Transfer
from tests.support.api import Api, used
from tests.support.checkout import (
    ANSWERS,
    CC,
    EMAIL,
    METHODS,
    Checkout,
    browser,
    now_shown,
    opened,
    questions,
    spoken,
)
from tests.support.companies import Shop
from webhooks.models import Event

NOT_PAID = "The payment was declined. You have not been charged."
OVER = "This payment has expired You have not been charged. Ask the shop for a new payment."
PSE_ANSWERS = ANSWERS["PSE"] | EMAIL
really = pytest.mark.django_db(transaction=True)
"""A refusal inside the page ends its transaction, which must not be the one of the test."""


@pytest.fixture
def checkout(api: Api) -> Checkout:
    return opened(api)


def told() -> list[str]:
    return list(Event.objects.order_by("occurred_at", "created_at", "id").values_list("type", flat=True))


def nothing_moved(api: Api, checkout: Checkout) -> bool:
    return (
        now_shown(api, checkout) == checkout.payment and told() == ["payment.updated"] and not Transfer.objects.count()
    )


def later(shop: Shop, **by: float) -> None:
    Merchant.objects.filter(pk=shop.sandbox.pk).update(clock_offset=timedelta(**by))


@pytest.mark.parametrize("method", METHODS)
def test_paying_pays(api: Api, acme: Shop, method: str) -> None:
    checkout = opened(api, method)

    answer = checkout.pay()

    assert (answer.status_code, answer["Location"]) == (303, checkout.path)
    paid = now_shown(api, checkout)
    assert (paid["status"], "nextAction" in paid, "failure" in paid) == ("PAID", False, False)
    assert told() == ["payment.updated", "payment.paid"]
    [wallet] = used(api.get(f"/companies/{acme.company.id}/balance").json()["data"]["wallets"])
    assert wallet == {
        "method": "BANK_TRANSFER", "currency": "COP", "available": 147_015, "releasing": 0, "blocked": 0,
        "total": 147_015,
    }  # fmt: skip
    assert Decimal(str(paid["netAmount"])) == 147_015
    assert "Paid Thank you. Acme has been notified." in checkout.text()
    assert questions(checkout.open()) == set()
    assert Payment.objects.get().rail_reference


@pytest.mark.parametrize("method", METHODS)
def test_refusing_needs_no_answers_and_fails(api: Api, method: str) -> None:
    checkout = opened(api, method)

    assert checkout.choose("refuse").status_code == 303

    failed = now_shown(api, checkout)
    assert (failed["status"], failed["failure"]["code"]) == ("FAILED", "PAYER_REJECTED")
    assert told() == ["payment.updated", "payment.failed"]
    assert Transfer.objects.count() == 0
    assert NOT_PAID in checkout.text()


@really
@pytest.mark.parametrize(("first", "second"), [("pay", "refuse"), ("refuse", "pay"), ("pay", "pay")])
def test_a_second_choice_changes_nothing(api: Api, checkout: Checkout, first: str, second: str) -> None:
    checkout.choose(first, **PSE_ANSWERS)
    ended, announced = now_shown(api, checkout), told()

    again = checkout.choose(second, **PSE_ANSWERS)

    assert (again.status_code, again["Location"]) == (303, checkout.path)
    assert (now_shown(api, checkout), told()) == (ended, announced)
    assert ("Thank you" in checkout.text()) == (first == "pay")


@pytest.mark.a_third_a_day
@pytest.mark.parametrize(
    ("method", "said", "wrong"),
    [
        ("PSE", {"person": "NATURAL"} | EMAIL, {"bank"}),
        ("PSE", {"bank": "SANDBOX"} | EMAIL, {"person"}),
        ("PSE", ANSWERS["PSE"], {"email"}),
        ("PSE", {}, {"bank", "person", "email"}),
        ("PSE", PSE_ANSWERS | {"bank": "MINE"}, {"bank"}),
        ("PSE", PSE_ANSWERS | {"person": "CAT"}, {"person"}),
        ("PSE", PSE_ANSWERS | {"email": "camila"}, {"email"}),
        ("NEQUI", {}, {"phone"}),
        ("NEQUI", {"phone": "6011234567"}, {"phone"}),
        ("NEQUI", {"phone": "+351 912 344 567"}, {"phone"}),
        ("NEQUI", {"phone": "300123456"}, {"phone"}),
        ("BRE_B", {"email": " "}, {"email"}),
        ("BANK_TRANSFER", {}, {"email"}),
    ],
)
def test_a_missing_or_wrong_answer_is_asked_again_and_moves_nothing(
    api: Api, method: str, said: dict[str, str], wrong: set[str]
) -> None:
    checkout = opened(api, method)

    again = checkout.choose("pay", **said)

    text = again.content.decode()
    assert again.status_code == 200
    assert {name for name in questions(again) if f'id="{name}-error"' in text} == wrong
    assert all(f'aria-describedby="{name}-error"' in text for name in wrong)
    assert nothing_moved(api, checkout)


def test_what_was_right_need_not_be_said_again(api: Api) -> None:
    checkout = opened(api)

    text = checkout.choose("pay", **PSE_ANSWERS | {"bank": ""}).content.decode()

    assert 'value="camila@example.com"' in text
    assert re.findall(r'value="(\w+)"[^>]*\bchecked\b', text) == ["NATURAL"]


@pytest.mark.parametrize("language", [("es", "Este campo es obligatorio."), ("pt-BR", "Este campo é obrigatório.")])
def test_what_is_wrong_is_said_in_the_language_of_the_page(api: Api, language: tuple[str, str]) -> None:
    checkout = opened(api, "NEQUI")
    checkout.language = language[0]

    assert language[1] in spoken(checkout.choose("pay"))


@pytest.mark.parametrize("phone", ["3001234567", "300 123 4567", "573001234567", "+57 300 123 4567"])
def test_a_nequi_number_may_be_written_as_people_do(api: Api, phone: str) -> None:
    checkout = opened(api, "NEQUI")

    checkout.choose("pay", phone=phone)

    assert now_shown(api, checkout)["status"] == "PAID"


def test_only_bank_and_kind_of_person_are_kept(api: Api) -> None:
    checkout = opened(api)

    checkout.choose("pay", **PSE_ANSWERS, name="Somebody else", status="REFUNDED", amount="1")

    payment = Payment.objects.get()
    assert payment.details == {"checkout": True, "bank": "SANDBOX", "person": "NATURAL"}
    assert payment.payer["email"] is None
    assert (payment.status, payment.amount) == ("PAID", 15_000_000)


@pytest.mark.parametrize("choice", ["", "PAY", "banana", "refused"])
def test_a_choice_that_the_page_does_not_offer_moves_nothing(api: Api, checkout: Checkout, choice: str) -> None:
    checkout.choose(choice, **PSE_ANSWERS)
    assert nothing_moved(api, checkout)

    browser().post(checkout.path, PSE_ANSWERS)
    browser().post(checkout.path)
    assert nothing_moved(api, checkout)


@really
@pytest.mark.parametrize("choice", ["pay", "refuse"])
def test_after_the_time_nothing_can_be_chosen(api: Api, acme: Shop, checkout: Checkout, choice: str) -> None:
    later(acme, minutes=31)
    EXPIRY.sweep()

    checkout.choose(choice, **PSE_ANSWERS)

    assert now_shown(api, checkout)["status"] == "EXPIRED"
    assert told() == ["payment.updated", "payment.expired"]
    assert OVER in checkout.text()
    assert Transfer.objects.count() == 0


@really
@pytest.mark.parametrize("choice", ["pay", "refuse"])
def test_nor_before_the_timetable_has_noticed(api: Api, acme: Shop, checkout: Checkout, choice: str) -> None:
    later(acme, minutes=31)
    assert OVER in checkout.text()

    checkout.choose(choice, **PSE_ANSWERS)

    assert now_shown(api, checkout)["status"] in ("PENDING", "EXPIRED")
    assert not {"payment.paid", "payment.failed"} & set(told())
    assert Transfer.objects.count() == 0


def test_the_time_left_is_shown_and_counted_by_the_clock_of_the_merchant(api: Api, acme: Shop) -> None:
    checkout = opened(api, "BRE_B", payer=CC | EMAIL)
    later(acme, minutes=9)

    page = checkout.open().content.decode()

    assert 'role="timer"' in page
    left_s = int(page.partition('data-seconds="')[2].partition('"')[0])
    assert 50 <= left_s <= 60
    assert f">{left_s // 60}:{left_s % 60:02d}</time>" in page


def test_globex_cannot_choose_for_acme(checkout: Checkout, api: Api, globex_api: Api) -> None:
    theirs = opened(globex_api)

    assert browser().post(f"{theirs.path}x", {"choice": "refuse"}).status_code == 404
    theirs.choose("refuse")

    assert now_shown(api, checkout) == checkout.payment
