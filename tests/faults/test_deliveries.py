"""Events, a receiver that fails at random, and a dispatcher that dies or was never there: every event arrives."""

import json
import random
import threading
import time
from collections import Counter

import psycopg

from tests.support.service import KILLS, Service, subscribed
from webhooks.dispatch import IN_FLIGHT

EVENTS = 100 * KILLS
FAILS = 0.3
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

    They are due at once, and what a dead one had in hand is free after five seconds: the schedule and the lease are the
    business of other tests.
    """
    with psycopg.connect(service.database_url) as connection:
        connection.execute("UPDATE webhooks_endpoint SET open_until = NULL WHERE id = %s", [endpoint])
        connection.execute(
            "UPDATE webhooks_delivery SET next_attempt_at = now()"
            " WHERE endpoint_id = %s AND status = 'PENDING' AND leased_until IS NULL AND next_attempt_at > now()",
            [endpoint],
        )
        connection.execute(
            "UPDATE webhooks_delivery SET leased_until = now() + interval '5 seconds'"
            " WHERE endpoint_id = %s AND status = 'PENDING' AND leased_until > now() + interval '5 seconds'",
            [endpoint],
        )
        row = connection.execute(
            "SELECT count(*) FROM webhooks_delivery WHERE endpoint_id = %s AND status <> 'DELIVERED'", [endpoint]
        ).fetchone()
    assert row is not None
    time.sleep(0.5)
    return int(row[0])


def storm(service: Service, part: str) -> None:
    """Every event arrives though the receiver fails at random, and who delivers is killed again and again."""
    mark = f"storm-{random.getrandbits(64):x}"
    with subscribed(service, "payment.paid") as (receiver, endpoint):
        receiver.answers += [(500 if random.random() < FAILS else 200, {}) for _ in range(EVENTS * 3)]
        refusals = receiver.answers.count((500, {}))
        service.manage("shell", "-c", _EMIT.format(company=service.demo["companyId"], events=EVENTS, mark=mark))

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
