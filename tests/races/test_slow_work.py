"""A row that uses up the time of its task is put off, as one that raises is: the next sweep begins with others."""

import signal
from collections.abc import Iterator
from types import FrameType

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.db import connection

from accounts.models import StuckWork
from gateway.payments.due import EXPIRY
from gateway.payments.models import Payment
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.refunds import later

pytestmark = pytest.mark.django_db(transaction=True)
ENDS_AFTER_S = 1.5


@pytest.fixture
def slow(acme: Shop) -> Iterator[str]:
    """A payment whose every change takes longer than its task may."""
    payment = a_payment(acme.sandbox).pk
    with connection.cursor() as cursor:
        cursor.execute(f"""
            CREATE FUNCTION takes_long() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN PERFORM pg_sleep(5); RETURN NEW; END $$;
            CREATE TRIGGER takes_long BEFORE UPDATE ON gateway_payment FOR EACH ROW
                WHEN (OLD.id = '{payment}') EXECUTE FUNCTION takes_long();
        """)
    yield payment
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'")
        cursor.execute("DROP TRIGGER takes_long ON gateway_payment; DROP FUNCTION takes_long()")


@pytest.fixture
def the_time_ends() -> Iterator[None]:
    """As the worker does it: by a signal, wherever the task is."""

    def end(_number: int, _frame: FrameType | None) -> None:
        raise SoftTimeLimitExceeded

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, ENDS_AFTER_S)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def test_a_row_that_uses_up_the_time_of_its_task_holds_up_no_other(
    acme: Shop, slow: str, request: pytest.FixtureRequest
) -> None:
    well = a_payment(acme.sandbox).pk
    later(acme, days=2)
    request.getfixturevalue("the_time_ends")

    with pytest.raises(SoftTimeLimitExceeded):
        EXPIRY.sweep()

    stuck = StuckWork.objects.get()
    assert (stuck.object_id, stuck.error) == (slow, "SoftTimeLimitExceeded")
    assert Payment.objects.get(pk=slow).status == "PENDING"
    assert EXPIRY.sweep() == 1
    assert Payment.objects.get(pk=well).status == "EXPIRED"
