"""Who may act for a payer: whoever shows the secret of an open session, from a page of the shop or of ours."""

from typing import Any

import pytest
from django.conf import settings
from django.http import HttpResponse
from django.test import Client

from gateway.methods.card.models import CardToken
from gateway.payments.models import Payment
from tests.support.api import Api
from tests.support.cards import REFUSED, SHOP, Session, browser, lookup, opened, outcome, told, wait
from tests.support.companies import Shop
from tests.support.effort import todays
from tests.support.payments import pix

CALLS: list[tuple[str, Any]] = [
    ("session", None),
    ("tokens", {"number": "4242424242424242", "expMonth": 12, "expYear": 2040, "cvc": "123"}),
    ("confirm", {"cardToken": "cat_x"}),
]
each_call = pytest.mark.parametrize(("path", "body"), CALLS, ids=[path for path, _ in CALLS])
ENDED = (401, "SESSION_INVALID")


def nothing_moved(api: Api, session: Session) -> bool:
    return lookup(api, session) == session.payment and CardToken.objects.count() == 0


def test_the_session_says_what_is_paid_to_whom_and_for_how_long(api: Api) -> None:
    session = opened(api)

    answer = session.call("session")

    assert answer.status_code == 200
    said = answer.json()
    assert said["payment"] == {
        "id": session.id, "status": "ACTION_REQUIRED", "amount": 200.00, "currency": "BRL", "method": "CREDIT_CARD",
    }  # fmt: skip
    assert (said["company"], said["integrationMode"]) == ("Acme", "SECURE_FIELDS")
    assert said["expiresAt"] == session.payment["nextAction"]["expiresAt"]
    assert 1790 <= said["secondsLeft"] <= 1800
    assert session.secret not in answer.content.decode()


@pytest.mark.a_third_a_day
@each_call
@pytest.mark.parametrize(
    "authorization",
    [
        None,
        "",
        "Bearer",
        "Bearer ",
        "{secret}",
        "Basic {secret}",
        "Bearer {id}",
        "Bearer {id}_secret_",
        "Bearer {secret}=",
        "Bearer {secret} x",
    ],
)
def test_without_the_secret_nothing_is_done(api: Api, path: str, body: Any, authorization: str | None) -> None:
    session = opened(api)
    sent = authorization and authorization.format(secret=session.secret, id=session.id)

    headers = {} if sent is None else {"authorization": sent}
    client = browser()
    answer = (
        client.get(f"/sdk/v1/{path}", headers=headers)
        if body is None
        else client.post(f"/sdk/v1/{path}", body, content_type="application/json", headers=headers)
    )

    assert outcome(answer) == ENDED
    assert nothing_moved(api, session)


def test_no_bit_of_the_secret_may_be_another(api: Api) -> None:
    session = opened(api)
    begins = len(session.id) + len("_secret_")

    for place in todays(range(begins, len(session.secret))):
        for bit in range(7):
            flipped = chr(ord(session.secret[place]) ^ 1 << bit)
            secret = session.secret[:place] + flipped + session.secret[place + 1 :]
            assert outcome(session.call("session", secret=secret)) == ENDED, (place, bit)
    for place in todays(range(begins)):
        secret = session.secret[:place] + chr(ord(session.secret[place]) ^ 1) + session.secret[place + 1 :]
        assert outcome(session.call("session", secret=secret)) == ENDED, place


@each_call
def test_the_secret_of_one_payment_opens_no_other(api: Api, globex_api: Api, path: str, body: Any) -> None:
    session = opened(api)
    for other in (opened(api), opened(globex_api)):
        mixed = session.id + other.secret.removeprefix(other.id)
        assert outcome(session.call(path, body, secret=mixed)) == ENDED
    assert nothing_moved(api, session)


def test_a_key_of_the_api_is_no_secret_and_a_secret_is_no_key(api: Api, acme: Shop, address: str) -> None:
    session = opened(api)

    assert outcome(session.call("session", secret=acme.sandbox_key)) == ENDED
    assert Api(session.secret, address).get(f"/payments/{session.id}").status_code == 401


def test_a_payment_without_a_session_has_none(api: Api) -> None:
    payment = api.post("/payments", pix()).json()["data"]

    assert outcome(Session(payment).call("session", secret=f"{payment['id']}_secret_x")) == ENDED


@each_call
def test_after_the_end_the_secret_opens_nothing(api: Api, acme: Shop, path: str, body: Any) -> None:
    paid, failed, expired = opened(api), opened(api), opened(api)
    assert outcome(paid.pay()) == (200, "PAID")
    assert outcome(failed.pay(REFUSED)) == (200, "CARD_REFUSED")
    wait(api, 1800)
    ended = [lookup(api, session) for session in (paid, failed, expired)]
    cards, events = CardToken.objects.count(), told(acme)

    for session in (paid, failed, expired):
        tells_how_it_ended = path == "confirm" and session is not expired
        assert tells_how_it_ended or outcome(session.call(path, body)) == ENDED

    assert [lookup(api, session) for session in (paid, failed, expired)] == ended
    assert [payment["status"] for payment in ended] == ["PAID", "FAILED", "EXPIRED"]
    assert (CardToken.objects.count(), told(acme)) == (cards, events)


@each_call
def test_the_session_ends_at_its_time_even_where_nobody_has_looked(api: Api, acme: Shop, path: str, body: Any) -> None:
    session = opened(api)
    acme.sandbox.clock_offset += Payment.objects.get().expires_at - Payment.objects.get().created_at
    acme.sandbox.save()

    assert outcome(session.call(path, body)) == ENDED
    assert nothing_moved(api, session)


EVIL = [
    "https://evil.example", "http://shop.example", "https://shop.example:8443", "https://shop.example.evil.example",
    "https://sub.shop.example", "null", "https://shop.example/", "", "http://localhost:8000",
]  # fmt: skip


@pytest.mark.a_third_a_day
@each_call
@pytest.mark.parametrize("origin", EVIL)
def test_a_page_of_another_origin_is_refused_and_may_not_even_read_that(
    api: Api, path: str, body: Any, origin: str
) -> None:
    session = opened(api)

    answer = session.call(path, body, origin=origin)

    assert outcome(answer) == (403, "ORIGIN_MISMATCH")
    assert nothing_moved(api, session)
    assert "Access-Control-Allow-Origin" not in answer


@pytest.mark.django_db(transaction=True)  # what was refused is undone before it is asked where the payment lives
@pytest.mark.parametrize("origin", [SHOP, settings.SDK_URL])
def test_pages_of_the_shop_and_ours_may_read_the_answer(api: Api, origin: str) -> None:
    session = opened(api)

    for path, body in CALLS:
        answer = session.call(path, body, origin=origin)
        assert answer["Access-Control-Allow-Origin"] == origin
        assert answer["Vary"] == "Origin"
        assert "Access-Control-Allow-Credentials" not in answer
        assert_is_private(answer)


def test_a_call_without_a_page_is_allowed_and_nothing_is_said_to_pages(api: Api) -> None:
    session = opened(api)
    session.origin = None

    answer = session.call("session")

    assert answer.status_code == 200
    assert "Access-Control-Allow-Origin" not in answer


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://SHOP.example:443/x", "https://shop.example"),
        ("https://shop.example:8443/x", "https://shop.example:8443"),
        ("https://ação.example/x", "https://xn--ao-siap.example"),
        ("https://shop.example./x", "https://shop.example."),
    ],
)
def test_origins_are_compared_as_browsers_write_them(api: Api, url: str, origin: str) -> None:
    session = opened(api, returnUrl=url)

    assert session.call("session", origin=origin).status_code == 200
    assert outcome(session.call("session", origin="https://shop.evil.example")) == (403, "ORIGIN_MISMATCH")


@each_call
def test_a_preflight_allows_the_question_and_nothing_else(path: str, body: Any) -> None:
    answer = browser().options(
        f"/sdk/v1/{path}",
        headers={
            "origin": SHOP,
            "access-control-request-method": "POST",
            "access-control-request-headers": "authorization,content-type",
        },
    )

    assert (answer.status_code, answer.content) == (204, b"")
    assert answer["Access-Control-Allow-Origin"] == SHOP
    assert answer["Access-Control-Allow-Methods"] == "GET, POST"
    assert answer["Access-Control-Allow-Headers"] == "authorization, content-type"
    assert "Access-Control-Allow-Credentials" not in answer


@each_call
def test_only_the_origin_of_the_sdk_takes_calls(api: Api, path: str, body: Any) -> None:
    session = opened(api)
    elsewhere = Client(HTTP_HOST="localhost:8000", raise_request_exception=False)
    headers = {"authorization": f"Bearer {session.secret}", "origin": SHOP}

    answer = (
        elsewhere.get(f"/sdk/v1/{path}", headers=headers)
        if body is None
        else elsewhere.post(f"/sdk/v1/{path}", body, content_type="application/json", headers=headers)
    )

    assert answer.status_code == 404
    assert "Access-Control-Allow-Origin" not in answer
    assert nothing_moved(api, session)


@pytest.mark.a_third_a_day
@pytest.mark.parametrize(
    "raw", [b"", b"[]", b"{", b"\xff", b"null", b'"x"', b'{"cardToken": 7}', b'{"cardToken": ["x"]}']
)
@pytest.mark.parametrize("path", ["tokens", "confirm"])
def test_what_is_no_object_of_json_is_refused(api: Api, path: str, raw: bytes) -> None:
    session = opened(api)

    answer = session.call(path, raw)

    expected = "INVALID_NUMBER" if path == "tokens" and raw.startswith(b'{"') else "INVALID_REQUEST"
    assert outcome(answer) == (400, expected)
    assert nothing_moved(api, session)


@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "session"), ("GET", "tokens"), ("GET", "confirm"), ("DELETE", "session"), ("PUT", "confirm")],
)
def test_other_verbs_are_not_taken(api: Api, method: str, path: str) -> None:
    session = opened(api)

    answer = browser().generic(method, f"/sdk/v1/{path}", headers={"authorization": f"Bearer {session.secret}"})

    assert outcome(answer) == (405, "METHOD_NOT_ALLOWED")
    assert nothing_moved(api, session)


def assert_is_private(answer: HttpResponse) -> None:
    assert "no-store" in answer["Cache-Control"]
    assert answer["Referrer-Policy"] == "no-referrer"
    assert not answer.cookies
