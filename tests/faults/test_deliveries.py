"""Events, a receiver that fails at random, and a dispatcher that dies or was never there: every event arrives."""

import json
import random
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg

from tests.support.receiver import Receiver
from tests.support.service import KILLS, Service, subscribed
from webhooks.dispatch import IN_FLIGHT
from webhooks.queue import AT_ONCE, IN_HAND

EVENTS = 100 * KILLS
FAILS = 0.3
GIVEN_BACK_WITHIN_S = 10
STARTS_WITHIN_S = 5
_EMIT = """
from django.db import transaction
from accounts.base.clock import utcnow
from accounts.base.ids import new_id
from accounts.models import Merchant
from webhooks.outbox import emit
merchant = Merchant.objects.get(company_id={company!r}, environment="SANDBOX")
with transaction.atomic():
    for n in range({events}):
        made = new_id("pay")
        emit(merchant, "payment.paid", made, {{"id": made, "note": {mark!r}}}, utcnow())
"""


def undelivered(service: Service, endpoint: str) -> int:
    """How many are still on their way.

    They are due at once: the schedule is the business of other tests.
    """
    with psycopg.connect(service.database_url) as connection:
        connection.execute("UPDATE webhooks_endpoint SET open_until = NULL WHERE id = %s", [endpoint])
        connection.execute(
            "UPDATE webhooks_delivery SET next_attempt_at = now()"
            " WHERE endpoint_id = %s AND status = 'PENDING' AND leased_until IS NULL AND next_attempt_at > now()",
            [endpoint],
        )
        row = connection.execute(
            "SELECT count(*) FROM webhooks_delivery WHERE endpoint_id = %s AND status <> 'DELIVERED'", [endpoint]
        ).fetchone()
    assert row is not None
    time.sleep(0.5)
    return int(row[0])


def emit(service: Service, events: int, mark: str) -> None:
    service.manage("shell", "-c", _EMIT.format(company=service.demo["companyId"], events=events, mark=mark))


def rows(service: Service, endpoint: str) -> list[tuple[Any, ...]]:
    """Id of the event, status, attempts, the end of the lease and the time of delivery, of each delivery."""
    with psycopg.connect(service.database_url) as connection:
        return connection.execute(
            "SELECT event_id, status, attempts, leased_until, delivered_at FROM webhooks_delivery"
            " WHERE endpoint_id = %s ORDER BY event_id",
            [endpoint],
        ).fetchall()


@contextmanager
def all_in_hand(service: Service) -> Iterator[tuple[Receiver, str]]:
    """One process has as many deliveries in hand as a healthy endpoint may have, and waits for the first answers."""
    with subscribed(service, "payment.paid") as (receiver, endpoint):
        emit(service, 1, "well")
        service.until(lambda: rows(service, endpoint)[0][1] == "DELIVERED")
        receiver.takes_s = 8
        emit(service, IN_HAND, "held")
        service.until(lambda: sum(1 for row in rows(service, endpoint) if row[3]) == IN_HAND)
        service.until(lambda: len(receiver.received) > AT_ONCE)
        yield receiver, endpoint


def are_delivered(service: Service, endpoint: str) -> bool:
    return all(row[1] == "DELIVERED" for row in rows(service, endpoint))


def gives_back(service: Service, part: str, within_s: float) -> None:
    with all_in_hand(service) as (receiver, endpoint):
        service.kill(part)
        killed_at, receiver.takes_s = time.monotonic(), 0
        service.until(lambda: are_delivered(service, endpoint), 30)
        took_s = time.monotonic() - killed_at
    assert took_s < within_s, f"{took_s:.1f} s"


def storm(service: Service, part: str) -> None:
    """Every event arrives though the receiver fails at random, and who delivers is killed again and again."""
    mark = f"storm-{random.getrandbits(64):x}"
    with subscribed(service, "payment.paid") as (receiver, endpoint):
        receiver.answers += [(500 if random.random() < FAILS else 200, {}) for _ in range(EVENTS * 3)]
        refusals = receiver.answers.count((500, {}))
        emit(service, EVENTS, mark)

        killer = threading.Thread(target=kill_at_random, args=(service, part))
        killer.start()
        killer.join()
        service.until(lambda: not undelivered(service, endpoint), 90 + EVENTS / 20)

    ours = [one for one in receiver.received if mark.encode() in one.body]
    ids = Counter(one.headers["webhook-id"] for one in ours)
    assert len(ids) == EVENTS
    assert {json.loads(one.body)["id"] for one in ours} == ids.keys()
    refused = refusals - receiver.answers.count((500, {}))
    duplicates = len(ours) - EVENTS - refused
    assert duplicates <= KILLS * IN_FLIGHT


def kill_at_random(service: Service, part: str) -> None:
    for _ in range(KILLS):
        time.sleep(random.uniform(0.2, 1.5))
        service.kill(part)


def test_every_event_arrives_though_the_dispatcher_dies(service: Service) -> None:
    storm(service, "dispatcher")


def test_every_event_arrives_without_any_dispatcher_though_the_worker_dies(without_a_dispatcher: Service) -> None:
    storm(without_a_dispatcher, "messages")


def test_what_a_killed_dispatcher_had_in_hand_is_delivered_within_ten_seconds(service: Service) -> None:
    gives_back(service, "dispatcher", GIVEN_BACK_WITHIN_S)


def test_what_a_killed_stand_in_had_in_hand_is_delivered_ten_seconds_after_its_start_at_most(
    without_a_dispatcher: Service,
) -> None:
    gives_back(without_a_dispatcher, "messages", GIVEN_BACK_WITHIN_S + STARTS_WITHIN_S)


def test_a_dispatcher_that_was_frozen_overwrites_nothing_that_was_done_without_it(service: Service) -> None:
    with all_in_hand(service) as (receiver, endpoint):
        with service.frozen("dispatcher"):
            receiver.takes_s = 0
            service.until(lambda: are_delivered(service, endpoint), 30)
            done = rows(service, endpoint)
        emit(service, 1, "again")
        service.until(lambda: len(rows(service, endpoint)) > len(done) and are_delivered(service, endpoint))
        time.sleep(1)

        assert [row for row in rows(service, endpoint) if row in done] == done
        with psycopg.connect(service.database_url) as connection:
            row = connection.execute("SELECT failures FROM webhooks_endpoint WHERE id = %s", [endpoint]).fetchone()
        assert row == (0,)

    times = Counter(one.headers["webhook-id"] for one in receiver.received)
    assert sum(times.values()) - len(times) <= AT_ONCE  # only what was on its way as the time stopped
