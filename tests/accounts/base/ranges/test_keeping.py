"""Tables in ranges: no row is refused for its id, what is old goes whole, and writers wait for nobody."""

from contextlib import closing
from datetime import datetime, timedelta
from threading import Event as Flag
from threading import Thread

import psycopg
import pytest
from django.apps import apps
from django.db import connection
from django.db.migrations.state import ProjectState
from django.db.models import Index

from accounts.base import cells
from accounts.base.clock import utcnow
from accounts.base.ids import earliest, made_at
from accounts.base.ranges.briefly import Busy, briefly
from accounts.base.ranges.chain import AHEAD, LENGTH, Range, chain
from accounts.base.ranges.keeping import ahead, keep, overdue
from accounts.base.ranges.migrating import AddIndexToRanges
from tests.support.companies import Shop
from tests.support.ranges import RANGES, has_no_gaps, kept_for_weeks
from webhooks.models import Event
from webhooks.retention import RANGES as OF_WEBHOOKS
from webhooks.retention import forget_old

EVENTS = OF_WEBHOOKS[-1]
DAY = timedelta(days=1)
KEPT = 30 * DAY


def written(shop: Shop, at: datetime) -> str:
    """An event of that time."""
    one = Event(id=earliest("evt", at), merchant=shop.sandbox, type="payment.paid", object_id="pay_x", body=b"{}")
    one.occurred_at = one.created_at = at
    one.save(force_insert=True)
    return one.pk


def found() -> set[str]:
    return set(Event.objects.values_list("pk", flat=True))


def of(public_id: str) -> Range:
    """The range in which it is."""
    at = made_at(public_id)
    [one] = [one for one in chain(EVENTS) if (not one.since or one.since <= at) and (not one.until or at < one.until)]
    return one


@pytest.mark.parametrize("table", RANGES, ids=lambda of: of.table)
def test_ranges_are_made_ahead_without_a_gap_once(db: None, table: object) -> None:
    [ranged] = [one for one in RANGES if one is table]
    now = utcnow()

    for later in (0, 1, 6, 11):
        keep(ranged, now - KEPT, now + later * DAY)
        before = chain(ranged)
        assert keep(ranged, now - KEPT, now + later * DAY) == []
        assert chain(ranged) == before
        assert has_no_gaps(ranged)
        assert ahead(ranged, now + later * DAY) > AHEAD
    to_come = [one for one in chain(ranged) if one.since and one.since > now and one.until]
    assert {one.until - one.since for one in to_come if one.since and one.until} == {LENGTH}


def test_old_ranges_vanish_whole_and_nothing_younger(acme: Shop) -> None:
    kept_for_weeks()
    now = utcnow()
    ids = {days: written(acme, now - days * DAY) for days in (90, 45, 36, 29, 1, 0)}

    dropped = keep(EVENTS, now - KEPT, now)

    assert found() == {ids[29], ids[1], ids[0]}
    assert len(dropped) >= 3
    assert keep(EVENTS, now - KEPT, now) == []
    assert has_no_gaps(EVENTS)


def test_what_is_older_than_every_range_is_kept_until_the_next_time(acme: Shop) -> None:
    kept_for_weeks()
    now = utcnow()
    keep(EVENTS, now - KEPT, now)
    late = written(acme, now - 90 * DAY)
    assert found() == {late}
    assert overdue(EVENTS, now - KEPT) >= timedelta(0)

    assert len(keep(EVENTS, now - KEPT, now)) == 1

    assert found() == set()
    assert overdue(EVENTS, now - KEPT) == timedelta(0)


def test_days_that_nobody_made_ranges_for_are_kept_and_found_and_go(acme: Shop) -> None:
    now = utcnow()
    ids = [written(acme, now + days * DAY) for days in (0, 3, 12, 20)]
    assert ahead(EVENTS, now + 20 * DAY) < timedelta(0)

    keep(EVENTS, now - KEPT, now + 21 * DAY)

    assert found() == {*ids}
    assert has_no_gaps(EVENTS)
    assert of(ids[2]) == of(ids[3])
    keep(EVENTS, now + 50 * DAY, now + 80 * DAY)
    assert found() == set()


def test_a_clock_that_was_years_ahead_makes_no_range_of_years(acme: Shop) -> None:
    now = utcnow()
    stray, usual = written(acme, now + 2000 * DAY), written(acme, now)

    for later in range(0, 60, 4):
        keep(EVENTS, now - KEPT, now + later * DAY)

    assert found() == {stray, usual}
    assert has_no_gaps(EVENTS)
    assert of(stray) == chain(EVENTS)[-1]
    keep(EVENTS, now + 30 * DAY, now + 60 * DAY)
    assert found() == {stray}


@pytest.mark.django_db(transaction=True)
class TestBesideOthers:
    """With connections of their own."""

    @pytest.fixture(autouse=True)
    def weeks(self) -> None:
        kept_for_weeks()

    def test_who_writes_meanwhile_loses_nothing_and_is_not_refused(self) -> None:
        written_by_others: list[str] = []
        refused: list[Exception] = []
        over = Flag()

        def write() -> None:
            with closing(elsewhere()) as other:
                while not over.wait(0.002):
                    one = earliest("evt", utcnow())
                    try:
                        written_by_others.extend([one] * inserted(other, one))
                    except psycopg.Error as error:
                        refused.append(error)

        writers = [Thread(target=write)]
        for writer in writers:
            writer.start()
        try:
            while not written_by_others:
                over.wait(0.01)
            now = utcnow()
            for days in (48, 43, 38, 33):
                keep(EVENTS, now - days * DAY, now)
        finally:
            over.set()
            for writer in writers:
                writer.join()

        assert refused == []
        assert {*written_by_others} == found()
        assert has_no_gaps(EVENTS)

    def test_it_waits_behind_nobody_for_long_so_nobody_waits_behind_it(self) -> None:
        with closing(elsewhere()) as other, closing(elsewhere()) as third:
            other.autocommit = False
            inserted(other, earliest("evt", utcnow()))

            with pytest.raises(Busy):
                briefly(connection, [EVENTS.table], ["SELECT 1"], tries=2, pause=0.01)

            assert inserted(third, earliest("evt", utcnow() - DAY)) == 1
            other.commit()
            inserted(third, earliest("evt", utcnow() - 90 * DAY))
        assert len(found()) == 3
        assert forget_old() != []
        assert len(found()) == 2

    def test_a_later_migration_adds_an_index_range_by_range(self) -> None:
        index = Index(fields=["type"], name="events_by_type")
        state = ProjectState.from_apps(apps)
        operation = AddIndexToRanges("event", index)
        operation.state_forwards("webhooks", state)
        try:
            with connection.schema_editor(atomic=False) as editor:
                operation.database_forwards("webhooks", editor, state, state)

            assert valid("events_by_type") == len(chain(EVENTS)) + 1
        finally:
            with connection.cursor() as cursor:
                cursor.execute("DROP INDEX events_by_type")


def elsewhere() -> psycopg.Connection[tuple[object, ...]]:
    other = psycopg.connect(**connection.get_connection_params() | {"autocommit": True})
    other.execute(cells.sees(cells.current(), kept=True))
    return other


def inserted(on: psycopg.Connection[tuple[object, ...]], event: str) -> int:
    return on.execute(
        "INSERT INTO webhooks_event (id, merchant_id, type, object_id, body, occurred_at, created_at)"
        " VALUES (%s, 0, 'payment.paid', 'pay_x', '', now(), now()) ON CONFLICT (id) DO NOTHING",
        [event],
    ).rowcount


def valid(name: str) -> int:
    """An index and those of the ranges below it."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_partition_tree(%s::regclass) JOIN pg_index ON indexrelid = relid WHERE indisvalid",
            [name],
        )
        (count,) = cursor.fetchone()
        return int(count)
