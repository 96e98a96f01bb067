"""Cards in a real browser: a shop's page on one origin, the fields on another, and nothing of the card between them."""

import re
from urllib.parse import urlsplit

import pytest
from django.utils import translation
from django.utils.translation import gettext
from playwright.sync_api import expect

from gateway.models import Payment
from tests.support import card_pages as known
from tests.support.api import Api
from tests.support.card_pages import APPROVED, CHALLENGE, FIELDS, CardShop, any_shop, shop, state

__all__ = ["any_shop", "shop"]
Ends = tuple[str, str | None]
YES, NO = "Yes, confirm the payment", "No, decline it"
REFUSED = ("FAILED", "THREE_DS_REFUSED")
NAMES = {"cardNumber": "Card number", "cardExpiry": "Expiry date, month and year", "cardCvc": "Security code"}


@pytest.mark.parametrize(("number", "cvc", "status", "failure", "method"), known.ENDS)
def test_each_test_card_ends_as_documented(
    shop: CardShop, number: str, cvc: str, status: str, failure: str | None, method: str
) -> None:
    ordered = shop.open()
    outcome = shop.pay(number, "12/30", cvc)

    if failure is None:
        assert outcome == {"payment": {"id": ordered["id"], "status": status}}
    else:
        assert (outcome["error"]["code"], set(outcome)) == (failure, {"error"})
        assert outcome["error"]["message"].endswith(("You have not been charged.", "test cards work here."))
    assert (*state(), Payment.objects.get().method) == (status, failure, method)


@pytest.mark.parametrize(
    ("number", "decision", "ends"),
    [(CHALLENGE, YES, ("PAID", None)), (CHALLENGE, NO, REFUSED), ("4000000000003063", YES, REFUSED)],
)
def test_the_holder_decides_in_a_dialog_of_the_shop(shop: CardShop, number: str, decision: str, ends: Ends) -> None:
    shop.open()
    challenge = shop.challenged(number)
    expect(challenge.get_by_text("Amount")).to_be_visible()
    assert state() == ("ACTION_REQUIRED", None)
    challenge.get_by_role("button", name=decision).click()
    outcome = shop.outcome()
    told = outcome["payment"]["status"] if "payment" in outcome else outcome["error"]["code"]
    assert told == (ends[1] or ends[0])
    expect(shop.page.locator("dialog")).to_have_count(0)
    assert state() == ends


LATER_ESCAPE = """button => {
  setTimeout(() => button.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true })));
}"""
"""Not the driver's own key: it waits for an answer from the frame, which the key takes away."""


@pytest.mark.parametrize(("decision", "ends"), [(YES, ("PAID", None)), (NO, REFUSED)])
def test_a_holder_who_left_decides_on_a_page_of_the_bank(shop: CardShop, decision: str, ends: Ends) -> None:
    ordered = shop.open()
    button = shop.challenged(CHALLENGE).get_by_role("button", name=decision)
    address = shop.challenge_url()
    button.evaluate(LATER_ESCAPE)
    assert shop.outcome()["error"]["code"] == "THREE_DS_ABANDONED"
    assert state() == ("ACTION_REQUIRED", None)
    shop.page.goto(address)
    shop.page.get_by_role("button", name=decision).click()
    expect(shop.page.get_by_role("link", name="Back to Acme")).to_be_visible()
    shop.page.wait_for_url(f"{shop.origin}/thanks?cart=7&paymentId={ordered['id']}")
    assert state() == ends


def test_a_mistake_is_shown_on_leaving_the_field_and_can_be_corrected(shop: CardShop) -> None:
    shop.open()
    shop.field("cardNumber").press_sequentially("4242424242424241")
    assert "error" not in shop.last("cardNumber")
    shop.field("cardExpiry").press_sequentially("0120")
    shop.field("cardCvc").press_sequentially("12")
    shop.press()
    told = shop.outcome()["error"]
    assert (told["code"], told["field"]) == ("INVALID_NUMBER", "cardNumber")
    codes = [shop.last(kind)["error"]["code"] for kind in FIELDS]
    assert codes == ["INVALID_NUMBER", "INVALID_EXPIRY", "INVALID_CVC"]
    expect(shop.field("cardNumber")).to_be_focused()
    expect(shop.field("cardNumber")).to_have_attribute("aria-invalid", "true")
    assert state() == ("ACTION_REQUIRED", None)
    shop.page.evaluate("outcome = null")
    assert shop.pay()["payment"]["status"] == "PAID"


def test_numbers_and_dates_are_written_as_on_the_card(shop: CardShop) -> None:
    shop.open()
    number, expiry, code = (shop.field(kind) for kind in FIELDS)
    for typed, shown, brand in known.NUMBERS:
        shop.paste("cardNumber", typed)
        expect(number).to_have_value(shown)
        shop.page.wait_for_function("brand => told.at(-1)[1].brand === brand", arg=brand)
    for typed, shown in known.DATES:
        shop.paste("cardExpiry", typed)
        expect(expiry).to_have_value(shown)
        expiry.fill("")
        expiry.press_sequentially(typed)
        expect(expiry).to_have_value(shown)
    code.press_sequentially("12345")
    expect(code).to_have_value("1234")
    shop.paste("cardNumber", APPROVED)
    expect(code).to_have_value("123")


def test_the_caret_stays_where_the_payer_is_typing(shop: CardShop) -> None:
    shop.open()
    number, keyboard = shop.field("cardNumber"), shop.page.keyboard
    shop.paste("cardNumber", "424242424242")
    for _ in range(4):
        keyboard.press("ArrowLeft")
    keyboard.press("Backspace")  # before it is a space
    expect(number).to_have_value("4242 4244 242")
    assert number.evaluate("input => input.selectionStart") == 8
    keyboard.type("2")
    expect(number).to_have_value("4242 4242 4242")
    assert number.evaluate("input => input.selectionStart") == 9
    keyboard.press("Delete")  # behind it, too
    expect(number).to_have_value("4242 4242 242")
    shop.paste("cardExpiry", "12")
    keyboard.press("Backspace")
    expect(shop.field("cardExpiry")).to_have_value("1")


def test_a_card_is_paid_by_keyboard_alone(any_shop: CardShop) -> None:
    shop = any_shop
    shop.open()
    for kind, text in zip(FIELDS, (CHALLENGE, "1230", "123"), strict=True):
        shop.page.keyboard.press("Tab")
        expect(shop.field(kind)).to_be_focused()
        shop.page.keyboard.type(text)
    shop.page.keyboard.press("Enter")
    yes = shop.challenge.get_by_role("button", name=YES)
    expect(yes).to_be_visible()
    shop.page.keyboard.press("Tab")
    expect(yes).to_be_focused()
    shop.page.keyboard.press("Enter")
    assert shop.outcome()["payment"]["status"] == "PAID"
    assert shop.overflow() == 0


@pytest.mark.parametrize("locale", ["pt-BR", "es", "en"])
def test_fields_have_names_in_the_language_of_the_shop(shop: CardShop, locale: str) -> None:
    shop.open({"locale": locale})
    for kind, saved in zip(FIELDS, ("cc-number", "cc-exp", "cc-csc"), strict=True):
        expect(shop.field(kind)).to_have_attribute("autocomplete", saved)
        expect(shop.field(kind)).to_have_attribute("inputmode", "numeric")
        with translation.override("pt-br" if locale == "pt-BR" else locale):
            expect(shop.field(kind)).to_have_attribute("aria-label", re.compile(gettext(NAMES[kind])))
    shop.page.get_by_text("Number", exact=True).click()
    expect(shop.field("cardNumber")).to_be_focused()


def test_no_digit_of_the_card_reaches_the_shop(shop: CardShop) -> None:
    shop.open()
    shop.challenged(CHALLENGE).get_by_role("button", name=YES).click()
    shop.outcome()

    heard = shop.page.evaluate("JSON.stringify([heard, told, outcome])")
    assert heard.count('"onpay":2') > 10
    assert re.findall(r"\d{12,}|\d{4} \d{4}", heard) == []
    assert {entry["origin"] for entry in shop.page.evaluate("heard")} == {shop.sdk}
    assert [url for url, sent in shop.asked if CHALLENGE in url + sent] == [f"{shop.sdk}/sdk/v1/tokens"]
    assert [url for url, _ in shop.asked if "_secret_" in url] == []


def test_the_sandbox_loads_nothing_of_production(shop: CardShop) -> None:
    shop.open()
    expect(shop.field("cardNumber")).to_be_visible()
    shop.page.wait_for_load_state("networkidle")
    paths = [urlsplit(url).path for url, _ in shop.asked if url.startswith(shop.sdk)]
    fields = [path for path in paths if path.startswith("/sdk/v1/fields/")]
    own = [path for path in paths if path not in fields and not path.startswith("/static/")]
    assert (len(fields), own) == (3, ["/sdk/onpay-card.js", "/sdk/v1/session"])


def test_the_shop_cannot_look_into_a_field(shop: CardShop) -> None:
    shop.open()
    look = "read => { try { return String(eval(read)); } catch (error) { return error.name; } }"
    assert shop.page.evaluate(look, "document.querySelector('iframe').contentDocument") == "null"
    for read in ("document", "onpayField", "location.href"):
        assert shop.page.evaluate(look, f"frames[0].{read}") == "SecurityError"


def test_forged_messages_move_nothing(shop: CardShop) -> None:
    ordered = shop.open()
    yes = shop.challenged(CHALLENGE).get_by_role("button", name=YES)
    collection = shop.page.evaluate("heard[0].data.id")
    before = shop.page.evaluate("told.length")
    thief = shop.show_frame("http://thief.example/")
    thief.evaluate(known.FORGE, [collection, ordered["id"]])
    shop.page.wait_for_timeout(300)
    assert shop.page.evaluate("[told.length, window.outcome ?? null]") == [before, None]
    assert state() == ("ACTION_REQUIRED", None)
    expect(shop.field("cardNumber")).to_have_value("4000 0000 0000 3220")
    yes.click()
    assert shop.outcome()["payment"]["status"] == "PAID"
    shop.forgive("thief.example")


def test_a_page_of_another_origin_cannot_show_the_fields(shop: CardShop) -> None:
    ordered = shop.order(returnUrl="https://acme.example/thanks")
    shop.mount(ordered)
    shop.page.wait_for_timeout(500)

    shop.forgive("frame-ancestors", "postMessage", "ERR_BLOCKED_BY")
    assert shop.page.evaluate("[told.length, heard.length]") == [0, 0]


@pytest.mark.parametrize("arrives", [False, True])
def test_a_lost_answer_charges_once_and_is_never_called_a_refusal(shop: CardShop, arrives: bool) -> None:
    shop.open()
    shop.lose_the_first("**/sdk/v1/confirm", arrives=arrives)
    outcome = shop.pay()
    assert outcome["payment"]["status"] == "PAID"
    assert state() == ("PAID", None)
    shop.forgive("ERR_FAILED")


def test_an_expired_session_says_so_before_and_after_a_card_is_typed(shop: CardShop) -> None:
    ordered = shop.open()
    Api(shop.shop.sandbox_key).post("/simulations/clock", {"advanceBy": "PT31M"})
    assert shop.pay()["error"]["code"] == "SESSION_INVALID"
    assert state() == ("EXPIRED", None)
    shop.mount(ordered)
    shop.page.wait_for_function("told.some(([, { error }]) => error?.code === 'SESSION_INVALID')")
    shop.forgive("401")


def test_a_card_that_another_acquirer_takes_is_typed_again_into_the_same_fields(shop: CardShop) -> None:
    ordered = shop.order(amount=918)
    shop.mount(ordered, {"locale": "en"})
    error = shop.pay()["error"]
    assert (error["code"], error["message"][-22:]) == ("CARD_NEEDED_AGAIN", "Enter your card again.")
    expect(shop.field("cardNumber")).to_have_value("")
    shop.page.evaluate("outcome = null")
    assert shop.pay() == {"payment": {"id": ordered["id"], "status": "PAID"}}


def test_mistakes_of_the_integration_have_names(shop: CardShop) -> None:
    shop.open()
    other = shop.order()["nextAction"]["clientSecret"]
    for call, expected in known.NONSENSE:
        assert shop.page.evaluate(known.CODE_OF, call.replace("$other", other)) == expected
    shop.enter()
    twice = "Promise.all([1, 2].map(() => OnpayCard.confirmCardPayment(card))).then(([, second]) => second)"
    assert shop.page.evaluate(known.CODE_OF, twice) == "INTEGRATION_ALREADY_CONFIRMING"
    shop.page.evaluate("card.elements.getElement('cardCvc').unmount()")
    assert shop.page.evaluate(known.CODE_OF, "OnpayCard.confirmCardPayment(card)") == "INTEGRATION_FIELD_NOT_MOUNTED"


def test_a_style_may_be_chosen_but_not_smuggle(shop: CardShop) -> None:
    shop.open()
    shop.page.evaluate("""() => card.elements.getElement("cardNumber").update({ style: {
        color: "rgb(1, 2, 3)", fontSize: "20px", backgroundColor: "url(/x)", padding: "1px;color:red",
        fontFamily: "a".repeat(101), letterSpacing: "expression(alert(1))", position: "fixed", lineHeight: "40px",
    } })""")
    expect(shop.field("cardNumber")).to_have_css("color", "rgb(1, 2, 3)")
    expect(shop.field("cardNumber")).to_have_css("font-size", "20px")
    expect(shop.page.locator("#cardNumber iframe")).to_have_css("height", "40px")
    names = "[...document.documentElement.style].filter((name) => /background|padding|position/.test(name))"
    assert shop.frame("cardNumber").evaluate(names) == []


def test_the_hosted_page_takes_a_card_and_goes_back_to_the_shop(any_shop: CardShop) -> None:
    shop, ordered = any_shop, any_shop.order(amount=916)
    assert ordered["nextAction"]["integrationMode"] == "HOSTED"
    shop.page.goto(ordered["nextAction"]["checkoutUrl"])
    shop.enter(CHALLENGE)
    assert shop.overflow() == 0
    shop.page.keyboard.press("Enter")
    shop.challenge.get_by_role("button", name=YES).click()
    expect(shop.page.get_by_role("status")).to_contain_text("Thank you. Acme has been notified.")
    assert state() == ("PAID", None)
    shop.page.wait_for_url(f"{shop.origin}/thanks?cart=7&paymentId={ordered['id']}")


def test_the_hosted_page_in_a_frame_tells_the_shop(shop: CardShop) -> None:
    ordered = shop.order()
    shop.go("/cart")
    shop.page.evaluate(known.SHOW_HOSTED, ordered["nextAction"]["sessionToken"])
    hosted = shop.page.frame_locator("#page iframe")
    shop.enter("4000000000000002", within=hosted)
    hosted.get_by_role("button", name="Pay").click()
    assert shop.outcome()["error"]["code"] == "CARD_REFUSED"
    expect(hosted.get_by_role("status")).to_contain_text("You have not been charged.")
    assert state() == ("FAILED", "CARD_REFUSED")


def test_a_stored_card_asks_its_holder_only(shop: CardShop) -> None:
    ordered = shop.order(paymentMethodToken="pmt_sandbox_3ds")
    shop.go("/cart")
    shop.page.evaluate(known.CONFIRM, ordered["nextAction"]["clientSecret"])
    shop.challenge.get_by_role("button", name=YES).click()
    assert shop.outcome() == {"payment": {"id": ordered["id"], "status": "PAID"}}


def test_a_newcomer_pays_in_the_demo_shop(any_shop: CardShop) -> None:
    page = any_shop.go("/demo/shop")
    page.get_by_role("button", name="Pay R$150.00").click()
    expect(page.get_by_alt_text("QR code of the PIX payment")).to_be_visible()
    page.get_by_role("button", name="Paid").click()
    expect(page.locator("#events")).to_contain_text("payment.paid")
    page.get_by_text("Credit card", exact=True).click()
    page.get_by_role("button", name="Pay R$150.00").click()
    expect(any_shop.field("cardNumber")).to_be_visible()
    any_shop.enter()
    page.locator("#card button").click()
    announced = ["payment.action_required", "payment.authorized", "payment.paid"]
    expect(page.locator("#events li")).to_contain_text(announced)
    expect(page.locator("#instructions")).to_contain_text("Paid: R$150.00")
    assert any_shop.overflow() == 0
