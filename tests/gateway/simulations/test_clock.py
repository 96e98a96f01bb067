"""The sandbox clock: a month is lived through in one call, and nobody else notices."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import pix
from webhooks.models import Event

DAY_S = 86_400


def moment(text: str) -> datetime:
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)


def orders(api: Api) -> dict[str, tuple[str, int]]:
    """Payments with different times to live: id → (reference, seconds)."""
    lives = {"a": 60, "b": 3 * DAY_S, "c": 3 * DAY_S + 1, "d": 20 * DAY_S, "e": 30 * DAY_S}
    made = {}
    for reference, seconds in lives.items():
        payment = api.post("/payments", pix(reference=reference, expiresIn=seconds)).json()["data"]
        made[payment["id"]] = (reference, seconds)
    return made


def told(shop: Shop) -> list[tuple[str, str, str]]:
    events = [
        json.loads(bytes(e.body)) for e in Event.objects.filter(merchant=shop.sandbox).order_by("created_at", "id")
    ]
    return [(e["type"], e["data"]["reference"], e["timestamp"]) for e in events]


def test_the_clock_starts_at_the_real_time(api: Api) -> None:
    clock = api.get("/simulations/clock").json()["data"]

    assert clock["offsetSeconds"] == 0
    assert abs(moment(clock["now"]) - datetime.now(UTC)) < timedelta(seconds=5)


def test_what_falls_due_on_the_way_happens_in_order_each_at_its_own_time(api: Api, acme: Shop) -> None:
    made = orders(api)

    advanced = api.post("/simulations/clock", {"advanceBy": "P21D"}).json()["data"]

    assert advanced["offsetSeconds"] == 21 * DAY_S
    assert [made[one["id"]][0] for one in advanced["fired"]] == ["a", "b", "c", "d"]
    for one in advanced["fired"]:
        payment = api.get(f"/payments/{one['id']}").json()["data"]
        assert payment["status"] == "EXPIRED"
        assert one["at"] == payment["expiresAt"] == payment["updatedAt"]
    assert [reference for _, reference, _ in told(acme)] == ["a", "b", "c", "d"]


def test_one_jump_of_thirty_days_is_thirty_of_one_day(api: Api, acme: Shop, globex_api: Api, globex: Shop) -> None:
    orders(api)
    orders(globex_api)

    api.post("/simulations/clock", {"advanceBy": "P30DT1M"})
    for _ in range(30):
        globex_api.post("/simulations/clock", {"advanceBy": "P1D"})
    globex_api.post("/simulations/clock", {"advanceBy": "PT1M"})

    def since_the_first(events: list[tuple[str, str, str]]) -> list[tuple[str, str, int]]:
        began = moment(events[0][2])
        return [(kind, ref, round((moment(at) - began).total_seconds())) for kind, ref, at in events]

    assert since_the_first(told(acme)) == since_the_first(told(globex))
    assert len(told(acme)) == 5


def test_nobody_elses_time_moves(api: Api, globex_api: Api) -> None:
    orders(globex_api)

    api.post("/simulations/clock", {"advanceBy": "P30D"})

    assert globex_api.get("/simulations/clock").json()["data"]["offsetSeconds"] == 0
    assert {p["status"] for p in globex_api.get("/payments").json()["data"]} == {"PENDING"}


def test_the_clock_goes_to_a_moment_and_new_payments_live_there(api: Api) -> None:
    api.post("/simulations/clock", {"advanceTo": "2027-06-01T00:00:00-03:00"})

    created = api.post("/payments", pix()).json()["data"]["createdAt"]

    assert created.startswith("2027-06-01T03:00:0")


@pytest.mark.parametrize("body", [{"advanceTo": "2020-01-01"}, {"advanceTo": "2999-01-01"}])
def test_the_clock_never_goes_back_nor_beyond_ten_years(api: Api, body: dict[str, str]) -> None:
    made = orders(api)

    refused = api.post("/simulations/clock", body)

    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "ONP409_CLOCK")
    assert api.get("/simulations/clock").json()["data"]["offsetSeconds"] == 0
    assert {api.get(f"/payments/{id_}").json()["data"]["status"] for id_ in made} == {"PENDING"}


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"advanceBy": "P1D", "advanceTo": "2030-01-01"},
        {"advanceBy": "-P1D"},
        {"advanceBy": "30 days"},
        {"advanceBy": "P1M"},
        {"advanceBy": 86400},
        {"advanceBy": "P36500D"},
        {"advanceBy": "P99999999999D"},
        {"advanceTo": "tomorrow"},
    ],
)
def test_what_is_no_duration_and_no_moment_is_refused(api: Api, body: dict[str, object]) -> None:
    refused = api.post("/simulations/clock", body)

    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "ONP400_CLOCK")


def test_the_clock_stands_at_a_whole_millisecond(api: Api, acme: Shop) -> None:
    """Else the first moment of a day would lie between two that a timestamp can tell."""
    for body in ({"advanceBy": "PT0.0015S"}, {"advanceTo": "2030-01-01T00:00:00.123456Z"}):
        assert api.post("/simulations/clock", body).status_code == 200
        acme.sandbox.refresh_from_db()
        assert acme.sandbox.clock_offset % timedelta(milliseconds=1) == timedelta(0)


def test_production_has_no_clock_to_move(acme: Shop, address: str) -> None:
    production = Api(acme.production_key, address)

    for refused in (production.get("/simulations/clock"), production.post("/simulations/clock", {"advanceBy": "P1D"})):
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "ONP403_SANDBOX_ONLY")


def test_a_repeated_advance_moves_once(api: Api) -> None:
    key = "6f1c2c4e-0000-4000-8000-0000000c10c5"
    first = api.post("/simulations/clock", {"advanceBy": "P1D"}, key=key)

    assert api.post("/simulations/clock", {"advanceBy": "P1D"}, key=key).content == first.content
    assert api.get("/simulations/clock").json()["data"]["offsetSeconds"] == DAY_S
