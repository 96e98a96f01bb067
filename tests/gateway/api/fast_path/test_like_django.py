"""The fast path answers as Django does, or not at all."""

import re
import time
import uuid
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

import psycopg
import pytest
from django.conf import settings as configured
from django.db import connection
from pytest_django import Settings
from structlog.testing import capture_logs

from accounts.base import cells, tracing
from accounts.base.clock import utcnow
from accounts.models import ApiKey, Company, Merchant
from accounts.selectors import find_key
from accounts.services import note_permission, note_use, revoke_key
from gateway.customers.models import Customer
from gateway.methods.models import MethodRule
from gateway.payments.models import Payment
from gateway.requests import log
from gateway.requests.models import ApiRequest, IdempotencyKey
from ledger.books.models import Entry, Transfer
from tests.support.api import Api, another_address
from tests.support.companies import Shop
from tests.support.payments import pix
from tests.support.refunds import disputed, now, paid, withdraw_all_but
from tests.support.rsgi import Answer, Request, Sent, together
from webhooks import services as webhooks
from webhooks.models import Delivery, Event

pytestmark = pytest.mark.django_db
OWN = re.compile(
    r"[0-9A-HJKMNP-TV-Z]{26}|\d{4}-\d\d-\d\dT[\d:.]+Z|base64,[\w+/=]+|\[[\d,]+ characters]|6304[0-9A-F]{4}"
    r'|E\d{20}\w{11}|"sequence":\d+|"(?:reference|clabe|paymentReference)":"[^"]*"'
)
"""What differs between any two payments: ids, times, and codes that contain them."""


@pytest.fixture(autouse=True)
def known(acme: Shop, globex: Shop) -> None:
    """Both have used their keys today."""
    for shop in (acme, globex):
        for permission in ("payments:write", "transactions:read"):
            note_permission(key_of(shop), permission)
        note_use(key_of(shop))
        key_of(shop)


def key_of(shop: Shop) -> ApiKey:
    found = find_key(shop.sandbox_key)
    assert found
    return found


def create(shop: Shop, body: Any = None, **options: Any) -> Sent:
    return Sent(Request(shop.sandbox_key, "POST", body=pix() if body is None else body, **options))


def get(shop: Shop, payment: str, path: str = "payments", **options: Any) -> Sent:
    return Sent(Request(shop.sandbox_key, "GET", f"/api/v2/{path}/{payment}", **options))


def created(shop: Shop, **order: Any) -> str:
    sent = create(shop, pix(**order))
    assert together([sent]) == [True]
    return str(data(sent)["id"])


def data(sent: Sent) -> dict[str, Any]:
    assert sent.answer
    found: dict[str, Any] = sent.answer.json()["data"]
    return found


def rows() -> tuple[int, int, int]:
    return Payment.objects.count(), Customer.objects.count(), IdempotencyKey.objects.count()


def alike(answer: Answer) -> tuple[int, dict[str, str], str]:
    headers = {name: re.sub(r"[rt]=\d+", "", OWN.sub("", value)) for name, value in answer.headers.items()}
    assert headers.pop("content-length") == str(len(answer.body))
    return answer.status, headers, OWN.sub("", answer.body.decode())


SPEI = {"method": "SPEI", "amount": 150, "currency": "MXN", "payer": {"name": "Ana Cruz", "taxId": "GODE561231GR8"}}
WHOLE = {
    "name": "Maria Silva", "taxId": "52998224725", "email": "maria@example.com", "phone": "+5511999998888",
    "address": {"street": "Rua A", "number": "1", "district": "Centro", "city": "São Paulo", "state": "SP",
                "postalCode": "01001000"},
}  # fmt: skip
ORDERS: dict[str, dict[str, Any]] = {
    "PIX": {},
    "SPEI": SPEI,
    "expiresIn": {"expiresIn": 600},
    "dueDate": {"dueDate": (utcnow() + timedelta(days=3)).date().isoformat()},
    "whole payer": {"payer": WHOLE},
}


# ── The same ──────────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("name", ORDERS)
def test_a_payment_is_created_alike(acme: Shop, name: str) -> None:
    fast, django = (create(acme, pix(**ORDERS[name])) for _ in range(2))
    assert together([fast]) == [True]

    assert fast.answer
    assert alike(fast.answer) == alike(django.through_django())
    assert (fast.answer.status, Payment.objects.count()) == (201, 2)
    assert Payment.objects.values("customer").distinct().count() == 1


@pytest.mark.parametrize("path", ["payments", "transactions"])
def test_a_payment_is_read_alike(acme: Shop, path: str) -> None:
    payment = created(acme)
    fast, django = (get(acme, payment, path) for _ in range(2))
    assert together([fast]) == [True]

    assert fast.answer
    assert alike(fast.answer) == alike(django.through_django())
    assert fast.answer.body == (django.answer and django.answer.body)


@pytest.mark.django_db(transaction=True)
def test_logs_say_the_same(acme: Shop, request_log: Any) -> None:
    payment = created(acme)
    here: dict[str, Any] = {"address": another_address()}
    sent = [*(create(acme, **here) for _ in range(2)), *(get(acme, payment, **here) for _ in range(2))]
    with capture_logs() as fast:
        assert together(sent[::2]) == [True, True]
    with capture_logs() as django:
        for one in sent[1::2]:
            one.through_django()
    assert log.flush()

    told = [[(line["event"], line["method"], line["path"], line["status"], line["code"], line["merchant"]) for line in
             lines if line["event"] == "request"] for lines in (fast, django)]  # fmt: skip
    assert {*told[0]} == {*told[1]}
    assert len(told[0]) == 2

    own = {"id", "created_at", "elapsed_ms", "idempotency_key", "objects_named"}
    kept = {row["id"]: row for row in ApiRequest.objects.values()}
    pairs = [[kept[one.client.request_id] for one in pair] for pair in (sent[:2], sent[2:])]
    for one, other in pairs:
        assert {k: OWN.sub("", str(v)) for k, v in one.items() if k not in own} == {
            k: OWN.sub("", str(v)) for k, v in other.items() if k not in own
        }
        assert [id[:4] for id in one["objects_named"]] == [id[:4] for id in other["objects_named"]]
        assert one["idempotency_key"] is None or one["idempotency_key"] != other["idempotency_key"]


def test_the_same_request_again_is_the_same_answer_replayed(acme: Shop) -> None:
    key, order = str(uuid.uuid4()), pix()
    same: dict[str, Any] = {"without": ("idempotency-key",), "more": [("idempotency-key", key)]}
    first, again = create(acme, order, **same), create(acme, order, **same)
    assert together([first, again]) == [True, False]

    replayed = again.through_django()
    assert first.answer
    assert (replayed.status, replayed.body) == (201, first.answer.body)
    assert replayed.headers["idempotent-replayed"] == "true"
    assert Payment.objects.count() == 1


# ── Paid ──────────────────────────────────────────────────────────────────────────────────────────────────────────
def play(shop: Shop, payment: str, outcome: str = "PAID", **options: Any) -> Sent:
    path = f"/api/v2/simulations/payments/{payment}"
    return Sent(Request(shop.sandbox_key, "POST", path, {"status": outcome}, **options))


def written(payment: str) -> list[Any]:
    """What a paid payment has left, but for what is its own."""
    found = Payment.objects.filter(pk=payment).values().get()
    key = IdempotencyKey.objects.filter(path__endswith=payment).values().get()
    event = Event.objects.filter(object_id=payment, type="payment.paid").values().get()
    deliveries = Delivery.objects.filter(event=event["id"]).values("status", "attempts", "endpoint_id")
    entries = Entry.objects.filter(transfer__reference=payment).values_list("account_id", "amount", "currency")
    own = {"id", "object_id", "sequence", "xid", "body", "reference", "rail_reference", "details", "path"} | {
        "key", "fingerprint", "members", "sealed_body", "request_id"}  # fmt: skip
    rows = [
        {name: type(value) if isinstance(value, datetime) else value for name, value in row.items() if name not in own}
        for row in (found, key, event)
    ]
    return [*rows, *deliveries, sorted(entries), OWN.sub("", bytes(event["body"]).decode())]


def test_a_payment_is_paid_alike(acme: Shop) -> None:
    webhooks.register(acme.sandbox, "https://shop.example/hooks", ["payment.paid"], None)
    one, other = created(acme), created(acme)
    fast, django = play(acme, one), play(acme, other)
    assert together([fast]) == [True]

    assert fast.answer
    assert fast.answer.json()["data"]["status"] == "PAID"
    assert alike(fast.answer) == alike(django.through_django())
    ids = re.compile(f"{one}|{other}")
    assert [ids.sub("", str(row)) for row in written(one)] == [ids.sub("", str(row)) for row in written(other)]
    assert len(written(one)) == 6


def test_of_several_each_is_paid_once_and_what_cannot_be_is_left(acme: Shop, globex: Shop) -> None:
    ours, theirs = [created(acme) for _ in range(5)], created(globex)
    together([play(acme, ours[4])])
    sent = [
        play(acme, ours[0]),
        play(globex, theirs),
        play(acme, theirs),  # acme cannot pay globex's
        play(acme, ours[0]),  # nor the same one twice
        play(acme, ours[1], "FAILED"),
        play(acme, ours[4]),
        play(acme, ours[2]),
        create(acme),
        get(acme, ours[3]),
    ]
    assert together(sent) == [True, True, False, False, False, False, True, True, True]

    paid = set(Payment.objects.filter(status="PAID").values_list("id", flat=True))
    assert paid == {ours[0], ours[2], ours[4], theirs}
    assert Transfer.objects.filter(kind="payment.paid").count() == 4
    assert Event.objects.filter(type="payment.paid").count() == 4
    answers = [sent[n].through_django().json() for n in (2, 3, 4, 5)]
    assert [answer["onpayCode"] for answer in answers] == [
        "ONP404_PAYMENT", "ONP409_PAYMENT_STATE", "ONP200", "ONP409_PAYMENT_STATE",
    ]  # fmt: skip
    assert Payment.objects.get(pk=ours[1]).status == "FAILED"
    assert Transfer.objects.filter(kind="payment.paid").count() == 4


def test_paid_again_with_its_key_it_is_replayed(acme: Shop) -> None:
    key = {"without": ("idempotency-key",), "more": [("idempotency-key", str(uuid.uuid4()))]}
    payment = created(acme)
    first, again = (play(acme, payment, **key) for _ in range(2))
    assert (together([first]), together([again])) == ([True], [False])

    replayed = again.through_django()
    assert first.answer
    assert (replayed.body, replayed.headers["idempotent-replayed"]) == (first.answer.body, "true")
    assert Transfer.objects.filter(kind="payment.paid").count() == 1


def test_money_that_a_payer_waits_for_goes_the_long_way(api: Api, acme: Shop) -> None:
    """The payer's hold takes it, in the same transaction."""
    earlier = paid(api, amount=1000)
    withdraw_all_but(acme, 0)
    refund = disputed(api, earlier)
    key_of(acme)
    payment = created(acme, amount=200)

    sent = play(acme, payment)
    assert together([sent]) == [False]
    assert Payment.objects.get(pk=payment).status == "PENDING"
    assert not Transfer.objects.filter(reference=payment).exists()
    assert not Event.objects.filter(object_id=payment, type="payment.paid").exists()

    assert sent.through_django().json()["data"]["status"] == "PAID"
    assert Transfer.objects.filter(kind="refund.filled").count() == 1
    assert now(api, refund)["blockedAmount"] == 198.01


@pytest.mark.django_db(transaction=True)
def test_behind_a_lock_it_goes_the_long_way(acme: Shop) -> None:
    one, other = created(acme), created(acme)
    with psycopg.connect(**connection.get_connection_params()) as locker:  # type: ignore[arg-type]
        locker.execute(f"SELECT FROM {cells.current() or 'public'}.gateway_payment WHERE id = %s FOR UPDATE", [one])
        sent = [play(acme, one), play(acme, other)]
        began = time.monotonic()
        assert together(sent) == [False, False]
        assert time.monotonic() - began < 2
        assert not Payment.objects.filter(status="PAID").exists()

    assert [one.through_django().status for one in sent] == [200, 200]
    assert Transfer.objects.filter(kind="payment.paid").count() == 2


# ── Several at a time ─────────────────────────────────────────────────────────────────────────────────────────────
def test_each_of_several_is_answered_for_itself(acme: Shop, globex: Shop) -> None:
    theirs, ours = created(globex), created(acme, reference="taken")
    before = rows()
    sent = [
        create(acme, pix(reference="first")),
        get(globex, theirs),
        get(globex, ours),  # globex never sees a thing of acme's
        create(globex, pix(reference="first")),
        create(acme, pix(reference="taken")),
        create(acme, pix(amount=-1)),
        create(acme, b'{"method":'),
        get(acme, ours),
        get(acme, "pay_" + "0" * 26),
    ]
    assert together(sent) == [True, True, False, True, False, False, False, True, False]

    assert [data(sent[n])["id"] for n in (1, 7)] == [theirs, ours]
    for number, shop in ((0, acme), (3, globex)):
        made = Payment.objects.get(pk=data(sent[number])["id"])
        assert (made.merchant, made.reference) == (shop.sandbox, "first")
    assert rows() == (before[0] + 2, before[1], before[2] + 2)  # both customers were known
    codes = [sent[n].through_django().json()["onpayCode"] for n in (2, 4, 5, 6, 8)]
    assert codes == [
        "ONP404_PAYMENT", "ONP409_DUPLICATE_REFERENCE", "ONP400_AMOUNT", "ONP400_MALFORMED_JSON",
        "ONP404_PAYMENT",
    ]  # fmt: skip
    assert Payment.objects.count() == before[0] + 2


# ── Declined ──────────────────────────────────────────────────────────────────────────────────────────────────────
def header(name: str, value: str) -> dict[str, Any]:
    return {"without": (name,), "more": [(name, value)]}


@pytest.mark.parametrize(
    ("unusual", "code"),
    [
        ({"query_string": "dryRun=true"}, "ONP400_VALIDATION"),
        (header("content-type", "text/plain"), "ONP415"),
        (header("accept", "text/html"), "ONP406"),
        (header("host", "elsewhere.example"), "ONP400_VALIDATION"),
        (header("content-encoding", "gzip"), "ONP415"),
        (header("idempotency-key", "one"), "ONP400_IDEMPOTENCY_KEY_INVALID"),
        ({"without": ("idempotency-key",)}, "ONP400_IDEMPOTENCY_KEY_MISSING"),
        ({"without": ("x-api-key",)}, "ONP401"),
        (header("x-api-key", "onp_test_unknown"), "ONP401"),
        ({"more": [("x-api-key", "onp_test_another")]}, "ONP401"),
        ({"path": "/api/v2/payments/"}, "ONP404"),
        ({"method": "DELETE"}, "ONP405"),
        ({"body": pix(reference="4242424242424242")}, "ONP400_CARD_DATA"),
        ({"body": pix(payer={"name": "Maria"})}, "ONP400_PAYER"),
        ({"body": pix(amount=0.01)}, "ONP422_PIX_AMOUNT_TOO_SMALL"),
        ({"body": b"{" + b" " * 300_000 + b"}"}, "ONP413"),
    ],
)
def test_what_is_refused_is_refused_by_django(acme: Shop, unusual: dict[str, Any], code: str) -> None:
    sent = Sent(Request(**({"key": acme.sandbox_key, "method": "POST", "body": pix()} | unusual)))
    assert together([sent]) == [False]
    assert rows() == (0, 0, 0)

    assert sent.through_django().json()["onpayCode"] == code
    assert Payment.objects.count() == 0


def suspended(shop: Shop) -> None:
    Company.objects.filter(pk=shop.company.pk).update(status="SUSPENDED")


def without_permission(shop: Shop) -> None:
    ApiKey.objects.filter(pk=key_of(shop).pk).update(permissions=["balances:read"])


def expired(shop: Shop) -> None:
    ApiKey.objects.filter(pk=key_of(shop).pk).update(expires_at=utcnow())


def without_the_method(shop: Shop) -> None:
    rule = MethodRule.objects.get(merchant=None, method="PIX", environment="SANDBOX")
    rule.pk, rule.merchant, rule.enabled = None, shop.sandbox, False
    rule.save()


CHANGES: list[tuple[Callable[[Shop], Any], str]] = [
    (lambda shop: revoke_key(key_of(shop)), "ONP401"),
    (expired, "ONP401"),
    (without_permission, "ONP403"),
    (suspended, "ONP403_COMPANY_STATUS"),
    (without_the_method, "ONP403_METHOD_NOT_ENABLED"),
]


@pytest.mark.parametrize(("change", "code"), CHANGES, ids=[code for _, code in CHANGES])
@pytest.mark.parametrize("is_late", [False, True])
def test_what_has_changed_since_counts_at_once(
    acme: Shop, globex: Shop, change: Callable[[Shop], Any], code: str, *, is_late: bool
) -> None:
    """Before the request, or after it was looked at and before it is answered; another one goes on."""
    early = create(acme) if is_late else None
    change(acme)
    sent, other = early or create(acme), create(globex)
    assert together([sent, other]) == [False, True]

    assert sent.through_django().json()["onpayCode"] == code
    assert not Payment.objects.filter(merchant=acme.sandbox).exists()


def test_who_was_not_known_yet_is_known_the_next_time(acme: Shop) -> None:
    """What is to be recorded about the use of a key is for Django."""
    ApiKey.objects.filter(pk=key_of(acme).pk).update(last_used_at=utcnow() - timedelta(minutes=2), permissions_used={})
    took = []
    for _ in range(3):
        sent = create(acme)
        took += together([sent])
        if not sent.answer:
            sent.through_django()
    key_of(acme)
    sent = create(acme)
    assert took[0] is False
    assert together([sent]) == [True]
    assert ApiKey.objects.get(pk=key_of(acme).pk).permissions_used == {"payments:write": utcnow().date().isoformat()}


@pytest.mark.parametrize(
    "told",
    [
        {"disturbed_until": utcnow() + timedelta(hours=1)},
        {"moving_since": utcnow()},
    ],
)
def test_of_some_merchants_all_goes_through_django(acme: Shop, told: dict[str, Any]) -> None:
    """In a run of chaos mode, and while they move to another cell."""
    Merchant.objects.filter(pk=acme.sandbox.pk).update(**told)
    key_of(acme)
    sent = create(acme)
    assert (sent.call, together([sent])) == (None, [False])


@pytest.fixture
def traces() -> Iterator[None]:
    tracing.trace_by(object())
    yield
    tracing.trace_by(None)


def test_with_traces_all_goes_through_django(acme: Shop, traces: None) -> None:
    assert create(acme).call is None


def test_over_plain_http_it_is_redirected_where_tls_is_required(acme: Shop, settings: Settings) -> None:
    settings.SECURE_SSL_REDIRECT = True
    assert create(acme).call is None

    settings.TRUSTED_PROXIES = ["10.9.8.7/32"]
    through_the_proxy = [("x-forwarded-proto", "https"), (configured.CLIENT_ADDRESS_HEADER.lower(), another_address())]
    assert together([create(acme, address="10.9.8.7", more=through_the_proxy)]) == [True]
    assert create(acme, address="10.9.8.7", more=[("x-forwarded-proto", "http")]).call is None
    assert create(acme, more=through_the_proxy).call is None


# ── Limits ────────────────────────────────────────────────────────────────────────────────────────────────────────
def left(answer: Answer) -> dict[str, int]:
    return {name: int(r) for name, r in re.findall(r'"(\w+)";r=(\d+)', answer.headers["ratelimit"])}


def test_a_call_counts_once_whoever_answers_it(acme: Shop) -> None:
    address = another_address()
    created(acme)  # the customer, which several new payments would have to agree on
    sent = [create(acme, address=address) for _ in range(3)] + [create(acme, pix(amount=-1), address=address)]
    assert together(sent) == [True, True, True, False]

    told = [left(one.answer or one.through_django()) for one in sent]
    assert told == [{"payments": 200 - n, "all": 1000 - n} for n in range(1, 5)]


def test_a_full_window_is_refused_and_counts_nothing(acme: Shop, settings: Settings) -> None:
    settings.RATE_LIMITS = settings.RATE_LIMITS | {"payments": 2}
    address = another_address()
    created(acme)
    sent = [create(acme, address=address) for _ in range(3)]
    assert together(sent) == [True, True, False]

    refused = sent[2].through_django()
    assert (refused.status, refused.json()["onpayCode"]) == (429, "ONP429")
    assert left(refused) == {"payments": 0, "all": 997}
    assert Payment.objects.count() == 3
