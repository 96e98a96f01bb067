"""The log of events: everything that was announced, found again, and followed without missing one."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

import pytest
from django.db import connections, transaction

from accounts.base import cells
from accounts.base.clock import utcnow
from accounts.base.ids import earliest, made_at
from accounts.base.rows import execute, first, table
from accounts.base.wire import timestamp
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.receiver import Receiver
from tests.support.webhooks import NO_EVENT, Hook, happens, outcome
from webhooks.dispatch import deliver_due
from webhooks.models import Event
from webhooks.order import write_no_events
from webhooks.restored import renumber
from webhooks.selectors import events_after

T = TypeVar("T")

BEGINNING = "evt_" + "0" * 26
UNKNOWN = "evt_01KAGTW3Q8XJ5V0N2B7R4C9EVT"
really = pytest.mark.django_db(transaction=True)


def an_instant() -> str:
    """A moment strictly between what happened and what will happen."""
    time.sleep(0.004)
    between = timestamp(utcnow())
    time.sleep(0.004)
    return between


def found(api: Api, **query: Any) -> list[str]:
    answer = api.get("/events", **query)
    assert answer.status_code == 200, answer.content
    return [one["id"] for one in answer.json()["data"]]


# The log


def test_what_is_logged_is_what_was_sent(api: Api, acme: Shop, hook: Hook, receiver: Receiver) -> None:
    payment = a_payment(acme.sandbox, "PAID")
    deliver_due()

    [event] = api.get("/events").json()["data"]

    [arrived] = receiver.received
    assert event["body"].encode() == arrived.body
    told = json.loads(arrived.body)
    assert (event["id"], event["type"], event["objectId"]) == (told["id"], "payment.paid", payment.id)
    assert (event["sequence"], event["occurredAt"]) == (told["sequence"], told["timestamp"])
    assert api.get(f"/events/{event['id']}").json()["data"] == event


def test_the_log_needs_nobody_who_listens_and_begins_with_the_newest(api: Api, acme: Shop) -> None:
    ids = [happens(acme.sandbox) for _ in range(5)]

    assert found(api) == ids[::-1]

    page = api.get("/events", pageNumber=2, pageSize=2).json()
    assert [one["id"] for one in page["data"]] == [ids[2], ids[1]]
    assert page["pagination"] == {"pageNumber": 2, "pageSize": 2, "total": 2, "totalAvailable": 5}


def test_each_filter_finds_what_it_says(api: Api, acme: Shop) -> None:
    first = happens(acme.sandbox, "payment.paid", "pay_x")
    start = an_instant()
    second = happens(acme.sandbox, "payment.failed", "pay_y")
    end = an_instant()
    third = happens(acme.sandbox, "payment.updated", "pay_x")

    for query, ids in [
        ({"type": "payment.failed"}, [second]),
        ({"type": "payment.expired"}, []),
        ({"objectId": "pay_x"}, [third, first]),
        ({"createdFrom": start}, [third, second]),
        ({"createdTo": end}, [second, first]),
        ({"createdFrom": start, "createdTo": end}, [second]),
        ({"createdFrom": start, "objectId": "pay_x"}, [third]),
        ({"createdFrom": end, "createdTo": start}, []),
    ]:
        assert (query, found(api, **query)) == (query, ids)


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({"createdFrom": "yesterday"}, "ONP400_FILTER"),
        ({"createdTo": "2026-13-01"}, "ONP400_FILTER"),
        ({"type": "x" * 41}, "ONP400_FILTER"),
        ({"objectId": "x" * 41}, "ONP400_FILTER"),
        ({"after": "yesterday"}, "ONP400_FILTER"),
        ({"after": "pay_01KAGTW3Q8XJ5V0N2B7R4C9DEF"}, "ONP400_FILTER"),
        ({"wait": 26, "after": UNKNOWN}, "ONP400_FILTER"),
        ({"wait": -1, "after": UNKNOWN}, "ONP400_FILTER"),
        ({"wait": "long", "after": UNKNOWN}, "ONP400_FILTER"),
        ({"pageSize": 101}, "ONP400_PAGINATION"),
        ({"pageNumber": 0}, "ONP400_PAGINATION"),
    ],
)
def test_a_wrong_question_is_refused(api: Api, query: dict[str, object], code: str) -> None:
    refused = api.get("/events", **query)

    assert (outcome(refused), refused.json()["error"]["field"]) == ((400, code), next(iter(query)))


@really
def test_others_and_the_other_environment_see_nothing(
    transactional_db: None, api: Api, globex_api: Api, acme: Shop, globex: Shop, address: str
) -> None:
    mine, theirs = happens(acme.sandbox), happens(globex.sandbox)

    for stranger, own in ((globex_api, [theirs]), (Api(acme.production_key, address), [])):
        assert outcome(stranger.get(f"/events/{mine}")) == NO_EVENT
        assert found(stranger) == own
        assert set(found(stranger, after=BEGINNING)) <= set(own)
    assert [outcome(api.get(f"/events/{one}")) for one in (theirs, UNKNOWN, "x")] == [NO_EVENT] * 3


# Following it


@pytest.fixture
def caller(transactional_db: None, acme: Shop, address: str) -> Callable[[], Api]:
    """Another process of acme's backend at each call."""
    return lambda: Api(acme.sandbox_key, address)


@contextmanager
def meanwhile(act: Callable[[], Any]) -> Iterator["Future[Any]"]:
    """Does it in a thread with a connection of its own."""

    def on_its_own() -> Any:
        try:
            return act()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as thread:
        yield thread.submit(on_its_own)


def followed(api: Api, after: str, until: str = "") -> list[str]:
    """What a follower is told, up to an event that is written now: no sooner than that is told is all told."""
    told: list[str] = []
    while until not in told and (more := found(api, after=told[-1] if told else after, wait=20)):
        told += more
    return told[: told.index(until) + 1]


@really
def test_who_follows_is_told_what_follows(caller: Callable[[], Api], acme: Shop) -> None:
    ids = [happens(acme.sandbox, object_id=f"pay_{number}") for number in range(5)]
    api = caller()
    assert followed(api, ids[1], until=ids[4]) == ids[2:]

    assert found(api, after=ids[1], pageSize=2) == ids[2:4]
    assert found(api, after=ids[3], pageSize=2) == ids[4:]
    assert found(api, after=ids[4]) == []
    assert found(api, after=BEGINNING) == ids
    assert found(api, after=earliest("evt", utcnow())) == []


@really
def test_events_of_before_the_migration_are_followed_by_what_came_after_it(
    caller: Callable[[], Api], acme: Shop
) -> None:
    ids = [happens(acme.sandbox, object_id=f"pay_{number}") for number in range(4)]
    for event in ids[:3]:
        execute(f"UPDATE {table(Event)} SET xid = '0' WHERE id = %s", [event])
    api = caller()

    assert followed(api, BEGINNING, until=ids[3]) == ids
    assert found(api, after=ids[1]) == ids[2:]
    assert found(api, after=earliest("evt", made_at(ids[0]))) == ids


@really
def test_who_waits_is_told_as_soon_as_it_happens(caller: Callable[[], Api], acme: Shop) -> None:
    last = happens(acme.sandbox)
    began = time.monotonic()

    with meanwhile(lambda: found(caller(), after=last, wait=20)) as answer:
        time.sleep(1)
        assert not answer.done()
        event = happens(acme.sandbox)
        assert answer.result(20) == [event]

    assert time.monotonic() - began < 15


@really
def test_who_waits_in_vain_is_answered_when_the_time_is_over(caller: Callable[[], Api], acme: Shop) -> None:
    last = happens(acme.sandbox)
    began = time.monotonic()

    answer = caller().get("/events", after=last, wait=1)

    assert (answer.status_code, answer.json()["data"]) == (200, [])
    assert 0.9 <= time.monotonic() - began < 10


@really
def test_who_waits_for_what_is_there_is_answered_at_once(caller: Callable[[], Api], acme: Shop) -> None:
    last, event = happens(acme.sandbox), happens(acme.sandbox)
    followed(caller(), BEGINNING, until=event)
    began = time.monotonic()

    assert found(caller(), after=last, wait=20) == [event]

    assert time.monotonic() - began < 5


@really
def test_nobody_elses_events_end_the_wait(caller: Callable[[], Api], acme: Shop, globex: Shop) -> None:
    last = happens(acme.sandbox)

    with meanwhile(lambda: found(caller(), after=last, wait=2)) as answer:
        for merchant in (globex.sandbox, acme.production):
            happens(merchant)
        assert answer.result(10) == []


@contextmanager
def writing(act: Callable[[], Any], at_last: Callable[[], T]) -> Iterator[Callable[[], T]]:
    """A transaction that has done one thing. Once told to end it does the other, and commits."""
    begun, told = threading.Event(), threading.Event()

    def slow() -> T:
        with transaction.atomic():
            act()
            begun.set()
            assert told.wait(30)
            return at_last()

    def end() -> T:
        told.set()
        done: T = answer.result(30)
        return done

    with meanwhile(slow) as answer:
        try:
            assert begun.wait(30)
            yield end
        finally:
            told.set()


def numbered() -> None:
    """The transaction is older than those that follow."""
    first("SELECT pg_current_xact_id()")


@really
def test_an_event_of_a_transaction_that_commits_late_is_never_skipped(caller: Callable[[], Api], acme: Shop) -> None:
    last = happens(acme.sandbox)
    slow: list[str] = []

    with writing(lambda: slow.append(happens(acme.sandbox, object_id="pay_slow")), lambda: slow[0]) as end:
        quick = happens(acme.sandbox, object_id="pay_quick")
        assert found(caller(), after=last) == []
        late = end()

    assert followed(caller(), last, until=quick) == [late, quick]


@really
def test_nobody_waits_for_a_transaction_that_writes_no_events(caller: Callable[[], Api], acme: Shop) -> None:
    last = happens(acme.sandbox)

    with writing(write_no_events, lambda: None) as end:
        quick = happens(acme.sandbox)
        assert followed(caller(), last, until=quick) == [quick]
        end()

    assert found(caller(), after=last) == [quick]


@really
@pytest.mark.parametrize("is_older", [True, False])
def test_beside_one_that_writes_none_the_others_are_waited_for(
    caller: Callable[[], Api], acme: Shop, is_older: bool
) -> None:
    last = happens(acme.sandbox)
    first_act, second_act = (numbered, write_no_events) if is_older else (write_no_events, numbered)

    with writing(first_act, lambda: happens(acme.sandbox, object_id="pay_1") if is_older else "") as end_of_the_older:
        with writing(second_act, lambda: "" if is_older else happens(acme.sandbox, object_id="pay_1")) as end:
            quick = happens(acme.sandbox, object_id="pay_2")
            assert found(caller(), after=last) == []
            late = (end_of_the_older if is_older else end)()
            assert followed(caller(), last, until=late) == [quick, late]
            end()
        end_of_the_older()


@really
def test_nor_for_a_role_that_may_not_see_the_sessions_of_others(caller: Callable[[], Api], acme: Shop) -> None:
    last = happens(acme.sandbox)

    with writing(numbered, lambda: happens(acme.sandbox, object_id="pay_slow")) as end:
        happens(acme.sandbox, object_id="pay_quick")
        with transaction.atomic():
            execute("CREATE ROLE reader")
            execute(f"GRANT USAGE ON SCHEMA {cells.current() or 'public'} TO reader")
            execute(f"GRANT SELECT ON {table(Event)} TO reader")
            execute("SET LOCAL ROLE reader")
            assert events_after(acme.sandbox, last, 100) == []
            transaction.set_rollback(True)
        late = end()

    assert late in followed(caller(), last, until=happens(acme.sandbox))


@really
def test_what_happens_once_an_event_is_seen_comes_after_it(caller: Callable[[], Api], acme: Shop) -> None:
    """Whoever goes on from the newest event misses nothing, though the transaction of the next one is older."""
    with writing(numbered, lambda: happens(acme.sandbox, object_id="pay_slow")) as end:
        newest = happens(acme.sandbox, object_id="pay_quick")
        late = end()

    assert followed(caller(), newest, until=late) == [late]


@really
def test_events_of_one_object_come_in_their_order(caller: Callable[[], Api], acme: Shop) -> None:
    """The older transaction had to wait for the object."""
    with writing(numbered, lambda: happens(acme.sandbox)) as end:
        with writing(numbered, lambda: happens(acme.sandbox)) as end_of_the_younger:
            one = end_of_the_younger()
        two = end()

    assert followed(caller(), BEGINNING, until=two) == [one, two]


@really
def test_what_another_server_counted_comes_before_what_this_one_counts(caller: Callable[[], Api], acme: Shop) -> None:
    """As after a dump was restored."""
    old = [happens(acme.sandbox, object_id=f"pay_{number}") for number in range(2)]
    execute(f"UPDATE {table(Event)} SET xid = '900000000000'")
    renumber()

    new = happens(acme.sandbox, object_id="pay_0")

    assert followed(caller(), BEGINNING, until=new) == [*old, new]
    renumber()
    assert found(caller(), after=old[1]) == [new]


@really
def test_a_follower_misses_nothing_and_is_told_nothing_twice(caller: Callable[[], Api], acme: Shop) -> None:
    start = happens(acme.sandbox)

    def work(worker: int) -> None:
        try:
            for number in range(15):
                with transaction.atomic():
                    happens(acme.sandbox, object_id=f"pay_{worker}_{number}")
                    time.sleep(0.03 * (1 + (worker + number) % 4))
        finally:
            connections.close_all()

    workers = [threading.Thread(target=work, args=[number]) for number in range(3)]
    for worker in workers:
        worker.start()
    told: list[str] = []
    while len(told) < 45 and (more := found(caller(), after=told[-1] if told else start, wait=5, pageSize=7)):
        told += more
    for worker in workers:
        worker.join()

    assert sorted(told) == list(Event.objects.filter(id__gt=start).order_by("id").values_list("id", flat=True))
    assert len(told) == 45
