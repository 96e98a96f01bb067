"""Money leaves from one address only: any other origin is refused, whatever it asks (contract §11.1)."""

import uuid
from collections.abc import Callable

import pytest
from django.http import HttpResponse
from pytest_django import Settings

from accounts.base.clock import utcnow
from accounts.models import Merchant, RefusedOrigin
from accounts.services import issue_key
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.withdrawals import (
    RAILS,
    ask,
    body,
    nothing_moves,
    refusal,
    register,
    rehearsed,
    send,
    wallet,
    withdrawn,
)

REFUSED = (403, "ONP403_IP")
ELSEWHERE = "203.0.113.77"
Call = Callable[[Api, Shop], HttpResponse]
CALLS: dict[str, Call] = {
    **{f"POST {' '.join(rail)}": lambda api, shop, rail=rail: ask(api, shop, rail) for rail in RAILS},  # type: ignore[misc]
    "list": lambda api, shop: api.get("/withdrawals"),
    "lookup": lambda api, shop: api.get("/withdrawals/wdr_01KAGTW3Q8XJ5V0N2B7R4C9WDR"),
}


@pytest.mark.a_third_a_day
@pytest.mark.parametrize("environment", ["sandbox", "production"])
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_another_address_is_refused_in_both_environments(funded: Shop, call: Call, environment: str) -> None:
    Merchant.objects.update(withdrawal_enabled=True)
    intruder = Api(getattr(funded, f"{environment}_key"), ELSEWHERE)

    with nothing_moves(funded):
        answer = call(intruder, funded)

    assert refusal(answer) == REFUSED
    assert answer.json()["error"]["retryable"] is False


@pytest.mark.parametrize("environment", ["sandbox", "production"])
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_where_none_is_registered_every_address_is_refused(
    funded: Shop, address: str, call: Call, environment: str
) -> None:
    register(funded, None)

    with nothing_moves(funded):
        assert refusal(call(Api(getattr(funded, f"{environment}_key"), address), funded)) == REFUSED


@pytest.mark.parametrize("environment", ["sandbox", "production"])
def test_the_registered_address_reads_in_both_environments(funded: Shop, address: str, environment: str) -> None:
    api = Api(getattr(funded, f"{environment}_key"), address)

    assert api.get("/withdrawals").status_code == 200
    assert refusal(api.get("/withdrawals/wdr_x")) == (404, "ONP404_WITHDRAWAL")


def test_a_withdrawal_cannot_be_looked_up_from_elsewhere(out: Api, acme: Shop) -> None:
    made = withdrawn(out, acme)
    elsewhere = Api(acme.sandbox_key, ELSEWHERE)

    assert refusal(elsewhere.get(f"/withdrawals/{made['id']}")) == REFUSED
    assert made["id"] not in str(elsewhere.get("/withdrawals").content)


def test_a_new_address_counts_at_once_and_the_old_no_longer(out: Api, acme: Shop, address: str) -> None:
    moved = Api(acme.sandbox_key, ELSEWHERE)
    withdrawn(out, acme)
    assert refusal(ask(moved, acme)) == REFUSED

    register(acme, ELSEWHERE)

    with nothing_moves(acme):
        assert refusal(ask(out, acme)) == REFUSED
    withdrawn(moved, acme)
    register(acme, address)
    withdrawn(out, acme)
    assert refusal(ask(moved, acme)) == REFUSED


def test_the_address_of_another_company_is_not_ours(funded: Shop, globex: Shop, address: str) -> None:
    register(globex, ELSEWHERE)

    with nothing_moves(funded, globex):
        assert refusal(ask(Api(funded.sandbox_key, ELSEWHERE), funded)) == REFUSED
        assert refusal(ask(Api(globex.sandbox_key, address), globex)) == REFUSED


def test_a_replay_from_elsewhere_is_refused(out: Api, acme: Shop) -> None:
    asked, key = body(acme), str(uuid.uuid4())
    first = send(out, ("PIX", "BRL"), asked, key=key)
    assert first.status_code == 201

    with nothing_moves(acme):
        answer = send(Api(acme.sandbox_key, ELSEWHERE), ("PIX", "BRL"), asked, key=key)

    assert refusal(answer) == REFUSED
    assert "Idempotent-Replayed" not in answer
    assert first.json()["data"]["id"] not in str(answer.content)
    assert send(out, ("PIX", "BRL"), asked, key=key).content == first.content


def test_a_refused_call_leaves_its_key_free(out: Api, acme: Shop) -> None:
    asked, key = body(acme), str(uuid.uuid4())
    assert refusal(send(Api(acme.sandbox_key, ELSEWHERE), ("PIX", "BRL"), asked, key=key)) == REFUSED

    answer = send(out, ("PIX", "BRL"), asked, key=key)

    assert answer.status_code == 201
    assert "Idempotent-Replayed" not in answer


def test_everything_else_may_be_called_from_anywhere(funded: Shop) -> None:
    elsewhere = Api(funded.sandbox_key, ELSEWHERE)

    assert wallet(elsewhere, funded)[0] > 0
    assert elsewhere.get("/payments").status_code == 200


@pytest.mark.parametrize(
    ("registered", "origin", "status"),
    [
        ("203.0.113.10", "203.0.113.10", 200),
        ("203.0.113.10", "::ffff:203.0.113.10", 200),
        ("203.0.113.10", "::ffff:cb00:710a", 200),
        ("203.0.113.10", "::ffff:203.0.113.11", 403),
        ("203.0.113.10", "203.0.113.1", 403),
        ("203.0.113.10", "203.0.113.100", 403),
        ("203.0.113.10", "::203.0.113.10", 403),
        ("2001:db8::1", "2001:db8::1", 200),
        ("2001:db8::1", "2001:0DB8:0:0:0:0:0:1", 200),
        ("2001:db8::1", "2001:db8::2", 403),
        ("2001:db8::1", "2001:db8:0:1::1", 403),
        ("::ffff:203.0.113.10", "203.0.113.10", 200),
    ],
)
def test_addresses_are_compared_exactly_however_they_are_written(
    acme: Shop, registered: str, origin: str, status: int
) -> None:
    register(acme, registered)

    assert Api(acme.sandbox_key, origin).get("/withdrawals").status_code == status


@pytest.mark.parametrize(
    "header", ["HTTP_X_FORWARDED_FOR", "HTTP_X_REAL_IP", "HTTP_FORWARDED", "HTTP_CF_CONNECTING_IP", "HTTP_CLIENT_IP"]
)
def test_nobody_can_say_that_it_is_the_registered_address(funded: Shop, address: str, header: str) -> None:
    intruder = Api(funded.sandbox_key, ELSEWHERE)

    with nothing_moves(funded):
        answer = intruder.request("GET", "/withdrawals", **{header: address})

    assert refusal(answer) == REFUSED


@pytest.mark.parametrize(
    ("forwarded", "status"),
    [
        ("{registered}", 200),
        ("198.51.100.1, {registered}", 200),
        ("{registered}, 198.51.100.1", 403),
        ("{registered}, 192.0.2.9", 200),
        ("{registered}, 198.51.100.1, 192.0.2.9", 403),
        ("198.51.100.1", 403),
        ("::ffff:{registered}", 200),
        ("{registered}:4711", 200),
        ("unknown", 403),
        ("{registered}, unknown", 403),
        ("", 403),
    ],
)
def test_behind_proxies_the_last_address_that_is_no_proxy_counts(
    funded: Shop, address: str, settings: Settings, forwarded: str, status: int
) -> None:
    settings.TRUSTED_PROXIES = [ELSEWHERE, "192.0.2.0/28"]
    behind = Api(funded.sandbox_key, ELSEWHERE)

    answer = behind.request("GET", "/withdrawals", HTTP_X_FORWARDED_FOR=forwarded.format(registered=address))

    assert answer.status_code == status


def test_behind_a_proxy_money_leaves_for_the_backend_behind_it_only(
    funded: Shop, address: str, settings: Settings
) -> None:
    settings.TRUSTED_PROXIES = [ELSEWHERE]
    behind = Api(funded.sandbox_key, ELSEWHERE)

    with nothing_moves(funded):
        assert refusal(send(behind, RAILS[0], body(funded), **{"x-forwarded-for": "198.51.100.1"})) == REFUSED
    assert send(behind, RAILS[0], body(funded), **{"x-forwarded-for": address}).status_code == 201


def test_the_last_refused_origin_is_remembered(out: Api, acme: Shop, globex: Shop) -> None:
    assert not RefusedOrigin.objects.exists()
    began = utcnow()
    for origin in ("198.51.100.1", ELSEWHERE, ELSEWHERE):
        ask(Api(acme.sandbox_key, origin), acme)
    Api(acme.sandbox_key, ELSEWHERE).get("/withdrawals")

    known = RefusedOrigin.objects.get()

    assert (known.merchant, known.address, known.times) == (acme.sandbox, ELSEWHERE, 3)
    assert began <= known.seen_at <= utcnow()


def test_the_origin_of_a_preflight_is_remembered_too(acme: Shop, address: str) -> None:
    register(acme, address)
    elsewhere = Api(acme.sandbox_key, ELSEWHERE)

    assert rehearsed(elsewhere, acme)["origin"] == ELSEWHERE

    assert (RefusedOrigin.objects.get().address, RefusedOrigin.objects.get().times) == (ELSEWHERE, 1)


def test_who_has_not_the_permission_leaves_no_trace(acme: Shop) -> None:
    reader = Api(issue_key(acme.sandbox, ["transactions:read"], "reader")[1], ELSEWHERE)

    assert refusal(ask(reader, acme)) == (403, "ONP403")
    assert refusal(reader.get("/withdrawals")) == (403, "ONP403")
    assert not RefusedOrigin.objects.exists()


def test_each_environment_remembers_its_own(acme: Shop) -> None:
    ask(Api(acme.production_key, "198.51.100.1"), acme)
    ask(Api(acme.sandbox_key, ELSEWHERE), acme)

    assert RefusedOrigin.objects.get(merchant=acme.production).address == "198.51.100.1"
    assert RefusedOrigin.objects.get(merchant=acme.sandbox).address == ELSEWHERE
