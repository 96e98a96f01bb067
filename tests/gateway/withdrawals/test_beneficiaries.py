"""The book of beneficiaries: new accounts cool off, and rules can allow no others (contract §11.8)."""

from typing import Any

import pytest
from django.http import HttpResponse

from gateway.withdrawals.models import Withdrawal
from tests.support.api import Api
from tests.support.approvals import set_rules, the_owner
from tests.support.companies import Shop
from tests.support.withdrawals import (
    ARS,
    BTC,
    PIX,
    RAILS,
    SPEI,
    Rail,
    ask,
    body,
    fund,
    nothing_moves,
    refusal,
    rehearsed,
    wait,
    withdrawn,
)

BY_ORDER = {"companyId", "amount", "currency", "reference", "asset", "minimumAssetAmount"}
DAY = 24 * 3600


def the_account(shop: Shop, rail: Rail) -> dict[str, Any]:
    """The documented destination of a rail, as a beneficiary."""
    members = {name: value for name, value in body(shop, rail).items() if name not in BY_ORDER}
    return {"name": "Supplier", "rail": rail[0], "currency": rail[1], "destination": members}


def add(api: Api, shop: Shop, way: Rail = PIX, **members: Any) -> HttpResponse:
    content = the_account(shop, way) | members
    return api.post("/beneficiaries", {name: value for name, value in content.items() if value is not None})


@pytest.mark.parametrize("rail", RAILS, ids=" ".join)
def test_every_rail_has_beneficiaries(out: Api, acme: Shop, rail: Rail) -> None:
    made = add(out, acme, rail)

    assert made.status_code == 201, made.content
    data = made.json()["data"]
    assert (data["name"], data["rail"], data["currency"], data["status"]) == ("Supplier", *rail, "USABLE")
    assert out.get(f"/beneficiaries/{data['id']}").json()["data"] == data
    assert [one["id"] for one in out.get("/beneficiaries", rail=rail[0]).json()["data"]] == [data["id"]]
    assert refusal(add(out, acme, rail, name="Twice")) == (409, "ONP409_BENEFICIARY")


@pytest.mark.parametrize(
    ("members", "field"),
    [
        ({"name": None}, "name"),
        ({"rail": "WIRE"}, "rail"),
        ({"currency": "MXN"}, "currency"),
        ({"destination": {"pixKey": "no key", "pixKeyType": "CPF"}}, "destination.pixKey"),
        ({"destination": {"pixKeyType": "CPF"}}, "destination.pixKey"),
        ({"destination": "maria@example.com"}, "destination"),
    ],
)
def test_what_is_wrong_is_named(out: Api, acme: Shop, members: dict[str, Any], field: str) -> None:
    with nothing_moves(acme):
        answer = add(out, acme, **members)

    assert (answer.status_code, answer.json()["error"]["field"]) == (400, field)
    assert out.get("/beneficiaries").json()["data"] == []


def test_one_that_is_removed_is_gone_and_can_be_added_anew(out: Api, acme: Shop, globex_api: Api) -> None:
    made = add(out, acme).json()["data"]

    assert out.request("DELETE", f"/beneficiaries/{made['id']}").status_code == 200
    assert refusal(out.request("DELETE", f"/beneficiaries/{made['id']}")) == (404, "ONP404_BENEFICIARY")
    assert refusal(out.get(f"/beneficiaries/{made['id']}")) == (404, "ONP404_BENEFICIARY")
    assert add(out, acme).status_code == 201


def test_only_the_book_and_only_after_cooling_off(out: Api, acme: Shop) -> None:
    set_rules(acme.sandbox, the_owner(acme), outside_book="REFUSED", cooling_off_h=24)
    with nothing_moves(acme):
        assert refusal(ask(out, acme)) == (403, "ONP403_BENEFICIARY_UNKNOWN")
    made = add(out, acme).json()["data"]
    assert made["status"] == "COOLING_OFF"
    with nothing_moves(acme):
        assert refusal(ask(out, acme)) == (403, "ONP403_BENEFICIARY_COOLING_OFF")
        gates = {gate["gate"]: gate["code"] for gate in rehearsed(out, acme)["gates"]}
        assert gates["BENEFICIARY"] == "ONP403_BENEFICIARY_COOLING_OFF"

    wait(out, DAY)

    assert withdrawn(out, acme)["approval"] is None
    assert out.request("DELETE", f"/beneficiaries/{made['id']}").status_code == 200
    with nothing_moves(acme):
        assert refusal(ask(out, acme)) == (403, "ONP403_BENEFICIARY_UNKNOWN")


def test_what_is_outside_the_book_can_need_approval(out: Api, acme: Shop) -> None:
    rules = {"people": 1, "above": {"BRL": 10_000_00}, "outside_book": "APPROVED"}
    set_rules(acme.sandbox, the_owner(acme), **rules)

    assert withdrawn(out, acme, amount=1)["approval"]["state"] == "PENDING"
    add(out, acme)
    assert withdrawn(out, acme, amount=1)["approval"] is None


def test_an_account_is_known_by_its_number_not_by_what_is_said_about_it(out: Api, acme: Shop) -> None:
    fund(out, "MXN")
    add(out, acme, SPEI)
    set_rules(acme.sandbox, the_owner(acme), outside_book="REFUSED")

    withdrawn(out, acme, SPEI, concept="Something else", numericReference="7", beneficiaryName="Juana Perez")
    with nothing_moves(acme):
        assert refusal(ask(out, acme, SPEI, clabe="002010077777777771")) == (403, "ONP403_BENEFICIARY_UNKNOWN")
        assert refusal(ask(out, acme, BTC)) == (403, "ONP403_BENEFICIARY_UNKNOWN")
        assert refusal(ask(out, acme, ARS)) == (403, "ONP403_BENEFICIARY_UNKNOWN")


def test_a_secret_key_that_was_replaced_keeps_the_book(out: Api, acme: Shop, settings: Any) -> None:
    add(out, acme)
    set_rules(acme.sandbox, the_owner(acme), outside_book="REFUSED")

    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "another-" + "1" * 50

    assert withdrawn(out, acme)["status"] == "PROCESSING"
    assert Withdrawal.objects.count() == 1
