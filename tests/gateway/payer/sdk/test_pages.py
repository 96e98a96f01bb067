"""The frames of the fields and the hosted page: on an origin of their own, for the shop's page and nobody else's."""

import re
from html import unescape
from typing import Any

import pytest
from django.conf import settings
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.test import Client

from accounts.models import Company
from gateway.providers.scripts import VERSION
from tests.support.api import Api
from tests.support.cards import (
    CHALLENGE,
    REFUSED,
    SHOP,
    TIMEOUT,
    Session,
    browser,
    lookup,
    opened,
    order,
    wait,
)
from tests.support.companies import Shop
from tests.support.payments import pix

FIELDS = ["cardNumber", "cardExpiry", "cardCvc"]
OTHER_HOSTS = ["localhost:8000", "127.0.0.1", "127.0.0.1:8001"]


def policy_of(page: HttpResponse) -> dict[str, list[str]]:
    directives = (part.split() for part in page["Content-Security-Policy"].split(";"))
    return {name: values for name, *values in directives}


def is_a_page_of_the_sdk(page: HttpResponse, *ancestors: str) -> bool:
    policy = policy_of(page)
    assert page.status_code == 200
    assert sorted(policy["frame-ancestors"]) == sorted(ancestors)
    assert policy["default-src"] == ["'none'"]
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == ["'self'"]
    assert policy["base-uri"] == ["'none'"]
    assert "X-Frame-Options" not in page
    assert "Access-Control-Allow-Origin" not in page
    assert not page.cookies
    assert "no-store" in page["Cache-Control"]
    assert page["Referrer-Policy"] == "no-referrer"
    assert page["Permissions-Policy"]
    inline = re.findall(r"<script(?![^>]*\bsrc=)[^>]*>|<style|\son\w+=|\sstyle=", page.content.decode())
    return inline == []


def field(session: Session, kind: str = "cardNumber", client: Client | None = None, **asked: str) -> HttpResponse:
    return (client or browser()).get(f"/sdk/v1/fields/{session.id}/{kind}", asked)


@pytest.mark.parametrize("kind", FIELDS)
def test_a_field_is_shown_by_the_shops_page_and_ours_only(api: Api, kind: str) -> None:
    session = opened(api)

    page = field(session, kind)

    assert is_a_page_of_the_sdk(page, SHOP, settings.SDK_URL)
    text = page.content.decode()
    assert [secret for secret in (session.secret, "_secret_", session.payment["reference"]) if secret in text] == []


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://other.example:8443/x?y=z", "https://other.example:8443"),
        ("https://ação.example/", "https://xn--ao-siap.example"),
    ],
)
def test_the_ancestor_is_the_origin_of_the_return_address(api: Api, url: str, origin: str) -> None:
    assert is_a_page_of_the_sdk(field(opened(api, returnUrl=url)), origin, settings.SDK_URL)


@pytest.mark.parametrize(
    "host", ["a.example,b.example", "a.example;script-src", "a.example;sandbox", "*", "*.com", "'", ";"]
)
def test_no_return_address_writes_a_policy_of_its_own(api: Api, host: str) -> None:
    answer = api.post("/payments", order(returnUrl=f"https://{host}/x"))

    assert (answer.status_code, answer.json()["onpayCode"]) == (400, "ONP400_RETURN_URL")


@pytest.mark.parametrize("host", OTHER_HOSTS)
def test_on_another_host_there_are_no_fields(api: Api, host: str) -> None:
    session = opened(api)
    elsewhere = Client(HTTP_HOST=host, raise_request_exception=False)

    assert {field(session, kind, elsewhere).status_code for kind in FIELDS} == {404}
    assert elsewhere.get(session.page).status_code == 404


def test_the_origin_is_the_one_that_is_configured(api: Api, settings: Any) -> None:
    session = opened(api)
    settings.SDK_URL = "http://127.0.0.1"

    assert field(session, client=Client(HTTP_HOST="127.0.0.1")).status_code == 200
    assert field(session, client=Client(HTTP_HOST="127.0.0.1:8000", raise_request_exception=False)).status_code == 404


def test_there_is_no_field_but_of_a_session(api: Api) -> None:
    session, plain = opened(api), api.post("/payments", pix()).json()["data"]["id"]
    neighbour = session.id[:-1] + ("1" if session.id.endswith("0") else "0")
    not_ready = api.post("/payments", order(amount=914)).json()["data"]["id"]

    for path in (
        f"{session.id}/cardPin", f"{session.id}/", f"{session.id}/cardnumber", f"{plain}/cardNumber", "x/cardNumber",
        f"{not_ready}/cardNumber", f"{neighbour}/cardNumber", f"{session.id.lower()}/cardNumber",
    ):  # fmt: skip
        assert browser().get(f"/sdk/v1/fields/{path}").status_code == 404, path


@pytest.mark.parametrize(
    "path", ["sdk/v1/fields/%00/cardCvc", "sdk/v1/3ds/%00.x", "sdk/v1/3ds/pay_%00.x", "checkout/%00"]
)
def test_an_address_that_cannot_be_is_found_nowhere(db: None, path: str) -> None:
    assert browser().get(f"/{path}").status_code == 404


@pytest.mark.parametrize("locale", ["pt", "es", "en", "xx", "<script>", "pt-br", "../../en", ""])
def test_a_field_speaks_three_languages(api: Api, locale: str) -> None:
    page = field(opened(api), locale=locale)

    assert page.status_code == 200
    spoken = locale if locale in ("pt", "es", "en") else "en"
    assert f'<html lang="{spoken}">' in page.content.decode()


def test_a_field_takes_no_posts(api: Api) -> None:
    session = opened(api)

    assert browser().post(f"/sdk/v1/fields/{session.id}/cardNumber", {"number": "x"}).status_code == 405
    assert browser().post(session.page).status_code == 405
    assert lookup(api, session) == session.payment


def test_the_script_is_for_every_page_and_its_version_never_changes() -> None:
    script, pinned = browser().get("/sdk/onpay-card.js"), browser().get(f"/sdk/onpay-card-{VERSION}.js")

    assert (script.status_code, script.content) == (200, pinned.content)
    assert script["Content-Type"] == "text/javascript; charset=utf-8"
    assert script["Access-Control-Allow-Origin"] == pinned["Access-Control-Allow-Origin"] == "*"
    assert "immutable" in pinned["Cache-Control"] and "immutable" not in script["Cache-Control"]
    assert browser().get("/sdk/onpay-card-0.0.1.js").status_code == 404


@pytest.mark.parametrize("acquirer", ["adyen", "stripe"])
def test_an_adapter_is_published_in_the_version_of_the_script_only(acquirer: str) -> None:
    adapter = browser().get(f"/sdk/acquirers/{acquirer}-{VERSION}.js")

    assert adapter["Content-Type"] == "text/javascript; charset=utf-8"
    assert adapter["Access-Control-Allow-Origin"] == "*"  # integrity is checked of scripts that any page may read
    assert "immutable" in adapter["Cache-Control"]
    for other in (
        f"{acquirer}-0.0.1.js",
        f"nobody-{VERSION}.js",
        f"fields-{VERSION}.js",
        f"..%2F{acquirer}-{VERSION}.js",
    ):
        assert browser().get(f"/sdk/acquirers/{other}").status_code == 404


def hosted(session: Session, language: str = "en") -> HttpResponse:
    page = browser().get(session.page, headers={"accept-language": language})
    assert is_a_page_of_the_sdk(page, SHOP, settings.SDK_URL)
    return page


def test_the_hosted_page_wears_the_companys_colour(api: Api, acme: Shop) -> None:
    assert 'data-color=""' in hosted(opened(api)).content.decode()
    Company.objects.filter(pk=acme.company.pk).update(brand_color="#0B5CB0")

    assert 'data-color="#0B5CB0"' in hosted(opened(api)).content.decode()


@pytest.mark.parametrize("wrong", ["red", "#12345", "#1234567", "#12345g", "url(x)"])
def test_a_colour_is_six_digits(acme: Shop, wrong: str) -> None:
    acme.company.brand_color = wrong
    with pytest.raises(ValidationError):
        acme.company.full_clean()


def states_shown(page: HttpResponse) -> list[str]:
    """The outcomes that are not hidden."""
    sections = re.findall(r"<section[^>]*data-states=\"([^\"]*)\"([^>]*)>", page.content.decode())
    return [states for states, rest in sections if "hidden" not in rest]


@pytest.mark.parametrize("amount", [200, 916])
def test_the_hosted_page_takes_the_card_of_an_open_session(api: Api, amount: int) -> None:
    session = opened(api, amount=amount)

    page = hosted(session)

    text = unescape(page.content.decode())
    assert session.secret in text
    assert "Acme" in text and session.payment["reference"] in text and f"{amount}.00" in text
    assert states_shown(page) == []
    assert lookup(api, session) == session.payment


@pytest.mark.parametrize(
    ("number", "status"), [("4242424242424242", "PAID"), (REFUSED, "FAILED"), (TIMEOUT, "PENDING"), (None, "EXPIRED")]
)
def test_after_its_end_the_hosted_page_says_how_and_has_no_secret(api: Api, number: str | None, status: str) -> None:
    session = opened(api)
    if number:
        session.pay(number)
    else:
        wait(api, 1800)
    assert lookup(api, session)["status"] == status

    page = hosted(session)

    text = unescape(page.content.decode())
    assert [states.split()[0] for states in states_shown(page) if status in states] != []
    assert len(states_shown(page)) == 1
    assert session.secret not in text and "_secret_" not in text
    assert f"https://shop.example/thanks?a=b&paymentId={session.id}" in text


def test_while_the_bank_asks_the_hosted_page_still_leads_there(api: Api) -> None:
    session = opened(api)
    asked = session.pay(CHALLENGE).json()

    assert session.confirm("cat_x").json() == asked
    assert hosted(session).status_code == 200


def test_a_stored_card_that_must_be_confirmed_goes_straight_to_its_bank(api: Api) -> None:
    session = opened(api, paymentMethodToken="pmt_sandbox_3ds")

    answer = browser().get(session.page)

    assert answer.status_code == 302
    assert answer["Location"].startswith(f"{settings.SDK_URL}/sdk/v1/3ds/{session.id}.")
    assert lookup(api, session) == session.payment


def test_only_a_card_payment_with_a_session_has_a_hosted_page(api: Api) -> None:
    plain = api.post("/payments", pix()).json()["data"]["id"]
    paid_at_once = api.post("/payments", order(paymentMethodToken="pmt_sandbox_approved")).json()["data"]["id"]

    for payment_id in (plain, paid_at_once, "pay_" + "0" * 26):
        assert browser().get(f"/checkout/{payment_id}").status_code == 404
