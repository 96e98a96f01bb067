"""The checkout as payers use it: by keyboard alone, in light and dark, and back to the shop."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from gateway.payments.models import Payment
from tests.support.api import Api
from tests.support.browser import Watched
from tests.support.companies import Shop, a_shop
from tests.support.payments import a_reference

Order = Callable[..., str]


@pytest.fixture
def shop(transactional_db: None) -> Shop:
    return a_shop("Acme")


@pytest.fixture
def order(shop: Shop, address: str) -> Order:
    """Makes a Colombian payment of 150 000 pesos; gives the path of its checkout."""

    def ordered(**members: Any) -> str:
        body = {
            "method": "PSE", "amount": 150_000, "currency": "COP", "reference": a_reference(),
            "payer": {"name": "Camila Rojas", "taxId": "1018760936"},
        }  # fmt: skip
        answer = Api(shop.sandbox_key, address).post("/payments", body | members)
        assert answer.status_code == 201, answer.content
        return "/checkout/" + str(answer.json()["data"]["nextAction"]["redirectUrl"]).partition("/checkout/")[2]

    return ordered


def ended() -> tuple[str, str | None]:
    payment = Payment.objects.get()
    return payment.status, payment.failure_code


def tab(page: Page, times: int = 1) -> None:
    for _ in range(times):
        page.keyboard.press("Tab")


def test_a_payer_pays_by_keyboard_and_comes_back_to_the_shop(watched: Watched, order: Order) -> None:
    page = watched.go(order(returnUrl=f"{watched.origin}/docs/errors?cart=7#ONP404"))
    expect(page.get_by_role("heading", name="COP\u00a0150,000")).to_be_visible()
    assert watched.overflow() == 0

    tab(page)
    expect(page.get_by_label("Your bank")).to_be_focused()
    page.keyboard.press("ArrowDown")
    tab(page)
    expect(page.get_by_role("group", name="You pay as").get_by_label("a person")).to_be_focused()
    page.keyboard.press("Space")
    tab(page)
    expect(page.get_by_label("Your e-mail")).to_be_focused()
    page.keyboard.type("camila@example.com")
    page.keyboard.press("Enter")

    expect(page.get_by_role("status")).to_contain_text("Thank you. Acme has been notified.")
    assert ended() == ("PAID", None)
    assert watched.overflow() == 0
    tab(page)
    expect(page.get_by_role("link", name="Back to Acme")).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url(f"{watched.origin}/docs/errors?cart=7&paymentId={Payment.objects.get().id}#ONP404")


def test_a_payer_refuses_by_keyboard_in_the_dark(watched: Watched, order: Order) -> None:
    watched.page.emulate_media(color_scheme="dark")
    page = watched.go(order())
    expect(page.locator("main")).to_have_css("background-color", "rgb(23, 33, 43)")
    assert watched.overflow() == 0

    tab(page, times=5)
    expect(page.get_by_role("button", name="Decline the payment")).to_be_focused()
    page.keyboard.press("Enter")

    expect(page.get_by_role("status")).to_contain_text("The payment was declined. You have not been charged.")
    expect(page.get_by_text("You can close this page.")).to_be_visible()
    assert ended() == ("FAILED", "PAYER_REJECTED")
    assert watched.overflow() == 0


def test_the_countdown_runs(watched: Watched, order: Order) -> None:
    page = watched.go(order(method="BRE_B"))
    shown = page.get_by_role("timer").text_content()
    assert shown
    assert shown.startswith(("10:00", "9:5"))

    expect(page.get_by_role("timer")).not_to_have_text(shown, timeout=2_500)

    expect(page.get_by_role("timer")).to_contain_text("9:5")


def test_a_wrong_answer_is_tied_to_its_field(watched: Watched, order: Order) -> None:
    page = watched.go(order(method="NEQUI"))
    phone = page.get_by_label("Your Nequi number")
    phone.fill("601 123 4567")
    page.get_by_role("button", name="Pay COP\u00a0150,000").click()

    expect(phone).to_have_attribute("aria-invalid", "true")
    expect(phone).to_have_accessible_description("Ten digits that start with 3.")
    expect(phone).to_have_value("601 123 4567")
    assert watched.overflow() == 0
    assert ended() == ("PENDING", None)


def test_long_names_do_not_widen_the_page(watched: Watched, shop: Shop, order: Order) -> None:
    shop.company.trade_name = "Distribuidora" * 6
    shop.company.save()
    page = watched.go(order(reference="order" * 25, amount=29_999_999.99))
    assert watched.overflow() == 0

    page.get_by_role("button", name="Decline the payment").click()
    expect(page.get_by_role("status")).to_be_visible()
    assert watched.overflow() == 0


def test_a_payer_who_does_nothing_at_the_end_goes_back_all_the_same(watched: Watched, order: Order) -> None:
    page = watched.go(order(returnUrl=f"{watched.origin}/docs/errors"))
    page.get_by_role("button", name="Decline the payment").click()

    back = f"{watched.origin}/docs/errors?paymentId={Payment.objects.get().id}"
    page.wait_for_url(back, timeout=8_000, wait_until="commit")  # how soon the shop's page is there is not promised
