"""Money in suspense is let go once, whoever comes first, and held once beside payments that are paid."""

from functools import partial

import pytest
from django.db import transaction

from accounts.base.clock import utcnow
from accounts.base.errors import Refusal
from accounts.base.rows import retry_on_deadlock
from gateway.payments import due as due_payments
from gateway.payments.models import Payment
from gateway.suspense import due
from gateway.suspense.models import SuspenseItem
from gateway.suspense.provider import lock
from gateway.suspense.services import assign
from tests.support.companies import Shop
from tests.support.suspense import RETURNED, a_bank, arrived, balances, expired, look_again, ordered, wait
from tests.support.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)


def _assign(item_id: str) -> None:
    with transaction.atomic():
        assign(lock(item_id), "Two people agreed")


def _try_to_assign(item_id: str) -> None:
    try:
        retry_on_deadlock(partial(_assign, item_id))
    except Refusal:
        return


@pytest.mark.parametrize("attempt", range(5))
def test_it_is_given_back_or_pays_its_payment_and_never_both(acme: Shop, attempt: int) -> None:
    script = a_bank(acme, refund=[RETURNED])
    look_again(expired(acme), script, arrived())
    item = SuspenseItem.objects.get()
    SuspenseItem.objects.update(return_at=utcnow())

    at_once(due.run_due, partial(_try_to_assign, item.pk), partial(_try_to_assign, item.pk))
    wait(minutes=1)

    item.refresh_from_db()
    payment = Payment.objects.get()
    asked = [what for _, what, _ in script.calls if "refund" in what]
    assert (item.state, payment.status, asked) in (
        ("RETURNED", "EXPIRED", ["refund"]),
        ("ASSIGNED", "PAID", []),
    )
    assert balances(acme).get("SUSPENSE") is None


def test_payments_of_one_company_are_paid_while_other_money_is_held(acme: Shop) -> None:
    script = a_bank(acme)
    payments = [ordered(acme, reference=f"order-{n}") for n in range(6)]
    script.answers |= {one.pk: [arrived("150" if n % 2 else "149", f"E{n}")] for n, one in enumerate(payments)}
    del script.answers["ask"]
    Payment.objects.update(ask_at=utcnow())

    at_once(*[due_payments.run_due] * 3)

    assert sorted(Payment.objects.values_list("status", flat=True)) == ["PAID"] * 3 + ["PENDING"] * 3
    assert balances(acme)["SUSPENSE"] == 3 * 14900
    assert SuspenseItem.objects.count() == 3
