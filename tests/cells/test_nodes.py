"""Merchants live on two nodes of Citus. They notice neither that nor a move of their cell, nor losses of others."""

import json
import time
import uuid
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest

from tests.cells.nodes import ACMES, Nodes, taken_on
from tests.support.backends import Backends
from tests.support.receiver import Receiver
from tests.support.service import Service, are_charged_once, order, pay, subscribed
from tests.support.tally import survived

AWAY_S = 5
"""For how long a node is lost."""


def test_the_story_of_the_readme(service: Service, acmes: Service, nodes: Nodes) -> None:
    company, before = available(acmes)
    with subscribed(acmes, "*") as (receiver, _):
        payment = pay(acmes, f"story-{uuid.uuid4().hex}")
        assert round(available(acmes)[1] - before, 2) == 9.89

        wanted = {
            "companyId": company,
            "amount": 5.00,
            "currency": "BRL",
            "reference": f"wd-{uuid.uuid4().hex}",
            "pixKey": "52998224725",
            "pixKeyType": "CPF",
        }
        status, withdrawal = acmes.insist("/api/v2/withdrawals/pix", wanted)
        assert status == 201, withdrawal
        status, answer = acmes.insist(f"/api/v2/payments/{payment}/refunds", {"amount": 1.00})
        assert status == 201, answer

        acmes.until(lambda: {"payment.paid", "withdrawal.completed"} <= {one["type"] for one in told(receiver)}, 60)

    at_home = "SELECT count(*) FROM cell_01.gateway_payment WHERE id = %s"
    assert nodes.first.run(at_home, payment) == [(1,)]
    assert nodes.coordinator.run("SELECT count(*) FROM public.gateway_payment WHERE id = %s", payment) == [(0,)]
    assert nodes.home_of(ACMES) == nodes.first.port
    assert service.call("GET", f"/api/v2/payments/{payment}")[0] == 404
    service.manage("verify_ledger")


def test_one_key_makes_one_payment(acmes: Service) -> None:
    key, reference = str(uuid.uuid4()), f"storm-{uuid.uuid4().hex}"
    with ThreadPoolExecutor(8) as backends:
        answers = list(backends.map(lambda _: acmes.insist("/api/v2/payments", order(reference), key), range(40)))

    assert {status for status, _ in answers} == {201}
    made = {answer["data"]["id"] for _, answer in answers}
    survived("calls with one key", len(answers), doubled=sorted(made)[1:])


def test_money_is_withdrawn_once(acmes: Service) -> None:
    """Ten want all of it at the same time."""
    pay(acmes, f"funds-{uuid.uuid4().hex}")
    company, all_of_it = available(acmes)

    def withdraw(number: int) -> int:
        wanted = {"amount": all_of_it, "currency": "BRL", "pixKey": "52998224725", "pixKeyType": "CPF"}
        named = {"companyId": company, "reference": f"race-{uuid.uuid4().hex}"}
        return acmes.insist("/api/v2/withdrawals/pix", wanted | named)[0]

    with ThreadPoolExecutor(10) as backends:
        answers = sorted(backends.map(withdraw, range(10)))
    assert answers == [201] + [422] * 9


def test_a_node_is_lost(service: Service, acmes: Service, globexes: Service, nodes: Nodes) -> None:
    """Merchants on it are answered 503 until it is back, all others go on."""
    there = Backends(acmes, "there", undecided=True)
    neighbours, elsewhere = Backends(globexes, "beside"), Backends(service, "elsewhere")
    with there.at_work(2), neighbours.at_work(2), elsewhere.at_work(2):
        time.sleep(2)
        nodes.first.kill()
        lost_at = time.monotonic()
        assert neighbours.back_after(lost_at) < AWAY_S
        assert elsewhere.back_after(lost_at) < AWAY_S
        time.sleep(AWAY_S)
        assert there.last[1] < lost_at + 1
        nodes.first.start()
        back = there.back_after(time.monotonic())
    service.until(service.is_well, 60)

    assert there.answers.keys() <= {200, 201, 409, 503}
    assert there.answers[503] > 0
    note = f"back {back:.1f} s after its node; {there.answers[503]} answered 503, {there.answers[409]} answered 409"
    are_charged_once(acmes, "node killed, its merchants", there.prefix, there.made, faults=1, note=note)
    for one, shop, who in ((neighbours, globexes, "on another node"), (elsewhere, service, "in public")):
        assert one.answers.keys() <= {200, 201}, one.answers
        note = f"at most {one.longest_gap:.1f} s without an answer"
        are_charged_once(shop, f"node killed, merchants {who}", one.prefix, one.made, faults=0, note=note)


def test_a_cell_moves_to_a_node_that_was_added(
    service: Service, acmes: Service, globexes: Service, nodes: Nodes
) -> None:
    """Its merchants sell all the time, and their events come in order."""
    third = nodes.add("third")
    there, neighbours = Backends(acmes, "moves"), Backends(globexes, "stays")
    with subscribed(acmes, "payment.paid") as (receiver, _):
        with there.at_work(2), neighbours.at_work(2):
            time.sleep(2)
            service.manage("place_cell", ACMES, f"127.0.0.1:{third.port}")
            back = there.back_after(time.monotonic())
            time.sleep(2)
        acmes.until(lambda: {*there.made} <= {one["data"]["id"] for one in told(receiver)}, 60)

    assert nodes.home_of(ACMES) == third.port
    assert there.answers.keys() <= {200, 201, 503}
    assert neighbours.answers.keys() <= {200, 201}
    paid = [one["objectId"] for one in events_of(acmes) if one["type"] == "payment.paid"]
    assert {*there.made} <= {*paid}
    assert len(paid) == len({*paid})
    note = f"at most {there.longest_gap:.1f} s without an answer, then {back:.1f}; {there.answers[503]} answered 503"
    are_charged_once(acmes, "cell moved, its merchants", there.prefix, there.made, faults=1, note=note)
    note = f"at most {neighbours.longest_gap:.1f} s without an answer"
    are_charged_once(globexes, "cell moved, others", neighbours.prefix, neighbours.made, faults=0, note=note)


def available(service: Service) -> tuple[str, float]:
    """The company, and what it has in BRL: nothing before its first payment."""
    status, answer = service.insist("/api/v2/companies/me/balance", method="GET")
    assert status == 200, answer
    found = [one["available"] for one in answer["data"]["balances"] if one["currency"] == "BRL"]
    return answer["data"]["companyId"], sum(found)


REFUSING = (
    "SET citus.enable_ddl_propagation = off",
    "CREATE FUNCTION refuse() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no room here'; END $$",
    "CREATE EVENT TRIGGER refuses ON ddl_command_start WHEN TAG IN ('CREATE SEQUENCE') EXECUTE FUNCTION refuse()",
)
NO_LONGER = ("SET citus.enable_ddl_propagation = off", "DROP EVENT TRIGGER refuses", "DROP FUNCTION refuse()")


def do(nodes: Nodes, statements: Iterable[str]) -> None:
    for node in nodes.servers[1:]:
        with psycopg.connect(node.url("postgres"), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement)


def test_a_cell_that_no_node_takes_stays_empty_and_is_made_afterwards(service: Service, nodes: Nodes) -> None:
    """Processes know of it meanwhile: without its schema they would find the tables of `public`."""
    do(nodes, REFUSING)
    try:
        with pytest.raises(AssertionError, match=r"(?s)cell_03 is on no node yet.*no room here"):
            service.manage("add_cell", "cell_03")
    finally:
        do(nodes, NO_LONGER)
    assert nodes.coordinator.run("SELECT is_open FROM accounts_cell WHERE name = 'cell_03'") == [(False,)]
    assert nodes.coordinator.run("SELECT count(*) FROM cell_03.gateway_payment") == [(0,)]

    service.manage("add_cell", "cell_03")

    assert nodes.home_of("cell_03") in {node.port for node in nodes.servers[1:]}
    nodes.coordinator.run("UPDATE accounts_cell SET is_open = name = 'cell_03'")
    newcomer = taken_on(service, "Newcomer", "cell_03")
    nodes.coordinator.run("UPDATE accounts_cell SET is_open = true")
    pay(newcomer, f"after-{uuid.uuid4().hex}")
    assert nodes.coordinator.run("SELECT count(*) FROM cell_03.gateway_payment") == [(1,)]
    paid = [one["objectId"] for one in events_of(newcomer) if one["type"] == "payment.paid"]
    assert len(paid) == 1
    service.manage("verify_ledger")


def told(receiver: Receiver) -> list[dict[str, Any]]:
    return [json.loads(one.body) for one in list(receiver.received)]


def events_of(service: Service) -> list[dict[str, Any]]:
    """All events of a merchant, as one who follows them reads them."""
    found: list[dict[str, Any]] = []
    after = "evt_00000000000000000000000000"
    while True:
        status, answer = service.insist(f"/api/v2/events?limit=100&after={after}", method="GET")
        assert status == 200, answer
        if not answer["data"]:
            return found
        found += answer["data"]
        after = found[-1]["id"]
