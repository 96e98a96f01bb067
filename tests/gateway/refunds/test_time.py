"""The clock of the sandbox with refunds in every state: one jump of thirty days is thirty of one day."""

from typing import Any

import pytest

from tests.support.api import Api
from tests.support.cards import events
from tests.support.companies import Shop
from tests.support.refunds import answered, decided, disputed, moment, now, paid, refunded, wallet

pytestmark = pytest.mark.django_db

DAY_S = 86_400
Made = dict[str, dict[str, Any]]


def in_every_state(api: Api) -> Made:
    """Refunds of all states, by what becomes of them in thirty days."""
    paid(api, amount=5000)
    card = paid(api, "CREDIT_CARD", amount=2000)
    made = {
        "silent": disputed(api, paid(api), amount=10),
        "silent card": disputed(api, paid(api, "DEBIT_CARD"), amount=20),
        "contested": disputed(api, paid(api), amount=30),
        "accepted": disputed(api, paid(api), amount=40),
        "on its way": refunded(api, paid(api), amount=50),
        "on its way to fail": refunded(api, card, amount=1921),
        "stuck": refunded(api, paid(api, amount=1000), amount=922),
        "done": refunded(api, paid(api), amount=60),
        "failed": refunded(api, paid(api), amount=70),
        "rejected": disputed(api, paid(api), amount=80),
        "canceled": disputed(api, paid(api), amount=90),
    }
    for name in ("contested", "rejected"):
        answered(api, made[name], "CONTEST")
    answered(api, made["accepted"], "ACCEPT")
    for name, status in (
        ("done", "COMPLETED"),
        ("failed", "FAILED"),
        ("rejected", "REJECTED"),
        ("canceled", "CANCELED"),
    ):
        assert decided(api, made[name], status).status_code == 200
    return made


def shape(api: Api, made: Made) -> dict[str, tuple[str, str | None, float, int | None]]:
    """What became of each: status, failure, blocked, and after how many minutes it was completed."""
    found = {}
    for name, refund in made.items():
        seen = now(api, refund)
        took = seen["completedAt"] and moment(seen["completedAt"]) - moment(seen["createdAt"])
        done = took and round(took.total_seconds() / 60)
        found[name] = (seen["status"], seen.get("failure", {}).get("code"), seen["blockedAmount"], done)
    return found


def told(shop: Shop) -> list[tuple[str, int]]:
    """What was announced, and how many minutes after the first; within a millisecond two objects have no order."""
    found = events(shop)
    began = moment(found[0]["timestamp"])
    said = [(one["type"], round((moment(one["timestamp"]) - began).total_seconds() / 60)) for one in found]
    return sorted(said, key=lambda one: (one[1], one[0]))


def test_one_jump_of_thirty_days_is_thirty_of_one_day(api: Api, acme: Shop, globex_api: Api, globex: Shop) -> None:
    mine, theirs = in_every_state(api), in_every_state(globex_api)

    fired = api.post("/simulations/clock", {"advanceBy": "P30DT1H"}).json()["data"]["fired"]
    for _ in range(30):
        globex_api.post("/simulations/clock", {"advanceBy": "P1D"})
    globex_api.post("/simulations/clock", {"advanceBy": "PT1H"})

    became = shape(api, mine)
    assert became == shape(globex_api, theirs)
    assert {name: status for name, (status, *_) in became.items()} == {
        "silent": "COMPLETED", "silent card": "COMPLETED", "contested": "UNDER_REVIEW", "accepted": "COMPLETED",
        "on its way": "COMPLETED", "on its way to fail": "FAILED", "stuck": "PROCESSING", "done": "COMPLETED",
        "failed": "FAILED", "rejected": "REJECTED", "canceled": "CANCELED",
    }  # fmt: skip
    assert became["silent"][3] == 3 * DAY_S / 60
    assert became["silent card"][3] == 7 * DAY_S / 60
    assert wallet(acme) == wallet(globex)
    assert wallet(acme)[1:] == (0, 3000 + 92_200)
    assert told(acme) == told(globex)
    assert [one["at"] for one in fired] == sorted(one["at"] for one in fired)
    assert {one["id"] for one in fired if one["type"] == "refund.lapsed"} == {
        mine[name]["id"] for name in ("silent", "silent card")
    }


def test_a_refund_that_waits_for_money_does_not_hold_the_clock_up(api: Api) -> None:
    refund = disputed(api, paid(api))
    answered(api, refund, "ACCEPT")

    for _ in range(3):
        api.post("/simulations/clock", {"advanceBy": "P30D"})
    assert api.get("/simulations/clock").json()["data"]["offsetSeconds"] == 90 * DAY_S
    api.post("/simulations/clock", {"advanceBy": "P1D"})

    failed = now(api, refund)
    assert (failed["status"], failed["failure"]["code"]) == ("FAILED", "INSUFFICIENT_BALANCE")


def test_money_that_is_released_on_the_way_fills_what_was_missing(api: Api, acme: Shop) -> None:
    refund = disputed(api, paid(api))
    answered(api, refund, "ACCEPT")
    paid(api, "DEBIT_CARD")

    api.post("/simulations/clock", {"advanceBy": "P3D"})

    assert now(api, refund)["status"] == "COMPLETED"
    assert wallet(acme) == (14_850 + 19_602 - 15_000, 0, 0)
