"""The log of requests: what a company's backend asked and was answered, to be read by the company, in nobody's way."""

import uuid
from datetime import timedelta
from types import ModuleType
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.base.clock import utcnow
from accounts.base.ids import made_at, new_id
from accounts.base.rows import every
from accounts.models import ApiKey
from accounts.permissions import ALL
from accounts.services import issue_key
from gateway.requests import selectors
from gateway.requests.errors import RequestUnknown
from gateway.requests.models import ApiRequest
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import pix
from tests.support.receiver import listening
from webhooks.dispatch import deliver_due

pytestmark = pytest.mark.django_db
NEVER_EXISTED = "pay_01ARZ3NDEKTSV4RRFFQ69G5FAV"


@pytest.fixture
def key() -> str:
    return str(uuid.uuid4())


def logged(log: ModuleType, request_id: str) -> ApiRequest:
    assert log.flush()
    return ApiRequest.objects.get(pk=request_id)


def test_a_request_is_kept_with_its_answer(
    api: Api, acme: Shop, address: str, key: str, request_log: ModuleType
) -> None:
    before = utcnow()
    answer = api.post("/payments", pix(reference="order-1"), key=key, **{"user-agent": "shop/1.0\0"})

    row = logged(request_log, answer["RequestId"])

    payment = answer.json()["data"]["id"]
    assert (row.merchant, row.api_key) == (acme.sandbox, ApiKey.objects.get(merchant=acme.sandbox))
    assert (row.method, row.path, row.query, row.status, row.code) == ("POST", "/api/v2/payments", "", 201, "ONP201")
    assert (row.origin, row.user_agent, str(row.idempotency_key), row.is_replay) == (address, "shop/1.0", key, False)
    assert (row.object_id, row.objects_named) == (payment, [payment])
    assert before <= row.created_at == made_at(row.pk) <= utcnow()
    assert 0 < row.elapsed_ms < 60_000
    assert '"reference":"order-1"' in (row.request_body or "")
    assert f'"id":"{payment}"' in (row.response_body or "")
    assert '"amount":150.00' in (row.response_body or "")


def test_a_replay_is_a_request_of_its_own(api: Api, key: str, request_log: ModuleType) -> None:
    order = pix()
    first, again = (api.post("/payments", order, key=key) for _ in range(2))
    conflict = api.post("/payments", pix(), key=key)

    rows = [logged(request_log, answer["RequestId"]) for answer in (first, again, conflict)]

    assert [(row.status, row.is_replay) for row in rows] == [(201, False), (201, True), (409, False)]
    assert rows[0].objects_named == rows[1].objects_named
    assert {str(row.idempotency_key) for row in rows} == {key}


def test_refusals_are_kept_with_their_code(api: Api, acme: Shop, address: str, request_log: ModuleType) -> None:
    _, weak = issue_key(acme.sandbox, permissions=["transactions:read"])
    for answer, expected, sent in [
        (api.post("/payments", {"method": "PIX"}), (400, "ONP400_AMOUNT"), '{"method":"PIX"}'),
        (api.post("/payments", raw=b'{"cvv":"123"'), (400, "ONP400_MALFORMED_JSON"), "[12 bytes that are not JSON]"),
        (api.post("/payments", raw=b"\xff"), (400, "ONP400_MALFORMED_JSON"), "[1 bytes that are not JSON]"),
        (api.post("/payments", pix(), key="no uuid"), (400, "ONP400_IDEMPOTENCY_KEY_INVALID"), None),
        (api.post("/payments", pix(), content_type="text/plain"), (415, "ONP415"), None),
        (api.get(f"/payments/{NEVER_EXISTED}"), (404, "ONP404_PAYMENT"), None),
        (Api(weak, address).post("/payments", pix()), (403, "ONP403"), None),
    ]:
        row = logged(request_log, answer["RequestId"])
        assert (row.status, row.code) == expected
        assert row.code in (row.response_body or "")
        assert row.request_body == sent or sent is None


def test_where_no_merchant_is_known_nothing_is_kept(
    api: Api, address: str, request_log: ModuleType, client: Any
) -> None:
    for answer in (
        Api(None, address).get("/payments"),
        Api("onp_sandbox_wrong", address).post("/payments", pix()),
        api.get("/nothing"),
        api.request("DELETE", "/payments"),
        client.get("/docs/errors"),
    ):
        assert answer.status_code in (200, 401, 404, 405)
    assert request_log.flush()
    assert not ApiRequest.objects.exists()


def test_without_the_setting_nothing_is_kept(api: Api, request_log: ModuleType, settings: Any) -> None:
    settings.REQUEST_LOG_DAYS = 0
    api.post("/payments", pix())
    assert request_log.flush()
    assert not ApiRequest.objects.exists()


def test_requests_of_an_object_are_those_that_made_it_or_were_about_it(
    api: Api, acme: Shop, request_log: ModuleType
) -> None:
    created = api.post("/payments", pix())
    payment = created.json()["data"]["id"]
    simulated = api.post(f"/simulations/payments/{payment}", {"status": "PAID"})
    refund_asked = api.post(f"/payments/{payment}/refunds", {"amount": 10})
    refund = refund_asked.json()["data"]["id"]
    looked_up = api.get(f"/refunds/{refund}")
    receipt = api.get(f"/payments/{payment}/receipt")
    api.post("/payments", pix())
    api.get("/payments")
    api.get(f"/companies/{acme.company.id}")
    request_log.flush()

    def of(object_id: str) -> list[str]:
        return [row.pk for row in selectors.listed(acme.sandbox, object_id=object_id)][::-1]

    everything = [one["RequestId"] for one in (created, simulated, refund_asked, looked_up, receipt)]
    assert of(payment) == everything
    assert of(refund) == everything[2:4]
    assert ApiRequest.objects.get(pk=refund_asked["RequestId"]).objects_named == [refund, payment]
    assert of(acme.company.id) == []


def test_a_company_reads_its_own_requests_only(
    api: Api, acme: Shop, globex: Shop, globex_api: Api, request_log: ModuleType
) -> None:
    ours = api.post("/payments", pix())
    payment = ours.json()["data"]["id"]
    theirs = globex_api.get(f"/payments/{payment}")
    request_log.flush()

    assert [row.pk for row in selectors.listed(acme.sandbox)] == [ours["RequestId"]]
    assert [row.pk for row in selectors.listed(globex.sandbox, object_id=payment)] == [theirs["RequestId"]]
    assert selectors.get(acme.sandbox, ours["RequestId"]).pk == ours["RequestId"]
    for merchant, request_id in [
        (globex.sandbox, ours["RequestId"]),
        (acme.production, ours["RequestId"]),
        (acme.sandbox, new_id("req")),
        (acme.sandbox, "\0"),
        (acme.sandbox, "é" * 50),
    ]:
        for read in (selectors.get, selectors.story):
            with pytest.raises(RequestUnknown):
                read(merchant, request_id)
    story = selectors.story(globex.sandbox, theirs["RequestId"])
    assert (story.made, story.events, story.transfers) == (None, [], [])


def test_the_list_is_narrowed(api: Api, acme: Shop, address: str, request_log: ModuleType) -> None:
    _, other_key = issue_key(acme.sandbox, permissions=ALL)
    asked = [
        api.get("/payments"),
        api.post("/payments", {}),
        Api(other_key, "10.9.9.9").get(f"/payments/{NEVER_EXISTED}"),
        api.get("/customers"),
    ]
    request_log.flush()
    ids = [answer["RequestId"] for answer in asked]
    third = ApiRequest.objects.get(pk=ids[2])

    for narrowed, expected in [
        ({}, [3, 2, 1, 0]),
        ({"method": "POST"}, [1]),
        ({"path_contains": "PAYMENTS/"}, [2]),
        ({"path_contains": "%"}, []),
        ({"status_class": 2}, [3, 0]),
        ({"status_class": 4}, [2, 1]),
        ({"status_class": 5}, []),
        ({"code": "ONP404_PAYMENT"}, [2]),
        ({"key_id": third.api_key_id}, [2]),
        ({"origin": address}, [3, 1, 0]),
        ({"object_id": NEVER_EXISTED}, [2]),
        ({"created_from": third.created_at}, [3, 2]),
        ({"created_to": third.created_at, "method": "GET"}, [0]),
    ]:
        assert [row.pk for row in selectors.listed(acme.sandbox, **narrowed)] == [ids[n] for n in expected], narrowed


def test_a_list_asks_once_without_bodies_and_has_an_index(api: Api, acme: Shop, request_log: ModuleType) -> None:
    api.get("/payments")
    request_log.flush()

    with CaptureQueriesContext(connection) as asked:
        [row] = selectors.listed(acme.sandbox)
        assert row.api_key.name

    assert len(asked) == 1
    assert "_body" not in asked[0]["sql"]
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off")
    plan = selectors.listed(acme.sandbox).explain()
    names = every("SELECT relid::regclass::text FROM pg_partition_tree('requests_of_a_merchant')")
    assert any(name in plan for (name,) in names)


def test_what_went_wrong_is_summed_up_by_code(api: Api, acme: Shop, request_log: ModuleType) -> None:
    api.post("/payments", pix())
    api.get(f"/payments/{NEVER_EXISTED}")
    unknown = api.get(f"/payments/{NEVER_EXISTED}")
    invalid = api.post("/payments", {})
    request_log.flush()
    long_ago = {"merchant": acme.sandbox, "api_key": ApiKey.objects.get(merchant=acme.sandbox), "elapsed_ms": 1}
    ApiRequest.objects.create(
        **long_ago, method="GET", path="/", status=404, code="ONP404", created_at=utcnow() - timedelta(hours=25)
    )

    summary = selectors.refused(acme.sandbox)

    assert [(one.code, one.status, one.times, one.last_request_id) for one in summary] == [
        ("ONP404_PAYMENT", 404, 2, unknown["RequestId"]),
        (invalid.json()["onpayCode"], 400, 1, invalid["RequestId"]),
    ]
    assert selectors.refused(acme.production) == []


def test_the_story_of_a_request_goes_on_to_the_receivers_answer(
    api: Api, acme: Shop, key: str, request_log: ModuleType, settings: Any
) -> None:
    settings.LOCAL = True
    order = pix()
    with listening() as receiver:
        api.post("/webhooks", {"url": receiver.url, "events": ["*"]})
        created = api.post("/payments", order, key=key)
        again = api.post("/payments", order, key=key)
        payment = created.json()["data"]["id"]
        paid = api.post(f"/simulations/payments/{payment}", {"status": "PAID"})
        deliver_due()
    looked_up = api.get(f"/payments/{payment}")
    request_log.flush()

    whole, replay, later, read = (
        selectors.story(acme.sandbox, one["RequestId"]) for one in (created, again, paid, looked_up)
    )

    assert {story.made.id for story in (whole, replay, later, read)} == {payment}
    assert (whole.key_state, replay.key_state, later.key_state, read.key_state) == ("ANSWERED",) * 3 + (None,)
    assert [one.pk for one in whole.tries] == [again["RequestId"]]
    assert [one.pk for one in replay.tries] == [created["RequestId"]]
    kinds = [event.type for event in whole.events]
    assert kinds == [event.type for event in replay.events]
    assert [event.type for event in later.events] == ["payment.paid"]
    assert kinds[-1] == "payment.paid"
    for story in (whole, later):
        [transfer] = story.transfers
        assert (transfer.kind, transfer.reference, len(transfer.entries.all())) == ("payment.paid", payment, 3)
        [delivery] = story.events[-1].deliveries.all()
        assert [(one.http_status, one.delivery.endpoint.url) for one in delivery.tries.all()] == [(200, receiver.url)]
    assert (read.events, read.transfers, read.tries, read.key) == ([], [], [], None)


def test_the_key_of_an_early_refusal_is_free(api: Api, acme: Shop, key: str, request_log: ModuleType) -> None:
    refused = api.post("/payments", {}, key=key)
    request_log.flush()
    story = selectors.story(acme.sandbox, refused["RequestId"])
    assert (story.key, story.key_state, story.made, story.tries) == (None, "FREE", None, [])


def test_a_request_asks_the_database_nothing_more_for_its_log(api: Api, request_log: ModuleType, settings: Any) -> None:
    def asked(days: int) -> int:
        settings.REQUEST_LOG_DAYS = days
        with CaptureQueriesContext(connection) as queries:
            api.post("/payments", pix())
        return len(queries)

    for _ in range(2):  # the first use of the key is noted in its row, which is read once more
        asked(0)
    assert asked(0) == asked(30)
