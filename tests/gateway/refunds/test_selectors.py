"""Refunds by what they are, and first those that wait for an answer."""

from datetime import timedelta
from typing import Any

from accounts.base import clock
from accounts.models import Merchant
from gateway.refunds import services as refunds
from gateway.refunds.selectors import counts, listed, short_of_money
from tests.support.companies import Shop
from tests.support.sales import JOSE, later, sale


def ids(merchant: Merchant, **wanted: Any) -> list[str]:
    return [refund.pk for refund in listed(merchant, **wanted)]


def test_what_waits_for_an_answer_comes_by_its_deadline(acme: Shop, globex: Shop) -> None:
    now = clock.now(acme.sandbox)
    due = [now + timedelta(days=days) for days in (6, 2, 4)]
    made = [refunds.dispute(acme.sandbox, sale(acme.sandbox).pk, response_due_at=at).pk for at in due]
    given = refunds.create(acme.sandbox, sale(acme.sandbox).pk, amount=100).pk

    assert ids(acme.sandbox, statuses=("AWAITING_RESPONSE",)) == [made[1], made[2], made[0]]
    assert ids(acme.sandbox) == [given, *made[::-1]]
    assert ids(acme.sandbox, due_from=due[2], due_to=due[0]) == [made[2]]
    assert ids(globex.sandbox) == []


def test_refunds_are_filtered_by_what_they_are(acme: Shop, globex: Shop) -> None:
    first, second = sale(acme.sandbox), sale(acme.sandbox, payer=JOSE)
    wanted = refunds.dispute(acme.sandbox, first.pk)
    later(acme.sandbox, hours=1)
    part = refunds.create(acme.sandbox, second.pk, amount=100)
    refunds.simulate(acme.sandbox, part.pk, "COMPLETED")

    assert ids(acme.sandbox, origin="PAYER") == [wanted.pk]
    assert ids(acme.sandbox, is_full=False) == [part.pk]
    assert ids(acme.sandbox, payment_id=first.pk) == [wanted.pk]
    assert ids(acme.sandbox, statuses=("COMPLETED", "FAILED")) == [part.pk]
    assert ids(acme.sandbox, created_from=part.created_at) == [part.pk]
    assert ids(acme.sandbox, created_to=part.created_at) == [wanted.pk]
    assert ids(acme.sandbox, currency="USD") == []
    assert {status: count for status, count in counts(acme.sandbox).items() if count} == {
        "AWAITING_RESPONSE": 1,
        "COMPLETED": 1,
    }
    assert set(counts(globex.sandbox).values()) == {0}


def test_a_refund_that_is_covered_is_not_short_of_money(acme: Shop) -> None:
    sale(acme.sandbox, "500.00")
    refunds.dispute(acme.sandbox, sale(acme.sandbox).pk)
    assert list(short_of_money(acme.sandbox)) == []
