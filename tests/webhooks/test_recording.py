"""A result that cannot be recorded costs no other delivery its own, and is not repeated every forty seconds."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection

from accounts.base.clock import utcnow
from tests.support.companies import Shop
from tests.support.receiver import Receiver
from tests.support.webhooks import Hook, happens
from webhooks.dispatch import deliver_due
from webhooks.models import Attempt, Delivery
from webhooks.queue import LEASE_S

pytestmark = pytest.mark.django_db


@pytest.fixture
def unrecordable(acme: Shop, hook: Hook) -> Delivery:
    """One of three deliveries, whose result raises as it is written."""
    for number in range(3):
        happens(acme.sandbox, object_id=f"pay_{number}")
    poison = Delivery.objects.order_by("pk")[1]
    with connection.cursor() as cursor:
        cursor.execute(f"""
            CREATE FUNCTION pg_temp.breaks() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE EXCEPTION 'this row is broken'; END $$;
            CREATE TRIGGER breaks BEFORE UPDATE ON webhooks_delivery FOR EACH ROW
                WHEN (OLD.id = '{poison.pk}' AND NEW.lease IS NULL) EXECUTE FUNCTION pg_temp.breaks();
        """)
    return poison


def test_the_results_of_the_others_are_recorded(unrecordable: Delivery, receiver: Receiver, capfd: Any) -> None:
    capfd.readouterr()

    deliver_due()

    others = Delivery.objects.exclude(pk=unrecordable.pk)
    assert {(one.status, one.attempts) for one in others} == {("DELIVERED", 1)}
    assert Attempt.objects.count() == 2
    assert Delivery.objects.get(pk=unrecordable.pk).status == "PENDING"
    [line] = [json.loads(one) for one in capfd.readouterr().err.splitlines() if "dispatch.not_recorded" in one]
    assert (line["delivery"], line["level"]) == (unrecordable.pk, "error")


def test_it_is_made_again_ever_later(unrecordable: Delivery, receiver: Receiver) -> None:
    for attempt in range(1, 9):
        deliver_due()
        row = Delivery.objects.get(pk=unrecordable.pk)
        assert row.leased_until is not None
        assert row.attempts == attempt
        left = row.leased_until - utcnow()
        expected = timedelta(seconds=min(3600, LEASE_S * 2**attempt))
        assert expected - timedelta(seconds=5) <= left <= expected
        Delivery.objects.filter(pk=row.pk).update(leased_until=utcnow())
