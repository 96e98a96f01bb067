"""Whatever is killed, nothing that was answered is lost, and nothing happens twice."""

import time
import uuid
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from tests.support.receiver import Receiver
from tests.support.service import FEWER_KILLS, KILLS, Service, are_charged_once, order, pay, subscribed
from tests.support.tally import survived


@contextmanager
def killing(service: Service, part: str, times: int) -> Iterator[Future[None]]:
    """It is done when the part was killed so often; afterwards all of it has happened."""
    with ThreadPoolExecutor(1) as killer:
        yield (kills := killer.submit(service.kill_again_and_again, part, times))
        kills.result()


@pytest.mark.parametrize(("part", "times"), [("web", KILLS), ("database", FEWER_KILLS)])
def test_orders_survive_kills_and_are_charged_once(service: Service, part: str, times: int) -> None:
    prefix = f"{part}-{uuid.uuid4().hex[:8]}-"
    made: list[str] = []
    number = 0
    with ThreadPoolExecutor(4) as backends, killing(service, part, times) as kills:
        while not kills.done():
            references = [f"{prefix}{number + n}" for n in range(8)]
            made += backends.map(lambda reference: pay(service, reference), references)
            number += 8

    service.until(service.is_well, 60)
    are_charged_once(service, f"paid orders, {part} killed", prefix, made, faults=times)


def test_one_key_gives_one_answer_however_often_the_web_dies(service: Service) -> None:
    keys = {str(uuid.uuid4()): f"storm-{uuid.uuid4().hex}" for _ in range(5 * FEWER_KILLS)}
    calls = [(key, reference) for key, reference in keys.items() for _ in range(10)]
    with ThreadPoolExecutor(8) as backends, killing(service, "web", FEWER_KILLS):
        answers = list(backends.map(lambda call: service.insist("/api/v2/payments", order(call[1]), call[0]), calls))

    bodies: dict[str, set[str]] = {}
    for (key, _), (status, answer) in zip(calls, answers, strict=True):
        assert status == 201
        bodies.setdefault(key, set()).add(str(answer))
    different = [key for key, found in bodies.items() if len(found) > 1]
    survived("calls with one key each ten, web killed", len(calls), faults=FEWER_KILLS, doubled=different)


def test_every_event_arrives_however_often_the_dispatcher_dies(service: Service) -> None:
    with subscribed(service, "payment.paid") as (receiver, _):
        for n in range(40):
            if n % 5 == 0:
                receiver.will_answer(500)
        paid: list[str] = []
        with killing(service, "dispatcher", FEWER_KILLS) as kills:
            while not kills.done():
                paid.append(pay(service, f"hooks-{uuid.uuid4().hex}"))

        service.until(lambda: {*paid} <= {*told(receiver)}, 60)

    again = sum(count - 1 for count in Counter(told(receiver)).values())
    refused = 8
    assert again <= refused + FEWER_KILLS * 8  # at most what was in the hands of a killed dispatcher
    survived("events of paid orders, dispatcher killed", len(paid), faults=FEWER_KILLS, note=f"{again} sent again")


def told(receiver: Receiver) -> list[str]:
    import json

    return [json.loads(one.body)["data"]["id"] for one in list(receiver.received)]


def test_without_a_broker_payments_go_on_and_events_arrive_within_seven_seconds(service: Service) -> None:
    with subscribed(service, "payment.paid") as (receiver, _):
        for _ in range(FEWER_KILLS):
            service.kill("broker")
            began = time.monotonic()
            payment = pay(service, f"broker-{uuid.uuid4().hex}")
            service.until(lambda wanted=payment: wanted in told(receiver), 7)
            assert time.monotonic() - began < 7
            service.until(service.is_well, 60)
    survived("paid orders and their events, broker killed", FEWER_KILLS, faults=FEWER_KILLS)


def test_a_first_attempt_is_made_within_a_second(service: Service) -> None:
    with subscribed(service, "payment.paid") as (receiver, _):
        waits = []
        for _ in range(30):
            payment = pay(service, f"fast-{uuid.uuid4().hex}")
            began = time.monotonic()
            service.until(lambda wanted=payment: wanted in told(receiver), 5)
            waits.append(time.monotonic() - began)
    assert max(waits) < 1.5, sorted(waits)[-5:]


def an_overdue_payment_expires(service: Service, within_s: int) -> None:
    status, created = service.insist(
        "/api/v2/payments", order(f"late-{uuid.uuid4().hex}") | {"expiresIn": 60}, str(uuid.uuid4())
    )
    assert status == 201
    service.manage(
        "shell",
        "-c",
        "from accounts.models import Merchant; from datetime import timedelta; from django.db.models import F;"
        f"Merchant.objects.filter(company_id='{service.demo['companyId']}', environment='SANDBOX')"
        ".update(clock_offset=F('clock_offset') + timedelta(seconds=120))",
    )
    path = f"/api/v2/payments/{created['data']['id']}"
    service.until(lambda: service.call("GET", path)[1].get("data", {}).get("status") == "EXPIRED", within_s)


@pytest.mark.parametrize("part", ["worker", "beat"])
def test_the_timetable_comes_back_after_a_kill(service: Service, part: str) -> None:
    service.kill(part)
    an_overdue_payment_expires(service, 60)


def test_work_that_takes_long_elsewhere_delays_no_money(service: Service) -> None:
    with service.frozen("background"):
        an_overdue_payment_expires(service, 20)
