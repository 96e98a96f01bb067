"""Whatever is killed, nothing that was answered is lost, and nothing happens twice."""

import threading
import time
import uuid
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.receiver import Receiver
from tests.support.service import KILLS, Service, matching, order, pay, subscribed


def killing(service: Service, part: str, times: int, every_s: float = 1.5) -> threading.Thread:
    def run() -> None:
        for _ in range(times):
            time.sleep(every_s)
            service.kill(part)

    thread = threading.Thread(target=run)
    thread.start()
    return thread


@pytest.mark.parametrize("part", ["web", "database"])
def test_orders_survive_kills_and_are_charged_once(service: Service, part: str) -> None:
    prefix = f"{part}-{uuid.uuid4().hex[:8]}-"
    killer = killing(service, part, KILLS, every_s=1.5 if part == "web" else 4)
    made: list[str] = []
    number = 0
    with ThreadPoolExecutor(4) as backends:
        while killer.is_alive():
            references = [f"{prefix}{number + n}" for n in range(8)]
            made += backends.map(lambda reference: pay(service, reference), references)
            number += 8
    killer.join()

    service.until(service.is_well, 60)
    assert len(set(made)) == number
    assert sorted(matching(service, prefix)) == sorted(made)


def test_one_key_gives_one_answer_however_often_the_web_dies(service: Service) -> None:
    keys = {str(uuid.uuid4()): f"storm-{uuid.uuid4().hex}" for _ in range(5 * KILLS)}
    killer = killing(service, "web", KILLS, every_s=1)
    with ThreadPoolExecutor(8) as backends:
        calls = [(key, reference) for key, reference in keys.items() for _ in range(10)]
        answers = list(backends.map(lambda call: service.insist("/api/v2/payments", order(call[1]), call[0]), calls))
    killer.join()

    bodies: dict[str, set[str]] = {}
    for (key, _), (status, answer) in zip(calls, answers, strict=True):
        assert status == 201
        bodies.setdefault(key, set()).add(str(answer))
    assert [len(different) for different in bodies.values()] == [1] * len(keys)


def test_every_event_arrives_however_often_the_dispatcher_dies(service: Service) -> None:
    with subscribed(service, "payment.paid") as (receiver, _):
        for n in range(40):
            if n % 5 == 0:
                receiver.will_answer(500)
        killer = killing(service, "dispatcher", KILLS)
        paid = [pay(service, f"hooks-{uuid.uuid4().hex}") for _ in range(20 * KILLS)]
        killer.join()

        service.until(lambda: {*paid} <= {*told(receiver)}, 60)

    again = sum(count - 1 for count in Counter(told(receiver)).values())
    refused = 8
    assert again <= refused + KILLS * 8  # at most what was in the hands of a killed dispatcher


def told(receiver: Receiver) -> list[str]:
    import json

    return [json.loads(one.body)["data"]["id"] for one in list(receiver.received)]


def test_without_a_broker_payments_go_on_and_events_arrive_within_seven_seconds(service: Service) -> None:
    with subscribed(service, "payment.paid") as (receiver, _):
        for _ in range(KILLS):
            service.kill("broker")
            began = time.monotonic()
            payment = pay(service, f"broker-{uuid.uuid4().hex}")
            service.until(lambda wanted=payment: wanted in told(receiver), 7)
            assert time.monotonic() - began < 7
            service.until(service.is_well, 60)


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


@pytest.mark.parametrize("part", ["messages", "background"])
def test_work_that_takes_long_elsewhere_delays_no_money(service: Service, part: str) -> None:
    with service.frozen(part):
        an_overdue_payment_expires(service, 20)
