"""How often an address may call, and what it is told about that."""

import re
import time
import uuid

import pytest
from django.http import HttpResponse
from pytest_django import Settings

from gateway.payments.models import Payment
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import a_payment, pix


def policy(answer: HttpResponse) -> dict[str, tuple[int, int]]:
    """`RateLimit-Policy`: for each window its quota and its seconds."""
    return {name: (int(q), int(w)) for name, q, w in re.findall(r'"(\w+)";q=(\d+);w=(\d+)', answer["RateLimit-Policy"])}


def left(answer: HttpResponse) -> dict[str, int]:
    """`RateLimit`: for each window how many calls are left."""
    return {name: int(r) for name, r, _ in re.findall(r'"(\w+)";r=(\d+);t=(\d+)', answer["RateLimit"])}


def seconds(answer: HttpResponse) -> dict[str, int]:
    return {name: int(t) for name, _, t in re.findall(r'"(\w+)";r=(\d+);t=(\d+)', answer["RateLimit"])}


def limit(settings: Settings, **limits: int) -> None:
    settings.RATE_LIMITS = settings.RATE_LIMITS | limits


def another(address: str, first: int) -> str:
    """An address that no other test has either."""
    return f"{first}.{address.partition('.')[2]}"


def test_the_limits_are_those_of_the_contract(api: Api) -> None:
    assert policy(api.get("/payments")) == {"all": (1000, 300)}
    assert policy(api.post("/payments", pix())) == {"payments": (200, 300), "all": (1000, 300)}


def test_the_headers_are_written_as_in_the_contract(api: Api) -> None:
    answer = api.post("/payments", pix())

    assert answer["RateLimit-Policy"] == '"payments";q=200;w=300, "all";q=1000;w=300'
    assert re.fullmatch(r'"payments";r=199;t=\d+, "all";r=999;t=\d+', answer["RateLimit"])


def test_each_call_leaves_one_fewer(api: Api) -> None:
    assert [left(api.get("/payments"))["all"] for _ in range(3)] == [999, 998, 997]
    assert left(api.post("/payments", pix())) == {"payments": 199, "all": 996}
    assert left(api.get("/payments")) == {"all": 995}


def test_the_time_runs_from_the_oldest_call(api: Api) -> None:
    api.get("/payments")

    assert 298 <= seconds(api.get("/payments"))["all"] <= 300


def test_every_kind_of_answer_says_what_is_left(api: Api) -> None:
    answers = [
        api.get("/payments"),
        api.request("GET", "/nothing"),
        api.request("PATCH", "/payments"),
        api.get("/payments/pay_unknown"),
        api.post("/payments", raw=b"{"),
    ]
    api.key = None
    answers.append(api.get("/payments"))

    assert [left(answer)["all"] for answer in answers] == [999, 998, 997, 996, 995, 994]


def test_a_call_too_many_is_refused_and_makes_nothing(api: Api, settings: Settings) -> None:
    limit(settings, payments=2)
    assert [api.post("/payments", pix()).status_code for _ in range(2)] == [201, 201]

    answer = api.post("/payments", pix())

    assert answer.status_code == 429
    error = answer.json()["error"]
    assert (error["code"], error["retryable"]) == ("ONP429", True)
    assert answer["Retry-After"] == str(error["retryAfter"])
    assert 290 <= error["retryAfter"] <= 300
    assert error["retryAfter"] == seconds(answer)["payments"]
    assert left(answer)["payments"] == 0
    assert Payment.objects.count() == 2


def test_the_limit_for_payments_is_for_their_creation_only(api: Api, acme: Shop, settings: Settings) -> None:
    payment = a_payment(acme.sandbox)
    limit(settings, payments=1)
    api.post("/payments", pix())

    assert api.post("/payments", pix()).status_code == 429
    assert api.get("/payments").status_code == 200
    assert api.get(f"/payments/{payment.id}").status_code == 200
    assert api.post(f"/simulations/payments/{payment.id}", {"status": "PAID"}).status_code == 200


def test_refused_calls_do_not_count(api: Api, settings: Settings) -> None:
    limit(settings, all=2)
    api.get("/payments")
    api.get("/payments")
    assert [api.get("/payments").status_code for _ in range(3)] == [429, 429, 429]

    limit(settings, all=3)

    assert api.get("/payments").status_code == 200
    assert api.get("/payments").status_code == 429


def test_a_call_refused_by_one_window_is_not_counted_by_it(api: Api, settings: Settings) -> None:
    limit(settings, payments=1)
    api.post("/payments", pix())
    assert [api.post("/payments", pix()).status_code for _ in range(3)] == [429, 429, 429]

    limit(settings, payments=2)

    assert api.post("/payments", pix()).status_code == 201


def test_replays_count(api: Api, settings: Settings) -> None:
    limit(settings, payments=2)
    body, key = pix(), str(uuid.uuid4())

    statuses = [api.post("/payments", body, key=key).status_code for _ in range(3)]

    assert statuses == [201, 201, 429]


def test_refusals_of_other_kinds_count(api: Api, settings: Settings) -> None:
    limit(settings, payments=2)

    assert api.post("/payments", pix(amount=-1)).status_code == 400
    assert api.post("/payments", pix(), key="not-a-uuid").status_code == 400
    assert api.post("/payments", pix()).status_code == 429


def test_what_is_refused_before_the_window_of_the_route_does_not_count_there(api: Api, settings: Settings) -> None:
    limit(settings, payments=1)
    good, api.key = api.key, None
    assert api.post("/payments", pix()).status_code == 401
    api.key = good
    assert api.post("/payments", pix(), content_type="text/plain").status_code == 415

    assert api.post("/payments", pix()).status_code == 201


def test_unknown_keys_and_routes_use_up_the_window_too(api: Api, settings: Settings) -> None:
    limit(settings, all=2)
    good, api.key = api.key, None
    assert api.get("/payments").status_code == 401
    assert api.request("GET", "/nothing").status_code == 404
    api.key = good

    assert api.get("/payments").status_code == 429


def test_a_refused_call_may_be_repeated_with_its_key(api: Api, settings: Settings) -> None:
    limit(settings, payments=1)
    api.post("/payments", pix())
    body, key = pix(), str(uuid.uuid4())
    assert api.post("/payments", body, key=key).status_code == 429

    limit(settings, payments=2)

    assert api.post("/payments", body, key=key).status_code == 201


def test_an_address_has_one_window_whatever_the_key(api: Api, globex: Shop, address: str, settings: Settings) -> None:
    limit(settings, all=1)
    api.get("/payments")

    assert Api(globex.sandbox_key, address).get("/payments").status_code == 429


def test_each_address_has_a_window_of_its_own(api: Api, acme: Shop, address: str, settings: Settings) -> None:
    limit(settings, all=1)
    api.get("/payments")

    assert Api(acme.sandbox_key, another(address, 11)).get("/payments").status_code == 200


def test_the_addresses_of_an_ipv6_network_share_a_window(acme: Shop, address: str, settings: Settings) -> None:
    limit(settings, all=1)
    of_this_test = f"2001:db8:{address.rpartition('.')[2]}"

    def status(rest: str) -> int:
        return Api(acme.sandbox_key, of_this_test + rest).get("/payments").status_code

    assert status(":7::1") == 200
    assert status(":7:ffff::2") == 429
    assert status(":8::1") == 200


@pytest.mark.parametrize(
    "header", ["HTTP_X_FORWARDED_FOR", "HTTP_X_REAL_IP", "HTTP_FORWARDED", "HTTP_CF_CONNECTING_IP", "HTTP_CLIENT_IP"]
)
def test_a_caller_cannot_choose_its_address(api: Api, settings: Settings, header: str) -> None:
    limit(settings, all=1)
    api.get("/payments")

    assert api.request("GET", "/payments", **{header: "203.0.113.5"}).status_code == 429


def test_behind_a_proxy_the_last_address_that_is_no_proxy_counts(api: Api, address: str, settings: Settings) -> None:
    settings.TRUSTED_PROXIES = [address, "198.51.100.99"]
    limit(settings, all=1)

    def status(forwarded: str) -> int:
        return api.request("GET", "/payments", HTTP_X_FORWARDED_FOR=forwarded).status_code

    caller, neighbour, spoofed = (another(address, first) for first in (12, 13, 14))
    assert status(caller) == 200
    assert status(caller) == 429
    assert status(f"{spoofed}, {caller}") == 429
    assert status(f"{caller}, 198.51.100.99") == 429
    assert status(f"{caller},{neighbour}") == 200


def test_the_window_moves(api: Api, settings: Settings) -> None:
    settings.RATE_LIMIT_WINDOW_S = 1
    limit(settings, all=1)
    assert [api.get("/payments").status_code for _ in range(2)] == [200, 429]

    time.sleep(1.1)

    assert api.get("/payments").status_code == 200
