"""What time does, where some rows raise each time: nobody else waits for them, and nothing is taken up twice."""

from collections.abc import Iterable
from datetime import timedelta

import pytest
from django.db import connection

from accounts.base.clock import utcnow
from gateway.payments import services as payments
from gateway.payments.models import Payment
from gateway.refunds import services as refunds
from gateway.refunds.models import Refund
from gateway.refunds.tasks import look
from gateway.withdrawals import services as withdrawals
from gateway.withdrawals.models import Withdrawal
from ledger.receivables import services as receivables
from ledger.receivables.models import Receivable
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.refunds import disputed, kinds, later, now, paid, refunded
from tests.support.withdrawals import register, withdrawn
from webhooks.models import Endpoint
from webhooks.notices import look_after_endpoints

pytestmark = pytest.mark.django_db


def broken(table: str, ids: Iterable[str], column: str = "id") -> None:
    """From now on every change of these rows is an error, as after a fault that nobody has foreseen."""
    listed = ", ".join(f"'{one}'" for one in ids)
    with connection.cursor() as cursor:
        cursor.execute(f"""
            CREATE FUNCTION pg_temp.breaks() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE EXCEPTION 'this row is broken'; END $$;
            CREATE TRIGGER breaks BEFORE UPDATE ON {table} FOR EACH ROW
                WHEN (OLD.{column} IN ({listed})) EXECUTE FUNCTION pg_temp.breaks();
        """)


def test_refunds_that_raise_hold_no_other_up(api: Api, acme: Shop) -> None:
    payment = paid(api, amount=1000)
    paid(api)
    stuck = [refunded(api, payment, amount=1)["id"] for _ in range(3)]
    last = refunded(api, payment, amount=2)
    broken("gateway_refund", stuck)
    later(acme, seconds=3)

    assert refunds.happen_due(limit=2) == 1

    assert now(api, last)["status"] == "COMPLETED"
    assert {one.status for one in Refund.objects.filter(pk__in=stuck)} == {"PROCESSING"}
    look()  # ends


def test_disputes_whose_silence_raises_hold_no_other_up(api: Api, acme: Shop) -> None:
    stuck = [disputed(api, paid(api), amount=10)["id"] for _ in range(3)]
    last = disputed(api, paid(api), amount=10)
    broken("gateway_refund", stuck)
    later(acme, hours=73)

    refunds.happen_due(limit=2)
    refunds.happen_due(limit=2)

    assert now(api, last)["status"] in ("PROCESSING", "COMPLETED")


def test_a_refund_that_is_due_by_two_clocks_is_taken_up_once(api: Api, acme: Shop) -> None:
    refund = disputed(api, paid(api), amount=10)
    later(acme, hours=1)
    Refund.objects.filter(pk=refund["id"]).update(remind_at=refund["createdAt"])

    assert refunds.happen_due() == 1

    assert kinds(acme).count("refund.response_required") == 2  # when it was opened, and now


def test_payments_that_raise_hold_no_other_up(acme: Shop) -> None:
    made = [a_payment(acme.sandbox).pk for _ in range(4)]
    broken("gateway_payment", made[:3])
    later(acme, days=2)

    assert payments.expire_due(limit=2) == 1

    assert Payment.objects.get(pk=made[3]).status == "EXPIRED"


def test_withdrawals_that_raise_go_behind_all_others(api: Api, acme: Shop, address: str) -> None:
    register(acme, address)
    a_payment(acme.sandbox, "PAID", "1000.00")
    made = [withdrawn(api, acme, amount=1)["id"] for _ in range(4)]
    with connection.cursor() as cursor:  # they cannot be opened any more: the key was lost
        cursor.execute("UPDATE gateway_withdrawal SET sealed_destination = '\\x00' WHERE id = ANY(%s)", [made[:3]])
    later(acme, days=1)

    withdrawals.happen_due(limit=2)
    withdrawals.happen_due(limit=2)

    assert Withdrawal.objects.get(pk=made[3]).sent_times == 1
    assert set(Withdrawal.objects.filter(pk__in=made[:3]).values_list("sent_times", flat=True)) == {0}


def test_a_receivable_that_raises_holds_no_other_of_its_wallet_up(api: Api, acme: Shop) -> None:
    first, *others = [paid(api, "DEBIT_CARD") for _ in range(3)]
    broken("ledger_receivable", [first], column="payment_id")
    later(acme, days=2)

    assert receivables.release_due() == 2

    assert Receivable.objects.get(payment_id=first).state == "SCHEDULED"
    assert set(Receivable.objects.filter(payment_id__in=others).values_list("state", flat=True)) == {"RELEASED"}
    assert receivables.release_due() == 0


def test_an_endpoint_that_raises_holds_no_other_up(api: Api) -> None:
    long_ago = utcnow() - timedelta(days=2)
    for number in (7, 8, 9):
        body = {"url": f"https://192.0.43.{number}/hook", "events": ["*"]}
        assert api.post("/webhooks", body).status_code == 201
    Endpoint.objects.update(failing_since=long_ago)
    first = Endpoint.objects.order_by("pk")[0]
    broken("webhooks_endpoint", [first.pk])

    assert look_after_endpoints() == 2

    assert Endpoint.objects.get(pk=first.pk).warned_at is None
