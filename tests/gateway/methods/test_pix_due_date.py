"""A PIX payment with a due date: which dates are taken, until when it can be paid, and what is shown."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import transaction

from gateway.customers.payer import Payer
from gateway.methods.pix.rail import SandboxPix
from gateway.methods.rail import PaymentDraft
from gateway.payments import services as payments
from gateway.payments.errors import InvalidExpiresIn
from tests.support.api import Api
from tests.support.bad_orders import LEFT_OUT, Changes, Faults, in_days, is_refused, is_taken, nothing_was_made
from tests.support.br_codes import parse
from tests.support.companies import Shop
from tests.support.rows import rows

DUE_DATE, EXPIRES_IN, PAYER = "ONP400_DUE_DATE", "ONP400_EXPIRES_IN", "ONP400_PAYER"
BOTH: Faults = [("expiresIn", "NOT_ALLOWED")]


@rows(
    ("changes", "code", "faults"),
    [
        *[
            ({"dueDate": sent}, DUE_DATE, [("dueDate", "INVALID")])
            for sent in ("", " ", "soon", "20261201", "01/12/2026", "2027-02-29", "2026-12-01T12:00:00Z", 5, [], True)
        ],
        *[
            ({"dueDate": sent}, DUE_DATE, [("dueDate", "OUT_OF_RANGE")])
            for sent in ("0001-01-01", "9999-12-31", in_days(-1), in_days(366))
        ],
        ({"dueDate": in_days(3), "expiresIn": 3600}, EXPIRES_IN, BOTH),
        ({"dueDate": in_days(3), "expiresIn": "soon"}, EXPIRES_IN, BOTH),
        ({"dueDate": "soon", "expiresIn": 3600}, DUE_DATE, [("dueDate", "INVALID"), *BOTH]),
        ({"dueDate": in_days(3), "payer.taxId": LEFT_OUT}, PAYER, [("payer.taxId", "REQUIRED")]),
        ({"dueDate": in_days(3), "payer.taxId": "123"}, PAYER, [("payer.taxId", "INVALID")]),
        ({"dueDate": in_days(3), "payer.name": LEFT_OUT}, PAYER, [("payer.name", "REQUIRED")]),
    ],
)
def test_a_fault_is_named_and_makes_nothing(api: Api, changes: Changes, code: str, faults: Faults) -> None:
    is_refused(api, "PIX", changes, code, faults)


@rows("days", [0, 1, 365])
def test_it_can_be_paid_until_the_end_of_the_day_in_sao_paulo(api: Api, days: int) -> None:
    data = is_taken(api, "PIX", {"dueDate": in_days(days)})

    midnight = datetime.fromisoformat(f"{in_days(days + 1)}T03:00:00+00:00")
    assert data["dueDate"] == in_days(days)
    assert datetime.fromisoformat(data["expiresAt"]) == midnight - timedelta(milliseconds=1)
    assert parse(parse(data["pixCopyPaste"])["26"])["25"].endswith(f"/v2/cobv/{data['pixTxid']}")
    assert api.get(f"/payments/{data['id']}").json()["data"] == data


def test_without_a_due_date_nothing_changes(api: Api) -> None:
    data = is_taken(api, "PIX", {"dueDate": None, "expiresIn": 600})

    created, expires = (datetime.fromisoformat(data[name]) for name in ("createdAt", "expiresAt"))
    assert expires - created == timedelta(minutes=10)
    assert "dueDate" not in data
    assert parse(parse(data["pixCopyPaste"])["26"])["25"].endswith(f"/v2/{data['pixTxid']}")


@pytest.mark.parametrize(
    ("now", "today"),
    [
        (datetime(2026, 11, 20, 2, 59, 59, tzinfo=UTC), "2026-11-19"),
        (datetime(2026, 11, 20, 3, 0, 0, tzinfo=UTC), "2026-11-20"),
    ],
)
def test_today_is_that_of_sao_paulo(now: datetime, today: str) -> None:
    draft = PaymentDraft(Payer("Maria Silva", tax_id="52998224725"), now, "BRL", due_date="2026-11-19")

    said = [fault.code for fault in SandboxPix().faults(draft, strict=True)]

    assert said == ([] if today == "2026-11-19" else ["OUT_OF_RANGE"])


def test_no_other_door_takes_both_times(acme: Shop) -> None:
    order: dict[str, Any] = {"method": "PIX", "amount": Decimal(150), "currency": "BRL", "reference": "order-1"}
    due = (datetime.now(UTC) + timedelta(days=3)).date()
    payer = Payer("Maria Silva", tax_id="52998224725")

    with pytest.raises(InvalidExpiresIn), transaction.atomic():
        payments.create(acme.sandbox, payments.Request(**order, payer=payer, expires_in_s=600, due_date=due))

    assert nothing_was_made()
