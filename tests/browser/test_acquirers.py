"""Cards with real money in a browser: the shop's page is the one of the sandbox, the fields in it are an acquirer's.

Our own providers ask localstripe, and our pretended Adyen, whose library is a stand-in of ours, too.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from accounts.models import Merchant
from gateway.api.reference.facts import CARD_PAGE
from gateway.models import Payment, SavedCard
from gateway.providers.models import ProviderAccount
from tests.support.acquirer_pages import ADYEN, ADYEN_LIBRARY, SHOP, LiveShop
from tests.support.adyen.acquirer import Acquirer, open_acquirer
from tests.support.adyen.books import BANK
from tests.support.browser import NARROW, WIDE
from tests.support.card_pages import state
from tests.support.production import live, pass_time
from tests.support.providers import connected, routed
from tests.support.stripe import in_browsers
from tests.support.stripe.stand_in import APPROVED, CHALLENGE, REFUSED, StandIn, in_front_of, localstripe

SAVED = "secret => OnpayCard.confirmCardPayment(secret).then((ended) => { window.outcome = ended; }) && null"


@pytest.fixture(scope="module")
def stripe() -> Iterator[StandIn]:
    with localstripe() as port, in_front_of(port) as stand_in:
        yield stand_in


@pytest.fixture
def sdk(live_server: LiveServer, settings: Any, plain_static_files: None) -> str:
    settings.SDK_URL = live_server.url.replace("localhost", "127.0.0.1")
    settings.ALLOWED_HOSTS = ["localhost", "127.0.0.1", "testserver"]
    return str(settings.SDK_URL)


@pytest.fixture
def shop(stripe: StandIn, transactional_db: None, page: Page, sdk: str, settings: Any) -> Iterator[LiveShop]:
    """Its payments are at Stripe."""
    library = in_browsers.library(stripe)
    settings.ACQUIRER_SCRIPTS = {"stripe": library}
    found = LiveShop(page, SHOP, sdk=sdk, allowed=(in_browsers.origin(stripe),))
    live(found.shop, method="CREDIT_CARD")
    connected("stripe", stripe.credentials(), "CREDIT_CARD", "DEBIT_CARD")
    with found.before(NARROW):
        in_browsers.serve(page, stripe)
        found.serve()
        yield found


@pytest.fixture
def adyen() -> Iterator[Acquirer]:
    with open_acquirer() as acquirer:
        yield acquirer


@pytest.fixture
def at_adyen(adyen: Acquirer, transactional_db: None, page: Page, sdk: str, settings: Any) -> Iterator[LiveShop]:
    library = f"{ADYEN}/adyen.js"
    settings.ACQUIRER_SCRIPTS = {"adyen": library}
    found = LiveShop(page, SHOP, sdk=sdk, acquirers=("adyen",), allowed=(ADYEN,))
    live(found.shop, method="CREDIT_CARD")
    connected("adyen", adyen.credentials(), "CREDIT_CARD", "DEBIT_CARD")
    with found.before(NARROW):
        page.route(library, lambda route: route.fulfill(body=ADYEN_LIBRARY, content_type="text/javascript"))
        found.serve()
        yield found


def test_a_card_is_paid_in_stripes_fields_under_the_policy_of_the_documentation(shop: LiveShop) -> None:
    ordered = shop.open({"locale": "pt-BR", "appearance": {"style": {"color": "rgb(1, 2, 3)"}}})
    assert shop.page.evaluate("given.options") == {"locale": "pt-BR"}
    expect(shop.page.locator("#cardNumber input")).to_have_css("color", "rgb(1, 2, 3)")
    expect(shop.page.locator("#cardNumber input")).to_have_attribute("placeholder", "cardNumber")

    assert shop.pay(APPROVED, "1230", "123") == {"payment": {"id": ordered["id"], "status": "PAID"}}
    assert shop.last("cardNumber") == {"elementType": "cardNumber", "complete": True, "empty": False, "brand": "visa"}
    assert state() == ("PAID", None)
    assert [url for url, sent in shop.asked if url.startswith(shop.sdk) and APPROVED in sent] == []


@pytest.mark.parametrize(("answer", "ends"), [("Complete", "PAID"), ("Fail", "THREE_DS_REFUSED")])
def test_stripe_asks_the_holder_itself(shop: LiveShop, answer: str, ends: str) -> None:
    shop.open()
    shop.type(CHALLENGE, "1230", "123")
    shop.press()
    shop.page.get_by_role("button", name=f"{answer} authentication").click()
    outcome = shop.outcome()
    assert ends == (outcome["error"]["code"] if "error" in outcome else outcome["payment"]["status"])


def test_a_refusal_is_told_in_the_words_of_the_sandbox(shop: LiveShop) -> None:
    shop.open({"locale": "es"})
    message = "Su banco rechazó esta tarjeta. No se cobró nada."
    assert shop.pay(REFUSED, "1230", "123") == {"error": {"code": "CARD_REFUSED", "message": message}}
    assert state() == ("FAILED", "CARD_REFUSED")


def test_what_is_not_complete_is_not_sent(shop: LiveShop) -> None:
    shop.open()
    error = {"code": "INVALID_NUMBER", "message": "The card number is incomplete."}
    assert shop.pay("4242", "1230", "") == {"error": error | {"field": "cardNumber"}}
    assert shop.last("cardNumber")["error"] == error
    assert shop.last("cardCvc")["error"]["code"] == "INVALID_CVC"
    expect(shop.page.locator("#cardNumber input")).to_be_focused()
    assert [url for url, _ in shop.asked if url.endswith("/confirm")] == []
    assert state() == ("ACTION_REQUIRED", None)


def test_a_saved_card_that_waits_for_its_holder_needs_no_fields(shop: LiveShop, stripe: StandIn) -> None:
    Merchant.objects.update(card_tokens_enabled=True)
    first = shop.order(savePaymentMethod=True)
    method = stripe.confirm(Payment.objects.get().details["intent"])
    assert pass_time(first["id"], minutes=11).status == "PAID"
    stripe.vault.plays[method] = CHALLENGE

    ordered = shop.order(paymentMethodToken=SavedCard.objects.get().pk)

    shop.go("/cart")
    shop.page.evaluate(SAVED, ordered["nextAction"]["clientSecret"])
    shop.page.get_by_role("button", name="Complete authentication").click()
    assert shop.outcome()["payment"] == {"id": ordered["id"], "status": "PAID"}


def unreachable(shop: LiveShop) -> None:
    shop.page.route(f"{shop.allowed[0]}/js.stripe.com/v3/", lambda route: route.abort())


def from_elsewhere(shop: LiveShop) -> None:
    """A script that the acquirer does not publish."""
    _says(shop, script=f"{SHOP}/stripe.js")


def of_nobody(shop: LiveShop) -> None:
    _says(shop, acquirer="nobody")


def changed(shop: LiveShop) -> None:
    """Another adapter than the one whose integrity the SDK names."""

    def change(route: Route) -> None:
        served = route.fetch()
        route.fulfill(response=served, body=served.text() + ";")

    shop.page.route("**/sdk/acquirers/*", change)


def _says(shop: LiveShop, **fields: str) -> None:
    """The session, taken over by somebody."""

    def change(route: Route) -> None:
        session = route.fetch()
        told = session.json()
        route.fulfill(response=session, json=told | {"fields": told["fields"] | fields})

    shop.page.route("**/sdk/v1/session", change)


@pytest.mark.parametrize("happens", [unreachable, from_elsewhere, changed, of_nobody])
def test_fields_that_cannot_be_loaded_say_so(shop: LiveShop, happens: Any) -> None:
    happens(shop)
    shop.mount(shop.order())
    shop.until("told.length === 3")
    assert shop.errors() == ["FIELDS_UNAVAILABLE"] * 3
    shop.press()
    assert shop.outcome()["error"]["code"] == "FIELDS_UNAVAILABLE"
    assert [url for url, _ in shop.asked if url.endswith("/stripe.js") or "nobody-" in url] == []
    assert len([url for url, _ in shop.asked if url.endswith("/confirm")]) <= 1, "nobody can take over"
    if shop.complaints:
        shop.forgive("ERR_FAILED", "integrity")
    assert state() == ("ACTION_REQUIRED", None)


@pytest.fixture
def both(shop: LiveShop, adyen: Acquirer, settings: Any) -> LiveShop:
    """Its payments are at Stripe, and Adyen takes over. The page allows both."""
    settings.ACQUIRER_SCRIPTS |= {"adyen": f"{ADYEN}/adyen.js"}
    first, second = ProviderAccount.objects.get(provider="stripe"), connected("adyen", adyen.credentials())
    routed(first, second, method="CREDIT_CARD")
    shop.allowed = (*shop.allowed, ADYEN)
    script = {"body": ADYEN_LIBRARY, "content_type": "text/javascript"}
    shop.page.route(f"{ADYEN}/adyen.js", lambda route: route.fulfill(**script))
    shop.acquirers = ("stripe", "adyen")
    shop.serve()
    return shop


def test_where_stripes_library_is_blocked_the_fields_are_adyens(both: LiveShop, adyen: Acquirer) -> None:
    unreachable(both)
    both.open({"locale": "pt-BR"})
    assert both.page.evaluate("given.locale") == "pt-BR"
    assert both.pay("4242424242424242", "1230", "123")["payment"]["status"] == "AUTHORIZED"
    assert len(adyen.books.payments) == 1
    assert both.errors() == []
    both.forgive("ERR_FAILED")


def test_what_stripe_does_not_process_is_typed_again_into_adyens_fields(
    both: LiveShop, stripe: StandIn, adyen: Acquirer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stripe, "refusal", "processing_error")
    ordered = both.open({"locale": "es"})
    message = (
        "No se pudo completar el pago al primer intento. No se cobró nada. Ingrese los datos de su tarjeta otra vez."
    )
    assert both.pay(REFUSED, "1230", "123") == {"error": {"code": "CARD_NEEDED_AGAIN", "message": message}}
    assert both.last("cardNumber")["empty"] is True
    both.page.evaluate("outcome = null")
    expect(both.page.locator("#cardNumber input")).to_have_count(1)
    expect(both.page.locator("#cardNumber input")).to_have_value("")
    assert both.pay("4242424242424242", "1230", "123") == {"payment": {"id": ordered["id"], "status": "AUTHORIZED"}}
    assert adyen.books.newest().reference == ordered["id"]


def test_the_payer_waits_while_it_is_not_certain_that_stripe_has_canceled(
    both: LiveShop, stripe: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stripe, "refusal", "processing_error")
    ordered = both.open()
    stripe.will("500", on="/cancel")
    both.type(REFUSED, "1230", "123")
    with both.page.expect_response("**/sdk/v1/confirm") as answered:
        both.press()
    assert answered.value.json() == {"payment": {"id": ordered["id"], "status": "PENDING"}, "isMoving": True}

    assert pass_time(ordered["id"], minutes=1).status == "ACTION_REQUIRED"

    assert both.outcome()["error"]["code"] == "CARD_NEEDED_AGAIN"
    expect(both.page.locator("#cardNumber input")).to_have_value("")


def test_the_hosted_page_asks_for_the_card_again_and_a_reload_does_not_lose_it(
    both: LiveShop, stripe: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stripe, "refusal", "processing_error")
    both.page.goto(both.order()["nextAction"]["checkoutUrl"])
    expect(both.page.locator("#cardCvc input")).to_be_visible()
    both.type(REFUSED, "1230", "123")
    both.press()
    expect(both.page.locator("#problem")).to_contain_text("You have not been charged. Enter your card again.")
    expect(both.page.locator("#cardCvc input")).to_have_value("")
    both.page.reload()
    expect(both.page.locator("#cardCvc input")).to_be_visible()
    both.type("4242424242424242", "1230", "123")
    both.press()
    expect(both.page.get_by_role("status")).to_contain_text("Your bank has confirmed the payment to Acme.")


def test_adyens_fields_seal_the_card_and_its_library_asks_the_holder_on_our_page(
    at_adyen: LiveShop, adyen: Acquirer
) -> None:
    shop = at_adyen
    shop.open({"locale": "pt"})
    assert shop.page.evaluate("[given.environment, given.locale, given.countryCode]") == ["live", "pt-BR", "BR"]
    assert shop.page.evaluate("given.placeholders.expiryDate") == "cardExpiry"
    assert shop.pay("5555555555554444", "1230", "12")["error"]["field"] == "cardCvc"
    assert shop.last("cardNumber")["brand"] == "mastercard"
    assert shop.last("cardCvc")["error"]["message"] == "O código de segurança está incompleto."
    shop.page.evaluate("outcome = null")
    shop.page.locator("#cardCvc input").fill("123")
    shop.page.keyboard.press("Enter")
    bank = shop.page.frame_locator("dialog iframe")
    expect(bank.get_by_role("heading", name="Confirme com o seu banco")).to_be_visible()
    approve = bank.get_by_role("button", name="Approve threeDS2")
    approve.evaluate("(_, told) => { result = told; }", f"{adyen.books.newest().psp}.credit")
    approve.click()
    assert shop.outcome()["payment"]["status"] == "AUTHORIZED", "Adyen says by a webhook that it is captured"
    sent = adyen.books.newest().asked
    assert sent["origin"] == shop.sdk, "3DS is shown there"
    assert sent["paymentMethod"]["encryptedCardNumber"] == "adyenan0_1_1$challenge"
    assert [url for url, told in shop.asked if "5555" in told] == []
    expect(shop.page.locator("dialog")).to_have_count(0)


def test_a_bank_that_asks_the_holder_on_its_own_page_sends_them_back(at_adyen: LiveShop, adyen: Acquirer) -> None:
    shop = at_adyen
    went: list[str] = []

    def bank(route: Route) -> None:
        went.append(route.request.post_data or "")
        asked = adyen.books.newest()
        back = f"{asked.asked['returnUrl']}?redirectResult={asked.psp}.credit"
        route.fulfill(body=f'<title>Bank</title><a href="{back}">Yes, it is me</a>', content_type="text/html")

    shop.page.route(f"{BANK}/**", bank)
    shop.allowed = (*shop.allowed, BANK)
    ordered = shop.open()
    shop.type("3530111333300000", "1230", "123")
    shop.press()
    theirs = shop.page.frame_locator("dialog iframe").frame_locator("iframe")
    theirs.get_by_role("link", name="Yes, it is me").click()

    assert shop.outcome() == {"payment": {"id": ordered["id"], "status": "AUTHORIZED"}}
    assert went == ["MD=bWQ%3D&PaReq=cGFyZXE%3D"]
    expect(shop.page.locator("dialog")).to_have_count(0)


def test_a_holder_who_leaves_can_go_on(at_adyen: LiveShop) -> None:
    at_adyen.open()
    at_adyen.type("5555555555554444", "1230", "123")
    at_adyen.press()
    expect(at_adyen.page.frame_locator("dialog iframe").get_by_role("button")).to_be_visible()
    at_adyen.page.get_by_role("button", name="Close").click()
    assert at_adyen.outcome()["error"]["code"] == "THREE_DS_ABANDONED"
    assert state() == ("ACTION_REQUIRED", None)


@pytest.mark.parametrize("size", [NARROW, WIDE])
def test_the_hosted_page_takes_a_real_card(shop: LiveShop, size: Any) -> None:
    shop.page.set_viewport_size(size)
    shop.page.goto(shop.order()["nextAction"]["checkoutUrl"])
    expect(shop.page.locator("#cardCvc input")).to_be_visible()
    shop.type(APPROVED, "1230", "123")
    assert shop.overflow() == 0
    shop.press()
    expect(shop.page.get_by_role("status")).to_contain_text("Thank you. Acme has been notified.")
    assert state() == ("PAID", None)


def test_a_card_that_is_captured_later_is_confirmed_on_the_hosted_page(at_adyen: LiveShop) -> None:
    at_adyen.page.goto(at_adyen.order()["nextAction"]["checkoutUrl"])
    expect(at_adyen.page.locator("#cardCvc input")).to_be_visible()
    at_adyen.type("4242424242424242", "1230", "123")
    at_adyen.press()
    expect(at_adyen.page.get_by_role("status")).to_contain_text("Your bank has confirmed the payment to Acme.")
    assert state() == ("AUTHORIZED", None)


@pytest.mark.parametrize("environment", ["sandbox", "production"])
def test_the_page_of_the_documentation_works_with_either_key(shop: LiveShop, environment: str) -> None:
    keys = {"sandbox": shop.shop.sandbox_key, "production": shop.shop.production_key}
    ordered = shop.order(keys[environment])
    secret = ordered["nextAction"]["clientSecret"]
    pasted = CARD_PAGE.format(sdk_url=shop.sdk).replace('"…"', f'"{secret}"')
    shop.page.route(f"{SHOP}/pay.html", lambda route: route.fulfill(body=pasted, content_type="text/html"))
    shop.go("/pay.html")
    for kind, text in (("number", APPROVED), ("expiry", "1230"), ("cvc", "123")):
        field = shop.page.locator(f"#{kind}")
        (field if environment == "production" else field.frame_locator("iframe")).locator("input").fill(text)
    shop.press()
    expect(shop.page.locator("#said")).to_have_text("PAID")
    assert Payment.objects.get().merchant.environment == environment.upper()
    if environment == "sandbox":
        assert [url for url, _ in shop.asked if "/acquirers/" in url] == [], "the sandbox loads no adapter"
        shop.forgive("Mixed Content")  # the service of tests has no certificate
