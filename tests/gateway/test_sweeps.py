"""What time does, where some rows raise each time: nobody else waits for them, and nothing is taken up twice."""

import json
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any, NamedTuple

import pytest
from django.db import connection

from accounts.base.clock import utcnow
from accounts.due import ALARM_AT, DELAYS_S, Due, forget_stuck
from accounts.emails import outbox
from accounts.models import Email, StuckWork
from gateway.methods.rail import Money
from gateway.payments import services as payments_of
from gateway.payments.due import EXPIRY, QUESTION
from gateway.payments.models import Payment
from gateway.payments.other_money import Cause
from gateway.refunds import due as refunds_due
from gateway.refunds import services
from gateway.refunds.due import ASK, LAPSE
from gateway.refunds.models import Refund
from gateway.suspense.due import RETURN
from gateway.suspense.holding import hold
from gateway.suspense.models import SuspenseItem
from gateway.sweeps import ALL, OF_MERCHANTS
from gateway.withdrawals.due import CALL_PROVIDER
from gateway.withdrawals.models import Withdrawal
from ledger.receivables import due as receivables_due
from ledger.receivables.due import RELEASE
from ledger.receivables.models import Receivable
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.providers import active
from tests.support.receivables import a_receivable
from tests.support.refunds import disputed, kinds, later, paid
from tests.support.sweeps import broken, repaired, the_delay_is_over
from tests.support.withdrawals import register, withdrawn
from webhooks.due import check_endpoints
from webhooks.models import Endpoint

pytestmark = pytest.mark.django_db
A_SWEEP = 100
"""As many as it takes at once: so many of one kind raise, and of the others, which are swept alike, a few."""


def payments(api: Api, acme: Shop, address: str, count: int) -> list[str]:
    return [a_payment(acme.sandbox).pk for _ in range(count)]


def refunds(api: Api, acme: Shop, address: str, count: int) -> list[str]:
    payment = a_payment(acme.sandbox, "PAID", "1000.00")
    a_payment(acme.sandbox, "PAID")
    return [services.create(acme.sandbox, payment.pk, amount=100).pk for _ in range(count)]


def disputes(api: Api, acme: Shop, address: str, count: int) -> list[str]:
    made = [a_payment(acme.sandbox, "PAID") for _ in range(count)]
    return [services.dispute(acme.sandbox, payment.pk, amount=100).pk for payment in made]


def withdrawals(api: Api, acme: Shop, address: str, count: int) -> list[str]:
    register(acme, address)
    a_payment(acme.sandbox, "PAID", "10000.00")
    return [withdrawn(api, acme, amount=1)["id"] for _ in range(count)]


def receivables(api: Api, acme: Shop, address: str, count: int) -> list[str]:
    return [a_receivable(acme.sandbox, "10.00").pk for _ in range(count)]


def emails(api: Api, acme: Shop, address: str, count: int) -> list[str]:
    made = [Email(kind="x", recipient="a@b.example", subject="x", text="x") for _ in range(count)]
    return [email.pk for email in Email.objects.bulk_create(made)]


def money_in_suspense(api: Api, acme: Shop, address: str, count: int) -> list[str]:
    account, long_ago = active("bank"), utcnow() - timedelta(days=1)
    for number in range(count):
        hold(account, Money(f"E{number}", Decimal(1), "BRL"), Cause.UNKNOWN_CHARGE, long_ago, method="PIX")
    SuspenseItem.objects.update(return_at=long_ago)
    return list(SuspenseItem.objects.values_list("pk", flat=True))


class Kind(NamedTuple):
    due: Due[Any]
    made: Callable[[Api, Shop, str, int], list[str]]
    run: Callable[[], int]
    days: int
    done: tuple[str, ...]
    poison: int = 10


KINDS = [
    Kind(EXPIRY, payments, EXPIRY.sweep, 2, ("EXPIRED",), A_SWEEP),
    Kind(ASK, refunds, ASK.sweep, 1, ("COMPLETED",)),
    Kind(LAPSE, disputes, LAPSE.sweep, 10, ("PROCESSING",)),
    Kind(CALL_PROVIDER, withdrawals, CALL_PROVIDER.sweep, 0, ("PROCESSING", "COMPLETED")),
    Kind(RELEASE, receivables, receivables_due.run_due, 60, ("RELEASED",)),
    Kind(RETURN, money_in_suspense, RETURN.sweep, 0, ("RETURNING",)),
    Kind(outbox.SENDING, emails, outbox.send_due, 1, ("SENT",)),
]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.due.kind)
def test_rows_that_raise_do_not_hold_up_one_that_is_well(api: Api, acme: Shop, address: str, kind: Kind) -> None:
    *poison, well = kind.made(api, acme, address, kind.poison + 1)
    broken(kind.due.table, poison)
    later(acme, days=kind.days)

    assert kind.run() == 1

    rows = kind.due.model._default_manager
    assert getattr(rows.get(pk=well), kind.due.status_column if kind.due.statuses else "status") in kind.done
    stuck = StuckWork.objects.filter(kind=kind.due.kind)
    assert set(stuck.values_list("object_id", "times", "error")) == {(one, 1, "ProgrammingError") for one in poison}
    kind.run()
    assert StuckWork.objects.filter(times=1).count() == kind.poison  # nobody is tried again before its time


def stuck_payment(acme: Shop) -> str:
    payment = a_payment(acme.sandbox)
    broken("gateway_payment", [payment.pk])
    later(acme, days=2)
    return payment.pk


def said(text: str) -> list[dict[str, Any]]:
    return [line for line in map(json.loads, filter(None, text.splitlines())) if line["event"].startswith("sweep.")]


def test_a_row_that_raises_is_tried_again_ever_later_with_one_line_each_and_recovers(acme: Shop, capfd: Any) -> None:
    payment = stuck_payment(acme)

    for times, delay_s in enumerate([*DELAYS_S, DELAYS_S[-1]], start=1):
        capfd.readouterr()
        began = utcnow()
        assert EXPIRY.sweep() == 0
        stuck = StuckWork.objects.get()
        assert (stuck.object_id, stuck.times) == (payment, times)
        assert timedelta(0) <= stuck.until - began - timedelta(seconds=delay_s) < timedelta(seconds=5)
        [line] = said(capfd.readouterr().err)
        assert (line["kind"], line["id"], line["error"]) == ("payment.expired", payment, "ProgrammingError")
        assert (line["event"], line["level"]) == (
            ("sweep.still_stuck", "critical") if times == ALARM_AT else ("sweep.stuck", "error")
        )
        assert EXPIRY.sweep() == 0  # not before its time, and without a line
        assert said(capfd.readouterr().err) == []
        the_delay_is_over()

    repaired("gateway_payment")
    assert EXPIRY.sweep() == 1

    assert Payment.objects.get(pk=payment).status == "EXPIRED"
    assert not StuckWork.objects.exists()


def test_what_is_stuck_in_one_way_is_not_stuck_in_others(acme: Shop) -> None:
    payment = a_payment(acme.sandbox)
    StuckWork.objects.create(
        kind=QUESTION.kind, object_id=payment.pk, times=3, since=utcnow(), until=utcnow() + timedelta(hours=1)
    )
    later(acme, days=2)

    assert EXPIRY.sweep() == 1


def test_the_sandbox_clock_passes_what_raises(api: Api, acme: Shop) -> None:
    broken_one, well = a_payment(acme.sandbox).pk, a_payment(acme.sandbox).pk
    broken("gateway_payment", [broken_one])

    fired = api.post("/simulations/clock", {"advanceBy": "P2D"})

    assert fired.status_code == 200, fired.content
    assert Payment.objects.get(pk=well).status == "EXPIRED"
    assert Payment.objects.get(pk=broken_one).status == "PENDING"
    assert StuckWork.objects.get().object_id == broken_one


def test_what_was_decided_meanwhile_is_not_stuck_any_more(acme: Shop) -> None:
    payment = stuck_payment(acme)
    EXPIRY.sweep()
    assert [one.object_id for one in EXPIRY.stuck(10)] == [payment]
    repaired("gateway_payment")
    Payment.objects.filter(pk=payment).update(expires_at=utcnow() + timedelta(days=90))
    payments_of.simulate(acme.sandbox, payment, "FAILED")

    assert EXPIRY.stuck(10) == []
    assert forget_stuck() == 0
    StuckWork.objects.update(until=utcnow() - timedelta(days=2))
    assert forget_stuck() == 1


def test_what_is_due_by_two_clocks_is_taken_once(acme: Shop) -> None:
    payment = a_payment(acme.sandbox)
    Payment.objects.filter(pk=payment.pk).update(expires_at=payment.created_at)
    later(acme, hours=1)

    assert EXPIRY.sweep() == 1
    assert kinds(acme).count("payment.expired") == 1


@pytest.mark.parametrize("due", OF_MERCHANTS, ids=lambda due: due.kind)
def test_what_is_due_is_found_by_an_index(due: Due[Any], acme: Shop) -> None:
    params = {"now": utcnow(), "tried": [], "limit": 100, "kind": due.kind}
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(f"EXPLAIN (FORMAT JSON) {due.found_sql()}", params)
        plan = json.dumps(cursor.fetchone()[0])

    asked = [node for node in _nodes(json.loads(plan)[0]["Plan"]) if node.get("Relation Name") == due.table]
    assert {node["Node Type"] for node in asked} <= {"Index Scan", "Index Only Scan", "Bitmap Heap Scan"}
    assert len(asked) == 2  # by the real time, and by the clocks that are ahead


def _nodes(plan: dict[str, Any]) -> list[dict[str, Any]]:
    return [plan, *(node for child in plan.get("Plans", []) for node in _nodes(child))]


def test_whatever_waits_for_a_time_has_one_name() -> None:
    assert len({work.title for work in ALL}) == len(ALL)
    assert (
        len({due.kind for due in ALL if isinstance(due, Due)}) == len(ALL) - 1
    )  # deliveries have a claim of their own


def test_a_refund_that_is_due_by_two_clocks_is_taken_up_once(api: Api, acme: Shop) -> None:
    refund = disputed(api, paid(api), amount=10)
    later(acme, hours=1)
    Refund.objects.filter(pk=refund["id"]).update(remind_at=refund["createdAt"])

    assert refunds_due.run_due() == 1

    assert kinds(acme).count("refund.response_required") == 2  # when it was opened, and now


def test_withdrawals_that_raise_go_behind_all_others(api: Api, acme: Shop, address: str) -> None:
    register(acme, address)
    a_payment(acme.sandbox, "PAID", "1000.00")
    made = [withdrawn(api, acme, amount=1)["id"] for _ in range(4)]
    with connection.cursor() as cursor:  # they cannot be opened any more: the key was lost
        cursor.execute("UPDATE gateway_withdrawal SET sealed_destination = '\\x00' WHERE id = ANY(%s)", [made[:3]])
    later(acme, days=1)

    CALL_PROVIDER.sweep(limit=2)
    CALL_PROVIDER.sweep(limit=2)

    assert Withdrawal.objects.get(pk=made[3]).sent_times == 1
    assert set(Withdrawal.objects.filter(pk__in=made[:3]).values_list("sent_times", flat=True)) == {0}


def test_a_receivable_that_raises_holds_no_other_of_its_wallet_up(api: Api, acme: Shop) -> None:
    first, *others = [paid(api, "DEBIT_CARD") for _ in range(3)]
    broken("ledger_receivable", [first], column="payment_id")
    later(acme, days=2)

    assert receivables_due.run_due() == 2

    assert Receivable.objects.get(payment_id=first).state == "SCHEDULED"
    assert set(Receivable.objects.filter(payment_id__in=others).values_list("state", flat=True)) == {"RELEASED"}
    assert receivables_due.run_due() == 0


def test_an_endpoint_that_raises_holds_no_other_up(api: Api) -> None:
    long_ago = utcnow() - timedelta(days=2)
    for number in (7, 8, 9):
        body = {"url": f"https://192.0.43.{number}/hook", "events": ["*"]}
        assert api.post("/webhooks", body).status_code == 201
    Endpoint.objects.update(failing_since=long_ago)
    first = Endpoint.objects.order_by("pk")[0]
    broken("webhooks_endpoint", [first.pk])

    assert check_endpoints() == 2

    assert Endpoint.objects.get(pk=first.pk).warned_at is None
