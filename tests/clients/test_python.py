"""`onpay`, the library in Python, as it is packed: against a running service, over a bad line, with bad deliveries."""

import asyncio
import base64
import hashlib
import hmac
import inspect
import json
import re
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from email.utils import format_datetime
from importlib import import_module
from pathlib import Path
from typing import Any

import httpx  # noqa: TID251  what the library stands on
import pytest
from django.test import Client
from openapi_spec_validator import OpenAPIV31SpecValidator
from pytest_django.live_server_helper import LiveServer

from gateway.api.reference.guides import guide
from gateway.api.reference.samples import FOLDER
from gateway.chaos.models import DisturbedRequest
from gateway.clients import build, packages
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.flaky_front import dripping, flaky_front
from tests.support.samples import samples
from tests.support.tools import run
from tests.support.whole_shop import graded
from webhooks import signing

HERE = packages.HERE / "python"
ORDER: dict[str, Any] = {
    "method": "PIX",
    "amount": Decimal("150.00"),
    "currency": "BRL",
    "payer": {"name": "Maria Silva", "tax_id": "52998224725"},
}


@pytest.fixture(scope="module")
def onpay() -> Iterator[Any]:
    """The wheel, as it would be installed."""
    build.python()
    [wheel] = packages.PACKED.glob("onpay-*.whl")
    sys.path.insert(0, str(wheel))
    try:
        yield import_module("onpay")
    finally:
        sys.path.remove(str(wheel))


def test_the_published_contract_is_valid_openapi(published: Path) -> None:
    OpenAPIV31SpecValidator(json.loads(published.read_text())).validate()


def test_the_library_has_every_type_that_it_promises(onpay: Any) -> None:
    run(sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", cwd=HERE)
    run(Path(sys.executable).parent / "ruff", "check", ".", cwd=HERE)
    assert {"Payment", "Refund", "Withdrawal", "WebhookEvent"} <= set(onpay.__all__)


@pytest.mark.django_db(transaction=True)
def test_the_whole_story(acme: Shop, onpay: Any, live_server: LiveServer, monkeypatch: pytest.MonkeyPatch) -> None:
    acme.company.withdrawal_ip = "127.0.0.1"
    acme.company.save()
    monkeypatch.setenv("ONPAY_API_KEY", acme.sandbox_key)
    monkeypatch.setenv("ONPAY_BASE_URL", live_server.url)
    quickstart = re.search(r"```python\n(.*?)```", (HERE / "README.md").read_text(), re.DOTALL)
    assert quickstart
    exec(quickstart[1], told := {})  # type: ignore[var-annotated]
    client, paid, company = told["client"], told["paid"], acme.company.id

    endpoint = client.webhook_endpoints.create(url="https://1.1.1.1/hooks", events=["*"])
    refund = client.refunds.create(paid.id, amount="50.00")
    order = {"company_id": company, "amount": 20, "currency": "BRL", "reference": "wd-1", "pix_key_type": "CPF"}
    rehearsed = client.withdrawals.rehearse_pix(**order, pix_key="52998224725")
    withdrawn = client.withdrawals.create_pix(**order, pix_key="52998224725")
    for number in range(3):
        client.payments.create(**ORDER, reference=f"page-{number}")
    references = [one.reference for one in client.payments.list(page_size=2)]
    with pytest.raises(onpay.BadRequest) as refused:
        client.payments.create(**ORDER, reference="")
    with pytest.raises(onpay.Conflict) as twice:
        client.payments.create(**ORDER, reference=paid.reference)

    async def awaited() -> tuple[Any, list[str]]:
        async with onpay.AsyncOnpay(acme.sandbox_key, live_server.url) as patient:
            events = [event.type async for event in patient.events.list()]
            return await patient.companies.balance(company), events

    balance, events = asyncio.run(awaited())
    assert (paid.status, paid.net_amount, paid.customer.name) == ("PAID", Decimal("148.50"), "Maria Silva")
    assert paid.paid_at.tzinfo is not None
    assert (refund.status, refund.amount, rehearsed.would_be_accepted) == ("PROCESSING", 50, True)
    assert (withdrawn.status, withdrawn.total_debited) == ("PROCESSING", 20)
    assert [str(one.available) for one in balance.balances if one.currency == "BRL"] == ["78.50"]
    assert references == ["page-2", "page-1", "page-0", paid.reference]
    assert sorted(events) == ["payment.paid", "refund.created"]
    assert (refused.value.code, refused.value.field) == ("ONP400_REFERENCE", "reference")
    assert (twice.value.code, twice.value.payment_id) == ("ONP409_DUPLICATE_REFERENCE", paid.id)
    assert client.payments.receipt_pdf(paid.id).startswith(b"%PDF")
    assert endpoint.secret.startswith("whsec_")
    for shown in (repr(endpoint), repr(client), repr(twice.value), str(twice.value)):
        assert endpoint.secret not in shown
        assert acme.sandbox_key not in shown


@pytest.mark.django_db(transaction=True)
def test_a_call_over_a_bad_line_has_one_effect(acme: Shop, onpay: Any, live_server: LiveServer) -> None:
    with flaky_front(live_server.url) as front:
        client = onpay.Onpay(acme.sandbox_key, front.url)
        for reference in ("lost-1", "busy-1", "down-1", "begun-1"):
            assert client.payments.create(**ORDER, reference=reference).status == "PENDING"
            assert [len(front.keys_of(reference)), len(set(front.keys_of(reference)))] == [2, 1]
        with pytest.raises(onpay.ServerError) as later:
            client.payments.create(**ORDER, reference="later-1", deadline=5)
        with pytest.raises(onpay.ConnectionFailed) as lost:
            onpay.Onpay(acme.sandbox_key, front.url, retries=0).payments.create(**ORDER, reference="lost-2")
        found = client.payments.create(**ORDER, reference="lost-2", idempotency_key=lost.value.idempotency_key)
        with pytest.raises(onpay.Conflict):
            client.payments.create(**ORDER, reference="lost-2")

        assert (later.value.retry_after, len(front.keys_of("later-1"))) == (30, 1)
        assert len(front.keys_of("lost-2")) == 3
        assert [one.id for one in client.payments.list(reference="lost-2")] == [found.id]
        assert len(list(client.payments.list())) == 5


@pytest.mark.django_db(transaction=True)
def test_a_removal_whose_answer_is_lost_is_done(acme: Shop, onpay: Any, live_server: LiveServer) -> None:
    with flaky_front(live_server.url) as front:
        client = onpay.Onpay(acme.sandbox_key, front.url)
        endpoint = client.webhook_endpoints.create(url="https://1.1.1.1/hooks", events=["*"])

        gone = client.webhook_endpoints.delete(endpoint.id)

        assert (gone.id, gone.deleted, len(front.keys_of(f"/api/v2/webhooks/{endpoint.id}"))) == (endpoint.id, True, 2)
        assert list(client.webhook_endpoints.list()) == []
        straight = onpay.Onpay(acme.sandbox_key, live_server.url)
        with pytest.raises(onpay.NotFound):
            straight.webhook_endpoints.delete(endpoint.id)


@pytest.mark.parametrize("first", [b"", b"HTTP/1.1 200 OK\r\ncontent-length: 999\r\n\r\n"], ids=["head", "body"])
def test_an_answer_that_comes_byte_by_byte_ends_with_its_time(onpay: Any, first: bytes) -> None:
    async def awaited() -> None:
        async with onpay.AsyncOnpay("onp_sandbox_x", url, timeout=0.4, retries=0) as client:
            await client.payments.get("pay_1")

    with dripping(first) as url, onpay.Onpay("onp_sandbox_x", url, timeout=30, deadline=0.4) as client:
        for call in (lambda: client.payments.get("pay_1"), lambda: asyncio.run(awaited())):
            began = time.monotonic()
            with pytest.raises(onpay.ConnectionFailed):
                call()
            assert time.monotonic() - began < 1.5


@pytest.mark.django_db(transaction=True)
def test_a_call_in_chaos_mode_has_one_effect(acme: Shop, onpay: Any, live_server: LiveServer) -> None:
    client = onpay.Onpay(acme.sandbox_key, live_server.url)
    run = client.sandbox.start_chaos()

    made = [client.payments.create(**ORDER, reference=f"chaos-{n}").id for n in range(4)]

    assert client.payments.get(made[0]).status == "PENDING"
    assert sorted(one.id for one in client.payments.list()) == sorted(made)
    met = DisturbedRequest.objects.filter(run=run.id).values_list("kind", flat=True)
    assert sorted(met) == ["ANSWER_LOST", "IN_PROGRESS", "RATE_LIMITED", "RATE_LIMITED", "RATE_LIMITED", "UNAVAILABLE"]
    assert client.sandbox.end_chaos().id == run.id


def test_deliveries_that_are_not_ours_are_refused(onpay: Any) -> None:
    ours, other, old = (signing.new_secret() for _ in range(3))
    body = b'{"id":"evt_1","type":"later.kind","timestamp":"2026-11-20T12:00:00.000Z","apiVersion":"v2",'
    body += b'"environment":"SANDBOX","companyId":"cmp_1","sequence":1,"data":{"amount":0.10}}'
    now = int(time.time())

    def sent(secrets: list[str], at: int = now) -> dict[str, str]:
        return {name.title(): value for name, value in signing.headers("evt_1", body, secrets, at).items()}

    verify, rotated = onpay.webhooks.verify, sent([ours, old])
    event = verify(body, rotated, old)
    assert (event.type, event.data) == ("later.kind", {"amount": Decimal("0.10")})
    assert verify(body, sent([ours]), [old, ours]) == event
    strange = b'{"id":"evt_2","type":"payment.paid","data":{"id":"pay_1","amount":"new"}}'
    assert (onpay.webhooks.parse(strange).type, onpay.webhooks.parse(strange).data.id) == ("payment.paid", "pay_1")
    later = onpay.webhooks.parse(b'{"id":"evt_3","type":"payment.of_tomorrow","data":{"paymentId":"pay_1"}}')
    assert later.data == {"paymentId": "pay_1"}, "a Payment has the members of a payment"
    assert onpay.webhooks.verify_body(body, rotated["X-Onpay-Signature"], ours) == event
    assert verify(body, onpay.webhooks.sign(body, ours), ours) == event
    for headers, secret in ((sent([ours]), other), (sent([ours], now - 400), ours), (sent([ours], now + 400), ours)):
        with pytest.raises(onpay.SignatureError):
            verify(body, headers, secret)
    for headers, content in ((sent([ours]), body + b" "), ({}, body)):
        with pytest.raises(onpay.SignatureError):
            verify(content, headers, ours)
    with pytest.raises(onpay.SignatureError):
        onpay.webhooks.verify_body(body + b" ", rotated["X-Onpay-Signature"], ours)


def test_headers_that_an_attacker_chooses_are_refused_like_all_others(onpay: Any) -> None:
    secret, body = signing.new_secret(), b'{"type":"payment.paid"}'
    signed = onpay.webhooks.sign(body, secret)
    for strange in (
        {"webhook-timestamp": "\u00b2"},
        {"webhook-timestamp": "9" * 5000},
        {"webhook-id": "\udcff"},
        {"webhook-signature": "v1,\udcff v1,"},
        {"webhook-signature": [b"v1,\xff"]},
        {"webhook-signature": []},
    ):
        with pytest.raises(onpay.SignatureError):
            onpay.webhooks.verify(body, signed | strange, secret)
    # What is signed with no key, anybody can sign.
    forged = {"webhook-id": "evt_1", "webhook-timestamp": signed["webhook-timestamp"]}
    text = f"evt_1.{forged['webhook-timestamp']}.".encode() + body
    forged["webhook-signature"] = "v1," + base64.b64encode(hmac.digest(b"", text, "sha256")).decode()
    for missing in ("", "whsec_", "whsec_\u2026", "whsec_AAAA", [], [secret, "whsec_"]):
        with pytest.raises(ValueError, match="secret"):
            onpay.webhooks.verify(body, forged, missing)
        with pytest.raises(ValueError, match="secret"):
            onpay.webhooks.verify_body(body, "sha256=0", missing)


def test_a_key_is_told_to_its_own_service_only(onpay: Any) -> None:
    seen: list[tuple[str, str | None]] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append((request.url.host, request.headers.get("x-api-key")))
        return httpx.Response(307, headers={"location": "https://elsewhere.test/"})

    http = httpx.Client(transport=httpx.MockTransport(answer), follow_redirects=True)
    sandbox = onpay.Onpay("onp_sandbox_s\n", "https://sandbox.test/", http=http)
    with onpay.Onpay("onp_live_l", "https://live.test", http=http) as live:
        for client in (sandbox, live):
            with pytest.raises(onpay.BadRequest) as moved:
                client.payments.get("pay_1")
            assert moved.value.code == "HTTP_307"
    http.get("https://shop.test/", follow_redirects=False)

    assert seen == [("sandbox.test", "onp_sandbox_s"), ("live.test", "onp_live_l"), ("shop.test", None)]
    for url in ("https://live.test?x=1", "https://a:b@live.test", "https://live.test#x"):
        with pytest.raises(ValueError, match="base_url"):
            onpay.Onpay("onp_live_l", url)
    for place in ("", ".", ".."):
        with pytest.raises(ValueError, match="id"):
            live.payments.expire(place)
    assert len(seen) == 3


def test_what_others_answer_in_between_is_an_error_of_the_library(onpay: Any) -> None:
    begun = datetime.now(UTC)
    moment = format_datetime(begun + timedelta(seconds=20), usegmt=True)
    html = b"<html>Bad Gateway</html>"
    for status, headers, content, wait in (
        (502, {}, html, None),
        (503, {"retry-after": moment}, html, 20),
        (503, {"retry-after": "\u00b2".encode()}, html, None),
        (503, {"retry-after": "-1"}, html, None),
        (429, {"retry-after": "7"}, b'{"error":{"code":429,"retryAfter":"soon","retryable":"x"}}', 7),
        (503, {}, b'{"error":{"code":"ONP503","retryable":true,"retryAfter":1.5}}', 1.5),
        (503, {}, b'{"error":{"code":"ONP503","retryable":true,"retryAfter":-5}}', None),
        (200, {}, html, None),
        (200, {}, b"{}", None),
        (200, {}, b"[]", None),
        (200, {"content-encoding": "gzip"}, b"no gzip", None),
    ):
        answers = [httpx.Response(status, headers=headers, stream=httpx.ByteStream(content)) for _ in range(2)]
        http = httpx.Client(transport=httpx.MockTransport(lambda _, left=answers: left.pop()))  # type: ignore[misc]
        client = onpay.Onpay("onp_sandbox_x", "https://sandbox.test", http=http, deadline=1, retries=1)
        with pytest.raises(onpay.OnpayError) as failed:
            client.payments.create(**ORDER, reference="x")
        assert failed.value.retryable
        told = failed.value.retry_after
        if wait == 20:  # by then less is left, and the header has no fractions
            assert told and 19 - (datetime.now(UTC) - begun).total_seconds() <= told <= 20
        else:
            assert told == wait, (status, headers)
        assert len(answers) == bool(wait), "what would take too long is not tried again"


@pytest.mark.django_db(transaction=True)
def test_long_lists_go_on_after_their_last_object(acme: Shop, onpay: Any, live_server: LiveServer) -> None:
    """Nothing comes twice and nothing is left out, though the list grows and objects leave it while it is read."""
    client = onpay.Onpay(acme.sandbox_key, live_server.url)
    made = [client.payments.create(**ORDER, reference=f"long-{number}").id for number in range(4)]

    def read() -> Iterator[str]:
        for number, one in enumerate(client.payments.list(page_size=2, status="PENDING")):
            client.payments.create(**ORDER, reference=f"new-{number}")
            client.sandbox.end_payment(one.id, status="PAID")
            yield one.id

    assert list(read()) == made[::-1]
    asked = [page.page_number for page in client.payments.list(page_size=3).pages()]
    assert asked == [1, 2, 3]
    events = [one.id for one in client.events.list(page_size=2)]
    seen = [one.id for one in client.events.list(page_size=2, after="evt_00000000000000000000000000")]
    assert seen == events[::-1]
    assert len(seen) == len(set(seen)) == 4


def test_a_list_has_each_object_once_however_many_were_created_meanwhile(onpay: Any) -> None:
    newest = [f"pay_{number}" for number in range(4)]

    def answer(request: httpx.Request) -> httpx.Response:
        number = int(request.url.params["pageNumber"])
        data = [{"id": name} for name in newest[2 * number - 2 : 2 * number]]
        newest[:0] = [f"new_{number}_{one}" for one in range(3)] if number < 3 else []
        about = {"pageNumber": number, "pageSize": 2, "total": len(data), "totalAvailable": len(newest)}
        return httpx.Response(200, json={"data": data, "pagination": about})

    http = httpx.Client(transport=httpx.MockTransport(answer))
    listed = [one.id for one in onpay.Onpay("onp_live_x", "https://live.test", http=http).events.list(page_size=2)]

    assert len(listed) == len(set(listed))
    assert set(listed) >= {f"pay_{number}" for number in range(4)}


def test_what_a_client_is_told_wrongly_is_refused_before_it_is_sent(onpay: Any) -> None:
    client = onpay.Onpay("onp_sandbox_x", "http://localhost:9")
    for amount in (150.0, True):
        with pytest.raises(TypeError, match="amount must be Decimal"):
            client.payments.create(**ORDER | {"amount": amount}, reference="x")
    for key, url in (("onp_sandbox_x", "http://gateway.test"), ("secret", "https://gateway.test")):
        with pytest.raises(ValueError, match="must be") as told:
            onpay.Onpay(key, url)
        assert "secret" not in str(told.value)


@pytest.mark.django_db(transaction=True)
def test_every_sample_of_the_guides_runs(
    acme: Shop, onpay: Any, live_server: LiveServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    acme.company.withdrawal_ip = "127.0.0.1"
    acme.company.save()
    monkeypatch.setenv("ONPAY_API_KEY", acme.sandbox_key)
    monkeypatch.setenv("ONPAY_BASE_URL", live_server.url)

    for name, program in samples("python").items():
        exec(compile(program, name, "exec"), {"__name__": name})


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("request_log")
def test_the_shop_of_the_guides_gets_an_a(
    api: Api, onpay: Any, live_server: LiveServer, settings: Any, tmp_path: Path
) -> None:
    settings.LOCAL = True
    shop, check = ([sys.executable, FOLDER / name] for name in ("shop.py", "shop-check.py"))
    wheel = Path(onpay.__file__).parents[1]

    assert graded(api, live_server.url, shop, check, tmp_path, PYTHONPATH=str(wheel)) == "grade A 20"


def test_every_method_of_its_page_is_in_the_library(onpay: Any) -> None:
    client = onpay.Onpay("onp_sandbox_x", "https://sandbox.test")
    code = "".join(re.findall(r"(?s)```python\n(.*?)```", guide("methods", "en").markdown))
    shown = re.findall(r"(?m)^client\.(\w+)\.(\w+)\(([\w, ]*)", code)
    assert len(shown) > 70
    for resource, name, ids in shown:
        taken = [*inspect.signature(getattr(getattr(client, resource), name)).parameters]
        given = [one for one in ids.split(", ") if one]
        assert taken[: len(given)] == given


def test_the_wheel_is_offered_for_download(onpay: Any, client: Client) -> None:
    [wheel] = packages.PACKED.glob("onpay-*.whl")
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()

    page = client.get("/docs/libraries.md").content.decode()
    file = client.get(f"/docs/libraries/{wheel.name}")

    assert f"/docs/libraries/{wheel.name}#sha256={digest}" in page
    assert "client = onpay.Onpay(" in page
    assert b"".join(file.streaming_content) == wheel.read_bytes()  # type: ignore[attr-defined]
    assert client.get("/docs/libraries/pyproject.toml").status_code == 404
