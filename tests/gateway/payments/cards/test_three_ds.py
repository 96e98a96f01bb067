"""The holder's bank may ask: the challenge is answered once, by whoever has its address, and only there."""

from html import unescape
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.http import HttpResponse
from django.test import Client

from ledger.books.models import Transfer
from tests.support.api import Api
from tests.support.cards import (
    CHALLENGE,
    CHALLENGE_REFUSED,
    SHOP,
    Session,
    alone,
    book,
    browser,
    events,
    lookup,
    opened,
    outcome,
    told,
    wait,
)
from tests.support.companies import Shop

alone_in_the_database = pytest.mark.django_db(transaction=True)
METHODS = pytest.mark.parametrize("method", ["CREDIT_CARD", "DEBIT_CARD"])


def asked(session: Session, number: str = CHALLENGE) -> str:
    """The path of the page where the holder is asked."""
    answer = session.pay(number)
    assert (answer.status_code, list(answer.json())) == (200, ["threeDs"])
    url = urlsplit(answer.json()["threeDs"]["challengeUrl"])
    assert f"{url.scheme}://{url.netloc}" == settings.SDK_URL
    assert url.path.startswith(f"/sdk/v1/3ds/{session.id}.")
    return url.path


def decide(path: str, decision: str, **headers: str) -> HttpResponse:
    with alone():
        return browser().post(path, {"decision": decision}, headers=headers)


@METHODS
def test_the_page_asks_and_to_look_at_it_decides_nothing(api: Api, acme: Shop, method: str) -> None:
    session = opened(api, method)
    path = asked(session)
    waiting = lookup(api, session)
    assert waiting == session.payment | {"updatedAt": waiting["updatedAt"]}

    for page in (browser().get(path), browser().get(path, {"decision": "approve"}), browser().head(path)):
        assert page.status_code == 200
        assert "X-Frame-Options" not in page
        assert not page.cookies
        assert "no-store" in page["Cache-Control"]
        assert page["Referrer-Policy"] == "no-referrer"
        assert f"frame-ancestors {SHOP} {settings.SDK_URL}" in page["Content-Security-Policy"]

    text = unescape(browser().get(path).content.decode())
    assert [word for word in ("Acme", "200.00", CHALLENGE[-4:], "approve", "refuse") if word not in text] == []
    assert session.secret not in text
    assert lookup(api, session) == waiting
    assert told(acme) == ["action_required"]


@METHODS
def test_approved_it_is_paid(api: Api, acme: Shop, method: str) -> None:
    session = opened(api, method)

    page = decide(asked(session), "approve")

    assert page.status_code == 200
    paid = lookup(api, session)
    assert (paid["status"], paid["method"], "nextAction" in paid) == ("PAID", method, False)
    assert told(acme) == ["action_required", "authorized", "paid"]
    assert events(acme)[-1]["data"] == paid
    assert f"https://shop.example/thanks?a=b&paymentId={session.id}" in unescape(page.content.decode())
    assert Transfer.objects.count() == 1


@METHODS
@pytest.mark.parametrize(
    ("number", "decision"), [(CHALLENGE, "refuse"), (CHALLENGE_REFUSED, "approve"), (CHALLENGE_REFUSED, "refuse")]
)
def test_refused_it_has_failed(api: Api, acme: Shop, method: str, number: str, decision: str) -> None:
    session = opened(api, method)

    assert decide(asked(session, number), decision).status_code == 200

    failed = lookup(api, session)
    assert (failed["status"], failed["failure"]["code"]) == ("FAILED", "THREE_DS_REFUSED")
    assert told(acme) == ["action_required", "failed"]
    assert (Transfer.objects.count(), book(acme)) == (0, {})
    assert outcome(session.call("session")) == (401, "SESSION_INVALID")


@alone_in_the_database
@pytest.mark.parametrize(
    ("first", "then", "status"),
    [("approve", "refuse", "PAID"), ("refuse", "approve", "FAILED"), ("approve", "approve", "PAID")],
)
def test_the_second_answer_changes_nothing(api: Api, acme: Shop, first: str, then: str, status: str) -> None:
    session = opened(api)
    path = asked(session)
    decide(path, first)
    ended, said, books = lookup(api, session), told(acme), book(acme)
    assert ended["status"] == status

    page = decide(path, then)

    assert page.status_code == 200
    assert 'name="decision"' not in page.content.decode()
    assert (lookup(api, session), told(acme), book(acme)) == (ended, said, books)


@alone_in_the_database
def test_after_the_session_the_answer_comes_too_late(api: Api, acme: Shop) -> None:
    session, unswept = opened(api), opened(api)
    paths = [asked(session), asked(unswept)]
    wait(api, 1800)

    for path in paths:
        page = decide(path, "approve")
        assert (page.status_code, 'name="decision"' in page.content.decode()) == (200, False)

    assert {lookup(api, one)["status"] for one in (session, unswept)} == {"EXPIRED"}
    assert sorted(told(acme)) == ["action_required", "action_required", "expired", "expired"]
    assert book(acme) == {}


@alone_in_the_database
def test_at_the_minute_of_the_end_an_unswept_session_is_over_too(api: Api, acme: Shop) -> None:
    session = opened(api)
    path = asked(session)
    waiting = lookup(api, session)
    acme.sandbox.clock_offset += acme.sandbox.payments.get().expires_at - acme.sandbox.payments.get().created_at
    acme.sandbox.save()

    assert decide(path, "approve").status_code == 200

    assert lookup(api, session) == waiting
    assert told(acme) == ["action_required"]


def test_a_wrong_address_is_found_nowhere_and_decides_nothing(api: Api, globex_api: Api, acme: Shop) -> None:
    session, twin, other = opened(api), opened(api), opened(globex_api)
    path, twins, others = asked(session), asked(twin), asked(other)
    unasked = opened(api)
    secret, before = path.rpartition(".")[2], told(acme)
    wrong = [
        f"/sdk/v1/3ds/{session.id}", f"/sdk/v1/3ds/{session.id}.", f"/sdk/v1/3ds/.{secret}", f"/sdk/v1/3ds/{secret}",
        f"/sdk/v1/3ds/{session.id}.{twins.rpartition('.')[2]}", f"/sdk/v1/3ds/{session.id}.{others.rpartition('.')[2]}",
        f"/sdk/v1/3ds/{other.id}.{secret}", f"{path}x", path[:-1], path.swapcase(), f"/sdk/v1/3ds/{unasked.id}.None",
        f"/sdk/v1/3ds/{unasked.id}.", f"/sdk/v1/3ds/pay_x.{secret}", f"/sdk/v1/3ds/{session.id}.%00",
    ]  # fmt: skip

    for address in wrong:
        assert browser().get(address).status_code == 404, address
        assert decide(address, "approve").status_code == 404, address

    assert {lookup(api, one)["status"] for one in (session, twin, unasked)} == {"ACTION_REQUIRED"}
    assert lookup(globex_api, other)["status"] == "ACTION_REQUIRED"
    assert told(acme) == before


def test_only_the_origin_of_the_sdk_asks(api: Api) -> None:
    session = opened(api)
    path = asked(session)
    elsewhere = Client(HTTP_HOST="localhost:8000", raise_request_exception=False)

    assert elsewhere.get(path).status_code == 404
    assert elsewhere.post(path, {"decision": "approve"}).status_code == 404
    assert lookup(api, session)["status"] == "ACTION_REQUIRED"


def test_the_way_back_is_the_one_that_was_ordered(api: Api) -> None:
    session = opened(api)
    path = asked(session)
    evil = {"returnUrl": "https://evil.example", "return_url": "https://evil.example", "next": "//evil.example"}

    with alone():
        pages = [browser().get(path, evil), browser().post(path, evil | {"decision": "approve"})]

    assert not any("evil.example" in page.content.decode() + str(page.headers) for page in pages)


def test_the_address_is_not_logged(api: Api, caplog: Any, capfd: Any) -> None:
    path = asked(opened(api))
    browser().get(path)
    decide(path, "approve")

    logged = caplog.text + "".join(capfd.readouterr())
    assert "/sdk/v1/3ds/pay_" in logged
    assert path.rpartition(".")[2] not in logged
