"""Events, a receiver that fails at random, and a dispatcher that dies again and again: every event arrives."""

import json
import random
import threading
import time
from collections import Counter

import psycopg

from tests.faults.conftest import KILLS, Service
from tests.receiver import listening
from webhooks.dispatch import IN_FLIGHT

EVENTS = 100 * KILLS
FAILS = 0.3
_EMIT = """
from django.db import transaction
from accounts.clock import wall
from accounts.ids import new_id
from accounts.models import Merchant
from webhooks.outbox import emit
merchant = Merchant.objects.get(company_id={company!r}, environment="SANDBOX")
with transaction.atomic():
    for n in range({events}):
        made = new_id("pay")
        emit(merchant, "payment.paid", made, {{"id": made, "note": {mark!r}}}, wall())
"""


def undelivered(service: Service, mark: str) -> int:
    """How many are still on their way. They are due at once: the schedule is the business of other tests."""
    with psycopg.connect(service.database_url) as connection:
        connection.execute("UPDATE webhooks_endpoint SET open_until = NULL WHERE open_until IS NOT NULL")
        connection.execute(
            "UPDATE webhooks_delivery SET next_attempt_at = now()"
            " WHERE status = 'PENDING' AND leased_until IS NULL AND next_attempt_at > now()"
        )
        row = connection.execute(
            "SELECT count(*) FROM webhooks_delivery delivery JOIN webhooks_event event ON event.id = delivery.event_id"
            " WHERE delivery.status <> 'DELIVERED' AND position(%s::bytea IN event.body) > 0",
            [mark.encode()],
        ).fetchone()
    assert row is not None
    time.sleep(0.5)
    return int(row[0])


def test_every_event_arrives_though_the_receiver_fails_and_the_dispatcher_dies(service: Service) -> None:
    mark = f"storm-{random.getrandbits(64):x}"
    with listening() as receiver:
        receiver.answers += [(500 if random.random() < FAILS else 200, {}) for _ in range(EVENTS * 3)]
        refusals = receiver.answers.count((500, {}))
        status, answer = service.call("POST", "/api/v2/webhooks", {"url": receiver.url, "events": ["payment.paid"]})
        assert status == 201, answer
        service.manage("shell", "-c", _EMIT.format(company=service.demo["companyId"], events=EVENTS, mark=mark))

        killer = threading.Thread(target=kill_at_random, args=(service,))
        killer.start()
        killer.join()
        service.until(lambda: not undelivered(service, mark), 60 + EVENTS / 20)

    ours = [one for one in receiver.received if mark.encode() in one.body]
    ids = Counter(one.headers["webhook-id"] for one in ours)
    assert len(ids) == EVENTS
    assert {json.loads(one.body)["id"] for one in ours} == ids.keys()
    refused = refusals - receiver.answers.count((500, {}))
    duplicates = len(ours) - EVENTS - refused
    assert duplicates <= KILLS * IN_FLIGHT


def kill_at_random(service: Service) -> None:
    for _ in range(KILLS):
        time.sleep(random.uniform(0.2, 1.5))
        service.kill("dispatcher")
