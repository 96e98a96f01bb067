"""A request that began a payment and did not finish: the same request goes on with it, and nobody begins a second."""

import time
import uuid
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.http import HttpResponse

from accounts.models import Merchant
from accounts.permissions import ALL
from accounts.services import issue_key, revoke_key
from gateway.payments.due import EXPIRY
from gateway.payments.models import Payment
from gateway.requests.idempotency import forget_old
from gateway.requests.models import IdempotencyKey
from ledger.books.models import Transfer
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import MARIA, pix
from webhooks.models import Event

CONFLICT, IN_PROGRESS = "ONP409_IDEMPOTENCY_CONFLICT", "ONP409_IDEMPOTENCY_IN_PROGRESS"
ADDRESS = {
    "street": "Rua das Flores", "number": "100", "district": "Centro", "city": "São Paulo", "state": "SP",
    "postalCode": "01001000",
}  # fmt: skip


class Begun:
    """A call that got no answer of the provider; it left a payment."""

    def __init__(self, api: Api, **members: Any) -> None:
        self.api, self.key, self.body = api, str(uuid.uuid4()), pix(amount=912) | members
        self.first = self.again()
        self.payment_id: str = self.first.json()["error"]["paymentId"]

    def again(self, **changes: Any) -> HttpResponse:
        return self.api.post("/payments", self.body | changes, key=self.key)

    def died(self, *, ago_s: float) -> None:
        """As a process leaves it that died between its two transactions: the lease of 90 s runs on."""
        until = datetime.now(UTC) + timedelta(seconds=90 - ago_s)
        IdempotencyKey.objects.filter(key=self.key).update(leased_until=until)


@pytest.fixture
def begun(api: Api) -> Begun:
    return Begun(api)


def refusal(answer: HttpResponse) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


def told() -> list[str]:
    return list(Event.objects.order_by("occurred_at", "created_at", "id").values_list("type", flat=True))


def nothing_moved(begun: Begun) -> bool:
    payment = Payment.objects.get()
    alone = (payment.id, payment.status, payment.details, payment.asked_times) == (begun.payment_id, "PENDING", {}, 1)
    return alone and told() == [] and Transfer.objects.count() == 0


def test_a_failed_call_leaves_its_payment_bound_to_the_key_and_its_lease_over(begun: Begun) -> None:
    row = IdempotencyKey.objects.get(key=begun.key)

    assert begun.first.status_code == 502
    assert (row.resource_id, row.status, row.sealed_body) == (begun.payment_id, None, None)
    assert row.leased_until is not None
    assert row.leased_until <= datetime.now(UTC)
    assert nothing_moved(begun)


def test_while_its_lease_runs_nobody_takes_over(begun: Begun) -> None:
    begun.died(ago_s=80)

    since = time.monotonic()
    waited = begun.again()

    assert 1.9 <= time.monotonic() - since <= 4
    error = waited.json()["error"]
    assert refusal(waited) == (409, IN_PROGRESS)
    assert (error["retryable"], error["retryAfter"], waited["Retry-After"]) == (True, 1, "1")
    assert nothing_moved(begun)


def test_when_its_lease_is_over_the_same_payment_goes_on(begun: Begun) -> None:
    begun.died(ago_s=91)

    resumed = begun.again()

    assert (resumed.status_code, resumed.json()["data"]["id"]) == (201, begun.payment_id)
    assert "pixCopyPaste" in resumed.json()["data"]
    assert told() == ["payment.updated"]
    assert begun.again().content == resumed.content
    assert Payment.objects.get().asked_times == 2


def test_a_lease_that_ends_while_the_call_waits_is_taken_over(begun: Begun) -> None:
    begun.died(ago_s=89.2)

    resumed = begun.again()

    assert (resumed.status_code, resumed.json()["data"]["id"]) == (201, begun.payment_id)


@pytest.mark.parametrize("ago_s", [0, 3600])
def test_other_content_is_a_conflict_alive_or_dead(begun: Begun, ago_s: float) -> None:
    begun.died(ago_s=ago_s)

    assert refusal(begun.again(amount=100)) == (409, CONFLICT)
    assert refusal(begun.again(amount="no number")) == (409, CONFLICT)
    assert nothing_moved(begun)


def test_another_path_is_a_conflict(begun: Begun, api: Api) -> None:
    path = f"/simulations/payments/{begun.payment_id}"

    assert refusal(api.post(path, {"status": "PAID"}, key=begun.key)) == (409, CONFLICT)
    assert nothing_moved(begun)


def test_a_key_that_was_revoked_resumes_nothing_and_another_of_the_company_does(api: Api, acme: Shop) -> None:
    api_key, text = issue_key(acme.sandbox, ALL, "backend")
    begun = Begun(Api(text, "10.9.8.7"))
    revoke_key(api_key)

    assert refusal(begun.again()) == (401, "ONP401")
    assert nothing_moved(begun)

    begun.api = api
    assert begun.again().json()["data"]["id"] == begun.payment_id


def test_a_key_without_the_permission_resumes_nothing(begun: Begun, acme: Shop) -> None:
    begun.api = Api(issue_key(acme.sandbox, ["transactions:read"], "reader")[1], "10.9.8.7")

    assert refusal(begun.again()) == (403, "ONP403")
    assert nothing_moved(begun)


def test_the_same_key_of_another_company_is_another_request(begun: Begun, globex_api: Api, globex: Shop) -> None:
    theirs = globex_api.post("/payments", begun.body | {"amount": 100}, key=begun.key)

    assert theirs.status_code == 201
    assert theirs.json()["data"]["companyId"] == globex.company.id
    assert theirs.json()["data"]["id"] != begun.payment_id
    assert Payment.objects.get(pk=begun.payment_id).details == {}
    assert begun.again().json()["data"]["id"] == begun.payment_id


def simulated(status: str) -> Callable[[Begun, Shop], None]:
    return lambda begun, _: begun.api.post(f"/simulations/payments/{begun.payment_id}", {"status": status}) and None


def overdue(begun: Begun, shop: Shop) -> None:
    Merchant.objects.filter(pk=shop.sandbox.pk).update(clock_offset=timedelta(days=2))
    assert EXPIRY.sweep() == 1


@pytest.mark.parametrize(
    ("ends", "status"),
    [(simulated("PAID"), "PAID"), (simulated("EXPIRED"), "EXPIRED"), (overdue, "EXPIRED")],
    ids=["paid", "expired", "overdue"],
)
def test_a_payment_that_ended_meanwhile_is_answered_as_it_is(
    begun: Begun, acme: Shop, ends: Callable[[Begun, Shop], None], status: str
) -> None:
    ends(begun, acme)

    answer = begun.again()

    assert (answer.status_code, answer.json()["data"]["status"]) == (201, status)
    assert answer.json()["data"] == begun.api.get(f"/payments/{begun.payment_id}").json()["data"]
    assert told() == [f"payment.{status.lower()}"]
    assert begun.again().content == answer.content
    assert Transfer.objects.count() == (status == "PAID")


def test_a_payment_that_failed_meanwhile_is_refused_for_good(begun: Begun, acme: Shop) -> None:
    simulated("FAILED")(begun, acme)

    answer = begun.again()

    assert refusal(answer) == (422, "ONP422_PIX_REJECTED")
    assert answer.json()["error"]["paymentId"] == begun.payment_id
    assert begun.again().content == answer.content
    assert told() == ["payment.failed"]


def test_after_it_expired_the_reference_is_free_and_the_old_key_begins_nothing(begun: Begun, acme: Shop) -> None:
    overdue(begun, acme)

    other = begun.api.post("/payments", begun.body | {"amount": 100})

    assert other.status_code == 201
    assert begun.again().json()["data"]["id"] == begun.payment_id
    assert dict(Payment.objects.values_list("id", "status")) == {
        begun.payment_id: "EXPIRED", other.json()["data"]["id"]: "PENDING",
    }  # fmt: skip


@pytest.fixture
def stale(api: Api, acme: Shop) -> Begun:
    """A boleto that was due on the day it was asked for; the next day its request is no longer valid."""
    payer = MARIA | {"email": "maria@example.com", "address": ADDRESS}
    begun = Begun(api, method="BOLETO", payer=payer, dueDate=str(date.today()))
    Merchant.objects.filter(pk=acme.sandbox.pk).update(clock_offset=timedelta(days=2))
    assert refusal(api.post("/payments", begun.body)) == (400, "ONP400_DUE_DATE")
    return begun


def test_a_request_that_is_no_longer_valid_still_goes_on_with_what_it_began(stale: Begun) -> None:
    stale.died(ago_s=91)

    resumed = stale.again()

    assert (resumed.status_code, resumed.json()["data"]["id"]) == (201, stale.payment_id)
    assert "barcode" in resumed.json()["data"]


def test_a_request_that_is_no_longer_valid_also_waits_for_its_twin(stale: Begun) -> None:
    stale.died(ago_s=0)

    assert refusal(stale.again()) == (409, IN_PROGRESS)
    assert nothing_moved(stale)


def test_old_keys_are_forgotten_bound_or_not(begun: Begun) -> None:
    IdempotencyKey.objects.update(created_at=datetime.now(UTC) - timedelta(days=31))

    forget_old()

    assert IdempotencyKey.objects.count() == 0
    assert refusal(begun.again()) == (409, "ONP409_DUPLICATE_REFERENCE")
    assert nothing_moved(begun)
