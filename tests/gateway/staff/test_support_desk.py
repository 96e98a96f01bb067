"""Support helps without a dead end: a payment that waits, events that did not arrive, tasks that must stop."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import Group
from django.test import Client
from django_celery_beat.models import PeriodicTask

from accounts.base.clock import utcnow
from accounts.models import AuditEntry, Email, User
from gateway.methods.rail import PaymentOutcome, PaymentResult
from gateway.payments.models import Payment
from gateway.receipts.verification import link
from gateway.staff.kit.columns import address
from ledger.models import Transfer
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.people import PASSWORD, browser_of
from tests.support.production import PIX, api_of, live
from tests.support.scripted_provider import rewritten
from tests.support.staff import World, do
from tests.support.threads import at_once
from webhooks.models import Delivery, Endpoint

NOTE = {"note": "The shop asked us, case 17"}


def person(role: str) -> Client:
    user = User.objects.create_user(f"{role.lower()}@onpay.example", PASSWORD, is_staff=True)
    user.groups.add(Group.objects.get(name=role))
    return browser_of(user)


def an_endpoint(shop: Shop) -> Endpoint:
    return Endpoint.objects.create(
        merchant=shop.sandbox, url="https://shop.example/hook", events=["payment.paid"], sealed_secret=b""
    )


def test_the_customer_paid_and_the_order_is_pending(acme: Shop, db: None) -> None:
    """Only the amount and the day are known; one search, one click, and the events are sent again."""
    endpoint, support = an_endpoint(acme), person("Support")
    payment = a_payment(acme.sandbox, "PAID", amount="475.88")
    Delivery.objects.update(status="FAILED", next_attempt_at=None, http_status=500)
    found = support.get("/admin/search/", {"s": f"475,88 {utcnow():%d/%m/%Y}", "extended": 1}).content.decode()
    assert f"/admin/gateway/payment/{payment.pk}/change/" in found
    page = support.get(address(Payment, "change", payment.pk)).content.decode()
    for said in ("475.88 BRL", "Sandbox", "It is paid, but not every endpoint was told", "HTTP 500", "given up"):
        assert said in page
    assert f'href="{link(payment)}"' in page
    quoted = support.get(f"/admin/gateway/payment/{payment.pk.replace('_', '_5F')}/change/")
    assert quoted["Location"] == f"/admin/gateway/payment/{payment.pk}/change/"

    assert support.post(do(payment, "resend"), {"note": ""}).status_code == 200
    told = support.post(do(payment, "resend"), NOTE, follow=True).content.decode()
    assert "Queued deliveries: 1." in told
    again = Delivery.objects.get(status="PENDING")
    assert (again.endpoint, again.asked_for, again.event.object_id) == (endpoint, True, payment.pk)
    entry = AuditEntry.objects.get(action="webhook.redelivered")
    assert (entry.object_id, entry.by_staff, entry.note, entry.company) == (
        payment.pk, True, NOTE["note"], acme.company,
    )  # fmt: skip
    for record in (payment, Delivery.objects.get(status="FAILED")):
        assert "Nothing was sent" in support.post(do(record, "resend"), NOTE, follow=True).content.decode()
    assert Delivery.objects.count() == 2


def test_an_endpoint_is_switched_on_and_its_events_are_replayed_after_a_count(acme: Shop, db: None) -> None:
    endpoint, support = an_endpoint(acme), person("Support")
    a_payment(acme.sandbox, "PAID")
    Delivery.objects.update(status="FAILED", next_attempt_at=None)
    Endpoint.objects.update(status="DISABLED", disabled_reason="FAILURES", failures=99)
    wanted = NOTE | {"created_from_0": f"{utcnow() - timedelta(days=1):%Y-%m-%d}", "created_from_1": "00:00"}
    assert "disabled" in support.post(do(endpoint, "replay"), wanted | {"counted": "1"}, follow=True).content.decode()
    assert Delivery.objects.count() == 1

    support.post(do(endpoint, "switch_on"), NOTE)
    endpoint.refresh_from_db()
    assert (endpoint.status, endpoint.failures, endpoint.disabled_reason) == ("ACTIVE", 0, None)
    counted = support.post(do(endpoint, "replay"), wanted | {"last_status": "FAILED"})
    assert "1 event matches" in counted.content.decode()
    assert Delivery.objects.count() == 1
    support.post(do(endpoint, "replay"), wanted | {"last_status": "FAILED", "counted": "1"})
    assert Delivery.objects.filter(status="PENDING").count() == 1
    assert [*AuditEntry.objects.filter(by_staff=True).order_by("pk").values_list("action", "object_id")] == [
        ("webhook.changed", endpoint.pk), ("webhook.replayed", endpoint.pk),
    ]  # fmt: skip


@pytest.mark.django_db(transaction=True)
def test_a_provider_is_queried_and_the_payers_time_ended(acme: Shop) -> None:
    script, support = rewritten(), person("Support")
    live(acme, "bank")
    script.answers["instruct"] = [
        PaymentOutcome(PaymentResult.WAITING, {"pixCopyPaste": "000201code", "pixTxid": "TX"})
    ]
    paid, open_, interrupted = (
        Payment.objects.get(pk=api_of(acme).post("/payments", PIX | {"reference": one}).json()["data"]["id"])
        for one in ("order-1", "order-2", "order-3")
    )
    script.answers["ask"] = [PaymentOutcome(PaymentResult.DONE)]
    assert "is paid." in support.post(do(paid, "ask"), follow=True).content.decode()
    refused = support.post(do(paid, "ask"), follow=True).content.decode()
    assert "It is paid: there is nothing to ask." in refused
    assert Transfer.objects.filter(reference=paid.pk).count() == 1

    Endpoint.objects.create(
        merchant=paid.merchant, url="https://shop.example/hook", events=["payment.paid"], sealed_secret=b""
    )
    at_once(*[lambda: support.post(do(paid, "resend"), NOTE)] * 2)
    assert Delivery.objects.count() == 1

    script.answers |= {"cancel": [PaymentOutcome(PaymentResult.NOT_RECEIVED)]}
    support.post(do(open_, "expire"), NOTE)
    open_.refresh_from_db()
    assert open_.status == "EXPIRED"
    assert ("cancel", open_.pk) in [call[1:] for call in script.calls]
    entry = AuditEntry.objects.get(action="payment.expired")
    assert (entry.object_id, entry.note, entry.company) == (open_.pk, NOTE["note"], acme.company)
    again = support.post(do(open_, "expire"), NOTE, follow=True).content.decode()
    assert "only a payment that waits can expire" in again
    assert not Transfer.objects.filter(reference=open_.pk).exists()

    script.answers |= {"cancel": [SystemExit()]}  # the process ends while it calls the provider
    with pytest.raises(SystemExit):
        support.post(do(interrupted, "expire"), NOTE)
    assert AuditEntry.objects.get(action="payment.expired", object_id=interrupted.pk).note == NOTE["note"]


def test_tasks_are_paused_with_a_note_and_proofs_never(world: World) -> None:
    technical = person("Technical")
    task, *never = (
        PeriodicTask.objects.get(name=name) for name in ("sweep-withdrawals", "prove-books", "watch-statements")
    )
    technical.post(do(task, "pause"), NOTE)
    task.refresh_from_db()
    assert not task.enabled
    first = technical.get("/admin/").content.decode()
    assert "1 paused" in first
    assert NOTE["note"] in first
    for watched in never:
        assert "It is never paused" in technical.post(do(watched, "pause"), NOTE, follow=True).content.decode()
        watched.refresh_from_db()
        assert watched.enabled
    technical.post(do(task, "resume"), NOTE)
    assert [*AuditEntry.objects.filter(object_id=task.name).order_by("pk").values_list("action", "note")] == [
        ("task.paused", NOTE["note"]), ("task.resumed", NOTE["note"]),
    ]  # fmt: skip
    task.refresh_from_db()
    assert task.enabled


def test_who_may_only_read_does_none_of_it(world: World) -> None:
    auditor, endpoint = person("Auditor"), Endpoint.objects.get()
    event, task = endpoint.deliveries.latest("pk").event, PeriodicTask.objects.get(name="send-emails")
    before = Delivery.objects.count(), AuditEntry.objects.count(), Email.objects.count()
    for record, name in [
        (world.payment, "ask"), (world.payment, "expire"), (world.payment, "resend"), (endpoint, "switch_on"),
        (endpoint, "replay"), (event, "resend"), (event.deliveries.latest("pk"), "resend"), (task, "pause"),
    ]:  # fmt: skip
        assert auditor.post(do(record, name), NOTE).status_code == 403, name
    assert (Delivery.objects.count(), AuditEntry.objects.count(), Email.objects.count()) == before
    task.refresh_from_db()
    assert task.enabled


def test_the_trail_is_narrowed_by_who_what_whom_and_day(world: World, staff: Client) -> None:
    entry = AuditEntry.objects.filter(action="member.invited").latest("pk")
    day = f"{entry.created_at:%Y-%m-%d}"
    whole = {"who": "papers@", "what": "member: inv", "whom": "glob", "side": "company", "created_at_from": day}
    for query, found in [
        (whole, [entry]),
        (whole | {"whom": entry.object_id}, [entry]),
        *((whole | {name: "nobody"}, []) for name in ("who", "what", "whom")),
        (whole | {"created_at_from": f"{entry.created_at + timedelta(days=1):%Y-%m-%d}"}, []),
    ]:
        shown = staff.get(address(AuditEntry, "changelist"), query)
        assert list(shown.context["cl"].result_list) == found, query
    assert "Invited a member" in staff.get(address(AuditEntry, "changelist"), whole).content.decode()
    trail = staff.get(address(Endpoint, "change", Endpoint.objects.get().pk).replace("/change/", "/history/"))
    assert "Nobody has changed this record by hand" in trail.content.decode()
