"""Events, a receiver that fails at random, and a dispatcher that dies or was never there: every event arrives."""

import json
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg

from tests.support.receiver import Receiver
from tests.support.service import FEWER_KILLS, Service, subscribed
from tests.support.tally import survived
from webhooks.queue import AT_ONCE, IN_HAND

AT_EACH_KILL = 100
EVENTS = AT_EACH_KILL * FEWER_KILLS
FAILS = 0.3
GIVEN_BACK_WITHIN_S = 10
STARTS_WITHIN_S = 5
_EMIT = """
import sys
from django.db import transaction
from accounts.base.clock import utcnow
from accounts.base.ids import new_id
from accounts.models import Merchant
from webhooks.outbox import emit
merchant = Merchant.objects.get(company_id={company!r}, environment="SANDBOX")
for line in sys.stdin:
    with transaction.atomic():
        for n in range(int(line)):
            made = new_id("pay")
            emit(merchant, "payment.paid", made, {{"id": made, "note": {mark!r}}}, utcnow())
    print("emitted", flush=True)
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
    time.sleep(0.1)
    return int(row[0])


@contextmanager
def emitting(service: Service, mark: str) -> Iterator[Callable[[int], None]]:
    """Emits so many events in one transaction, whenever it is called."""
    with service.shell(_EMIT.format(company=service.demo["companyId"], mark=mark)) as ask:
        yield lambda events: ask(str(events))


def emit(service: Service, events: int, mark: str) -> None:
    with emitting(service, mark) as more:
        more(events)


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
    """Every event arrives though the receiver fails at random, and who delivers is killed while it has some in hand."""
    mark = f"storm-{random.getrandbits(64):x}"
    with subscribed(service, "payment.paid") as (receiver, endpoint), emitting(service, mark) as more:
        receiver.answers += [(500 if random.random() < FAILS else 200, {}) for _ in range(EVENTS * 3)]
        refusals = receiver.answers.count((500, {}))
        for _ in range(FEWER_KILLS):
            before = len(receiver.received)
            more(AT_EACH_KILL)
            service.until(lambda before=before: undelivered(service, endpoint) and len(receiver.received) > before, 60)
            time.sleep(random.uniform(0, 0.3))
            service.kill(part)
        service.until(lambda: not undelivered(service, endpoint), 90 + EVENTS / 20)

    ours = [one for one in receiver.received if mark.encode() in one.body]
    ids = Counter(one.headers["webhook-id"] for one in ours)
    assert {json.loads(one.body)["id"] for one in ours} == ids.keys()
    refused = refusals - receiver.answers.count((500, {}))
    again = len(ours) - EVENTS - refused
    survived(
        f"webhooks, {part} killed",
        EVENTS,
        faults=FEWER_KILLS,
        lost=range(EVENTS - len(ids)),
        note=f"{refused} refused by the receiver; {again} sent again, with the same id",
    )
    assert again <= FEWER_KILLS * IN_HAND


def test_every_event_arrives_though_the_dispatcher_dies(service: Service) -> None:
    storm(service, "dispatcher")


def test_every_event_arrives_without_any_dispatcher_though_the_worker_dies(without_a_dispatcher: Service) -> None:
    storm(without_a_dispatcher, "background")


def test_what_a_killed_dispatcher_had_in_hand_is_delivered_within_ten_seconds(service: Service) -> None:
    gives_back(service, "dispatcher", GIVEN_BACK_WITHIN_S)


def test_what_a_killed_stand_in_had_in_hand_is_delivered_ten_seconds_after_its_start_at_most(
    without_a_dispatcher: Service,
) -> None:
    gives_back(without_a_dispatcher, "background", GIVEN_BACK_WITHIN_S + STARTS_WITHIN_S)


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
