"""Payments that become PAID in one transaction: each has its money, event and response, or none of them."""

import threading
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from datetime import datetime, timedelta
from typing import Any

import psycopg
import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext

from accounts.base import cells
from accounts.base.clock import utcnow
from accounts.base.rows import table
from accounts.base.statements import run_in_groups
from accounts.models import ApiKey, Merchant
from accounts.selectors import find_key
from accounts.services import note_permission, note_use
from gateway.api.fast_path.answering import BRIEFLY
from gateway.database.postgresql.base import keep_connection
from gateway.methods.models import PriceRule
from gateway.payments import services as payments
from gateway.payments.models import Payment
from gateway.requests.models import IdempotencyKey
from ledger.books.models import Entry, Transfer
from ledger.holds.models import Hold
from ledger.receivables.models import Receivable
from tests.support import withdrawals
from tests.support.api import Api, another_address
from tests.support.companies import Shop
from tests.support.orders import order
from tests.support.payments import a_payment, pix
from tests.support.receivables import book
from tests.support.refunds import COLOMBIAN, disputed, now, paid, withdraw_all_but
from tests.support.rsgi import Request, Sent, together
from tests.support.waiting import until
from webhooks import services as webhooks
from webhooks.models import Delivery, Event

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def known(acme: Shop, globex: Shop) -> None:
    """Both have used their keys today."""
    for shop in (acme, globex):
        note_permission(key_of(shop), "payments:write")
        note_use(key_of(shop))
        key_of(shop)


def key_of(shop: Shop) -> ApiKey:
    found = find_key(shop.sandbox_key)
    assert found
    return found


def play(shop: Shop, payment: str, outcome: str = "PAID", key: str = "") -> Sent:
    path = f"/api/v2/simulations/payments/{payment}"
    named = [("idempotency-key", key or str(uuid.uuid4()))]
    return Sent(Request(shop.sandbox_key, "POST", path, {"status": outcome}, without=("idempotency-key",), more=named))


def pending(shop: Shop, number: int, **order: Any) -> list[str]:
    return [a_payment(shop.sandbox, **order).id for _ in range(number)]


def are_whole(*ids: str) -> None:
    """Each has its transfer of three entries, one event, and one stored response that says PAID; nobody else has."""
    assert {*Payment.objects.filter(status="PAID").values_list("id", flat=True)} == {*ids}
    transfers = Transfer.objects.filter(kind="payment.paid")
    assert Counter(transfers.values_list("reference", flat=True)) == Counter(ids)
    assert Counter(Event.objects.filter(type="payment.paid").values_list("object_id", flat=True)) == Counter(ids)
    entries = Entry.objects.filter(transfer__kind="payment.paid").values_list("transfer__reference", flat=True)
    assert Counter(entries) == Counter([*ids] * 3)


@pytest.fixture(params=[False, True], ids=["one by one", "in one round trip"])
def before(request: pytest.FixtureRequest, acme: Shop) -> Iterator[list[str]]:
    """Paid before: what has run often enough on a connection is prepared, and only that goes in one round trip."""
    if not request.param:
        yield []
        return
    if not connection.in_atomic_block:
        connection.close()
        keep_connection()
    made = warm(acme)
    assert run_in_groups([[BRIEFLY]]) is not None
    yield made
    if not connection.in_atomic_block:
        connections["default"].stays_s = 0.0  # type: ignore[attr-defined]
        connection.close()


def warm(shop: Shop, rounds: int = 7) -> list[str]:
    made = pending(shop, 2 * rounds)
    for one, other in zip(made[::2], made[1::2], strict=True):
        assert together([play(shop, one), play(shop, other)]) == [True, True]
    return made


def stored(payment: str) -> list[int | None]:
    return [*IdempotencyKey.objects.filter(path__endswith=payment).values_list("status", flat=True)]


def test_one_key_for_two_payments_pays_one(acme: Shop, globex: Shop, before: list[str]) -> None:
    one, other, third = pending(acme, 3)
    [theirs] = pending(globex, 1)
    key = str(uuid.uuid4())
    sent = [
        play(acme, one, key=key),
        play(acme, other, key=key),
        play(acme, third),
        play(globex, theirs, key=key),
    ]
    assert together(sent) == [True, False, True, True]
    are_whole(*before, one, third, theirs)
    assert [stored(payment) for payment in (one, other, third, theirs)] == [[200], [], [200], [200]]

    assert sent[1].through_django().json()["onpayCode"] == "ONP409_IDEMPOTENCY_CONFLICT"
    are_whole(*before, one, third, theirs)


def test_a_key_that_was_used_keeps_no_other_from_its_money(acme: Shop, globex: Shop, before: list[str]) -> None:
    one, other, used = pending(acme, 3)
    [theirs] = pending(globex, 1)
    key = str(uuid.uuid4())
    assert together([play(acme, used, key=key)]) == [True]

    sent = [play(acme, one), play(acme, other, key=key), play(globex, theirs)]
    assert together(sent) == [True, False, True]
    are_whole(*before, used, one, theirs)

    assert sent[1].through_django().status == 409
    are_whole(*before, used, one, theirs)


def test_money_that_a_hold_waits_for_keeps_no_other_from_its_money(api: Api, acme: Shop, globex: Shop) -> None:
    earlier = paid(api, amount=1000)
    withdraw_all_but(acme, 0)
    refund = disputed(api, earlier)
    key_of(acme)
    [ours], [theirs] = pending(acme, 1), pending(globex, 1)

    sent = [play(acme, ours), play(globex, theirs)]
    assert together(sent) == [False, True]
    are_whole(earlier, theirs)

    assert sent[0].through_django().status == 200
    are_whole(earlier, theirs, ours)
    assert now(api, refund)["blockedAmount"] == 148.5


def test_statements_that_are_prepared_do_the_same(acme: Shop, globex: Shop) -> None:
    """From the sixth time on they go in one round trip."""
    webhooks.register(acme.sandbox, "https://shop.example/hooks", ["*"], None)
    ours, theirs = pending(acme, 20), pending(globex, 20)
    for number in range(10):
        some = slice(2 * number, 2 * number + 2)
        sent = [play(acme, one) for one in ours[some]] + [play(globex, one) for one in theirs[some]]
        assert together(sent) == [True] * 4
        assert [one.answer and one.answer.json()["data"]["id"] for one in sent] == ours[some] + theirs[some]

    are_whole(*ours, *theirs)
    assert book(acme.sandbox) == book(globex.sandbox)
    assert book(acme.sandbox)["AVAILABLE BRL"] == 20 * 14_850
    assert Delivery.objects.count() == 20
    assert all(stored(one) == [200] for one in ours + theirs)
    for payment in ours:
        [event] = Event.objects.filter(object_id=payment)
        assert event.merchant_id == acme.sandbox.pk
        assert event.request_id == IdempotencyKey.objects.get(path__endswith=payment).request_id


def reserve(shop: Shop) -> None:
    Merchant.objects.filter(pk=shop.sandbox.pk).update(reserve_percentage=10, reserve_days=30)


@pytest.mark.parametrize("is_known", [True, False])
def test_a_reserve_is_held_by_django(acme: Shop, globex: Shop, is_known: bool) -> None:
    """Also if it was agreed on after the request was looked at."""
    [one], [other] = pending(acme, 1), pending(globex, 1)
    early = play(acme, one)
    reserve(acme)
    if is_known:
        key_of(acme)
    sent = [play(acme, one) if is_known else early, play(globex, other)]
    assert together(sent) == [False, True]
    are_whole(other)

    assert sent[0].through_django().status == 200
    assert book(acme.sandbox)["BLOCKED BRL"] == 1485
    assert Hold.objects.get().payment_id == one


def test_what_is_released_later_is_left_to_django(acme: Shop) -> None:
    rule = PriceRule.objects.filter(merchant=None, method="PIX", currency="BRL").latest("effective_from")
    rule.pk, rule.merchant, rule.settlement_days, rule.effective_from = None, acme.sandbox, 2, utcnow()
    rule.save(force_insert=True)
    [one] = pending(acme, 1)
    sent = play(acme, one)
    assert together([sent]) == [False]
    are_whole()

    assert sent.through_django().status == 200
    assert book(acme.sandbox)["RELEASING BRL"] == 14_850
    assert Receivable.objects.get().payment_id == one


def test_who_has_expired_is_not_paid(acme: Shop) -> None:
    """By the merchant's own clock, which may have been moved."""
    one, other = pending(acme, 2)
    Payment.objects.filter(pk=one).update(expires_at=utcnow())
    sent = [play(acme, one), play(acme, other)]
    assert together(sent) == [False, True]
    assert sent[0].through_django().json()["onpayCode"] == "ONP409_PAYMENT_STATE"
    are_whole(other)

    [later] = pending(acme, 1)
    Merchant.objects.filter(pk=acme.sandbox.pk).update(clock_offset=timedelta(days=40))
    key_of(acme)
    sent = [play(acme, later)]
    assert together(sent) == [False]
    assert sent[0].through_django().json()["onpayCode"] == "ONP409_PAYMENT_STATE"
    are_whole(other)


def test_it_is_paid_by_the_merchants_clock(acme: Shop) -> None:
    Merchant.objects.filter(pk=acme.sandbox.pk).update(clock_offset=timedelta(days=40))
    acme.sandbox.refresh_from_db()
    key_of(acme)
    [one] = pending(acme, 1)
    assert together([play(acme, one)]) == [True]

    paid = Payment.objects.get(pk=one)
    assert paid.paid_at
    assert paid.paid_at > utcnow() + timedelta(days=39)
    assert Transfer.objects.get().posted_at == paid.paid_at == Event.objects.get().occurred_at
    are_whole(one)


def test_chaos_that_has_begun_since_is_left_to_django(acme: Shop) -> None:
    [one] = pending(acme, 1)
    sent = play(acme, one)
    Merchant.objects.filter(pk=acme.sandbox.pk).update(disturbed_until=utcnow() + timedelta(hours=1))
    assert together([sent]) == [False]
    are_whole()


def test_in_production_nothing_is_locked(acme: Shop) -> None:
    [one] = pending(acme, 1)
    for _ in range(2):
        found = find_key(acme.production_key)
        assert found
        note_use(found)
        note_permission(found, "payments:write")
    sent = Sent(Request(acme.production_key, "POST", f"/api/v2/simulations/payments/{one}", {"status": "PAID"}))
    assert sent.call
    with CaptureQueriesContext(connection) as ran:
        assert together([sent]) == [False]
    assert not [query for query in ran.captured_queries if "FOR NO KEY UPDATE" in query["sql"]]

    assert sent.through_django().json()["onpayCode"] == "ONP403_SANDBOX_ONLY"
    are_whole()


def test_methods_of_two_wallets_are_paid_to_the_cent(acme: Shop, api: Api) -> None:
    """One batch of PIX, a due date, and SPEI."""
    mexican = {"name": "Ana Cruz", "taxId": "GODE561231GR8"}
    due = (utcnow() + timedelta(days=3)).date().isoformat()
    orders = [
        pix(amount=0.77), pix(amount=99_999.99), pix(amount=33.33, dueDate=due),
        pix(method="SPEI", amount=150.01, currency="MXN", payer=mexican),
    ]  # fmt: skip
    fast, django = [[api.post("/payments", order | {"reference": f"{way}-{n}"}).json()["data"]["id"]
                     for n, order in enumerate(orders)] for way in "ab"]  # fmt: skip
    start = book(acme.sandbox)
    assert together([play(acme, one) for one in fast]) == [True] * 4
    middle = book(acme.sandbox)
    for one in django:
        assert play(acme, one).through_django().status == 200
    end = book(acme.sandbox)

    assert {name: middle[name] - start.get(name, 0) for name in middle} == {n: end[n] - middle[n] for n in end}


@pytest.mark.parametrize("is_watched", [False, True])
@pytest.mark.parametrize("method", ["PIX", "BOLETO", "SPEI", "BANK_TRANSFER", "MB_WAY", "PSE", "NEQUI", "BRE_B"])
def test_every_method_is_paid_as_django_does(acme: Shop, api: Api, method: str, is_watched: bool) -> None:
    """Also while somebody watches the statements."""
    members = COLOMBIAN if method in ("PSE", "NEQUI", "BRE_B") else {}
    one, other = (api.post("/payments", order(method, **members)).json()["data"]["id"] for _ in range(2))
    empty = book(acme.sandbox)
    with CaptureQueriesContext(connection) if is_watched else nullcontext():
        assert together([play(acme, one)]) == [True]
    first = book(acme.sandbox)
    assert play(acme, other).through_django().status == 200
    second = book(acme.sandbox)

    assert {name: first[name] - empty.get(name, 0) for name in first} == {
        name: second[name] - first[name] for name in second
    }
    assert left_by(one) == left_by(other)


OWN = {
    "id", "object_id", "sequence", "xid", "body", "reference", "rail_reference", "details", "path", "key",
    "fingerprint", "members", "sealed_body", "request_id", "customer_id",
}  # fmt: skip


def left_by(payment: str) -> list[dict[str, Any]]:
    """The rows of the payment and its last event and response, but for what no two have alike."""
    rows = [
        Payment.objects.filter(pk=payment).values().get(),
        Event.objects.filter(object_id=payment).order_by("-sequence").values()[0],
        IdempotencyKey.objects.filter(path__endswith=payment).values().get(),
    ]
    return [
        {name: type(value) if isinstance(value, datetime) else value for name, value in row.items() if name not in OWN}
        for row in rows
    ]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("what", ["PERFORM pg_terminate_backend(pg_backend_pid())", "RAISE EXCEPTION 'no'"])
def test_what_fails_at_the_commit_is_not_done(acme: Shop, before: list[str], what: str) -> None:
    """The connection is lost, or a constraint is checked then."""
    made = pending(acme, 3)
    sent = [play(acme, one) for one in made]
    with psycopg.connect(**connection.get_connection_params(), autocommit=True) as owner:  # type: ignore[arg-type]
        owner.execute(f"""
            CREATE FUNCTION public.fails() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {what}; RETURN NULL; END $$;
            CREATE CONSTRAINT TRIGGER fails AFTER INSERT ON {cells.current() or "public"}.gateway_idempotencykey
                DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.fails()
        """)
        try:
            assert together(sent) == [False] * 3
        finally:
            owner.execute("DROP FUNCTION public.fails CASCADE")
    are_whole(*before)

    assert answered([play(acme, one) for one in made]) == [200] * 3
    are_whole(*before, *made)


# ── At the same moment ────────────────────────────────────────────────────────────────────────────────────────────
def at_once(*works: Callable[[], Any], shop: Shop) -> tuple[list[Any], list[str]]:
    """What they return, and what each thread has paid before on the connection that it keeps."""
    warmed = [pending(shop, 14) for _ in works]
    start = threading.Barrier(len(works), timeout=20)

    def one(work: Callable[[], Any], own: list[str]) -> Any:
        keep_connection()
        try:
            for payment, other in zip(own[::2], own[1::2], strict=True):
                answered([play(shop, payment), play(shop, other)])
            start.wait()
            return work()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(works)) as threads:
        return list(threads.map(one, works, warmed)), [payment for own in warmed for payment in own]


def answered(sent: Sequence[Sent]) -> list[int]:
    """By the fast path, or else by Django."""
    together(sent)
    return [(one.answer or one.through_django()).status for one in sent]


@pytest.mark.django_db(transaction=True)
def test_a_key_that_is_used_costs_others_no_prepared_statement(acme: Shop) -> None:
    """Whoever sends it again and again would make everybody's statements run one by one."""
    used, other = pending(acme, 2)
    key = str(uuid.uuid4())

    def conflict() -> bool:
        assert run_in_groups([[BRIEFLY]]) is not None, "it is not prepared"
        assert together([play(acme, used, key=key)]) == [True]
        assert together([play(acme, other, key=key)]) == [False]
        return run_in_groups([[BRIEFLY]]) is not None

    assert at_once(conflict, shop=acme)[0] == [True]


@pytest.mark.django_db(transaction=True)
def test_two_batches_and_django_pay_each_once(acme: Shop) -> None:
    made = pending(acme, 8)
    batches = [[play(acme, one) for one in order] for order in (made, made[::-1], made[4:] + made[:4])]
    alone = [play(acme, one) for one in made]
    told, others = at_once(
        *(lambda batch=batch: answered(batch) for batch in batches),
        lambda: [one.through_django().status for one in alone],
        shop=acme,
    )

    assert Counter(status for some in told for status in some) == {200: 8, 409: 24}
    are_whole(*made, *others)
    assert all(Counter(stored(one))[200] == 1 for one in made)


@pytest.mark.django_db(transaction=True)
def test_the_same_request_twice_at_once_is_done_once(acme: Shop) -> None:
    made = pending(acme, 6)
    keys = [str(uuid.uuid4()) for _ in made]

    def sent() -> list[Sent]:
        return [play(acme, one, key=key) for one, key in zip(made, keys, strict=True)]

    batches = [sent(), sent(), sent()]
    alone = sent()
    told, others = at_once(
        *(lambda batch=batch: answered(batch) for batch in batches),
        lambda: [one.through_django().status for one in alone],
        shop=acme,
    )

    assert Counter(status for some in told for status in some) == {200: 24}
    assert len({one.answer and one.answer.body for some in [*batches, alone] for one in some}) == 6
    are_whole(*made, *others)


@pytest.mark.django_db(transaction=True)
def test_the_time_for_a_lock_is_the_usual_one_afterwards(acme: Shop, before: list[str]) -> None:
    def time_for_a_lock() -> str:
        with connection.cursor() as cursor:
            cursor.execute("SHOW lock_timeout")
            return str(cursor.fetchone()[0])

    usual = time_for_a_lock()
    one, other = pending(acme, 2)
    assert together([play(acme, one)]) == [True]
    assert time_for_a_lock() == usual != "100ms"

    key = str(uuid.uuid4())
    assert together([play(acme, other, key=key), play(acme, one, key=key)]) == [True, False]
    assert time_for_a_lock() == usual
    third, fourth = pending(acme, 2)
    assert together([play(acme, third, key=key), play(acme, fourth)]) == [False, True]
    assert time_for_a_lock() == usual
    assert connection.get_autocommit()
    are_whole(*before, one, other, fourth)


@pytest.mark.django_db(transaction=True)
def test_behind_a_wallet_that_is_locked_nothing_is_half_done(acme: Shop, before: list[str]) -> None:
    made = pending(acme, 4)
    assert together([play(acme, made[0])]) == [True]
    sent = [play(acme, one) for one in made[1:]]
    with psycopg.connect(**connection.get_connection_params()) as locker:  # type: ignore[arg-type]
        locker.execute(f"SELECT FROM {cells.current() or 'public'}.ledger_balance FOR UPDATE")
        assert together(sent) == [False] * 3
        are_whole(*before, made[0])
        assert all(stored(one) == [] for one in made[1:])
    assert answered(sent) == [200] * 3
    are_whole(*before, *made)


@pytest.mark.django_db(transaction=True)
def test_expired_or_paid_at_the_same_moment_it_is_one_of_them(acme: Shop) -> None:
    made = pending(acme, 6)
    batch = [play(acme, one) for one in made]

    def expire() -> list[str]:
        found = []
        for one in made[::-1]:
            try:
                found.append(payments.simulate(acme.sandbox, one, "EXPIRED").status)
            except payments.PaymentState:
                found.append("")
        return found

    (told, expired), others = at_once(lambda: answered(batch), expire, shop=acme)

    paid = [one for one, status in zip(made, told, strict=True) if status == 200]
    gone = [one for one, status in zip(made[::-1], expired, strict=True) if status]
    assert sorted(paid + gone) == sorted(made)
    are_whole(*paid, *others)
    assert {*Event.objects.filter(type="payment.expired").values_list("object_id", flat=True)} == {*gone}
    assert Event.objects.count() == len(made) + len(others)


@pytest.mark.django_db(transaction=True)
def test_money_goes_out_and_comes_in_at_the_same_moment(acme: Shop, globex: Shop) -> None:
    """Batches of two companies, refunds and withdrawals, which lock the same wallets."""
    api, here = {}, another_address()
    for shop in (acme, globex):
        withdrawals.register(shop, here)
        api[shop.sandbox_key] = Api(shop.sandbox_key, here)
        key_of(shop)
    earlier = {shop.sandbox_key: warm(shop, 3) for shop in (acme, globex)}
    made = [payment for pair in zip(pending(acme, 16), pending(globex, 16), strict=True) for payment in pair]
    owner = dict(Payment.objects.values_list("id", "merchant_id"))
    shops = {shop.sandbox.pk: shop for shop in (acme, globex)}
    batches = [[play(shops[owner[one]], one) for one in made[n::4]] for n in range(4)]

    def give_back() -> list[int]:
        return [
            api[key].post(f"/payments/{payment}/refunds", {"amount": 1}).status_code
            for key, paid in earlier.items()
            for payment in paid
        ]

    def withdraw() -> list[int]:
        return [withdrawals.ask(api[shop.sandbox_key], shop).status_code for _ in range(3) for shop in (acme, globex)]

    (*told, refunds, sent_out), others = at_once(
        *(lambda batch=batch: answered(batch) for batch in batches), give_back, withdraw, shop=acme
    )

    assert told == [[200] * 8] * 4
    assert refunds == [201] * 12
    assert sent_out == [201] * 6
    are_whole(*made, *others, *(one for paid in earlier.values() for one in paid))


@pytest.mark.django_db(transaction=True)
def test_events_of_one_transaction_are_followed_one_after_the_other(acme: Shop, api: Api) -> None:
    paid = warm(acme)
    made = pending(acme, 5)
    assert together([play(acme, one) for one in made]) == [True] * 5

    beginning = after = "evt_" + "0" * 26
    until(lambda: len(api.get("/events", pageSize=100, after=beginning).json()["data"]) == 19)  # others have ended
    seen: list[str] = []
    while page := api.get("/events", pageSize=2, after=after).json()["data"]:
        seen += [event["objectId"] for event in page]
        after = page[-1]["id"]
    assert seen == [*sorted(paid), *sorted(made)]
    with connection.cursor() as cursor:  # what others have written meanwhile may raise the xid of an event, not this
        cursor.execute(f"SELECT DISTINCT xmin::text FROM {table(Event)} WHERE object_id = ANY(%s)", [made])
        assert len(cursor.fetchall()) == 1
