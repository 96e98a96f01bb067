"""Receivables, advances and blocks, as staff see and decide them."""

import itertools
from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.messages import get_messages
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from accounts.base.clock import utcnow
from accounts.models import User
from gateway.staff.kit.columns import address as page_of
from ledger.holds import services as holds
from ledger.models import Advance, AdvanceItem, Hold, Receivable, Transfer
from ledger.receivables import advances
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.people import browser_of
from tests.support.receivables import NET, a_receivable, book, stand_at
from tests.support.staff import LIFTED, block, support
from webhooks.models import Event

ADD = "/admin/ledger/hold/add/"


@pytest.fixture
def owner(db: None) -> User:
    """Asks for advances."""
    return User.objects.create_user("owner@acme.example", "a long password")


@pytest.fixture
def asked(acme: Shop, owner: User) -> Advance:
    """Of one receivable of 192.02, for 4.80."""
    return advances.request(acme.sandbox, [a_receivable(acme.sandbox).id], owner)


def decision(row: Advance | Hold, verb: str) -> str:
    return page_of(type(row), "change", row.pk).replace("/change/", f"/{verb}/")


def said(answer: HttpResponse) -> list[str]:
    return [str(message) for message in get_messages(answer.wsgi_request)]


def body(client: Client, where: str) -> str:
    answer = client.get(where)
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_receivable_leads_to_its_payment_its_advance_and_what_moved(
    staff: Client, asked: Advance, root: User
) -> None:
    advances.approve(asked.id, root)
    receivable = Receivable.objects.get()
    page = body(staff, page_of(Receivable, "change", receivable.pk))
    for text in ("192.02 BRL", "7.98 BRL", "2.5% a month", asked.id, "receivable.advanced", "payment.paid"):
        assert text in page
    assert f'href="/admin/gateway/payment/{receivable.payment_id}/change/"' in page
    for transfer in Transfer.objects.all():
        assert page_of(Transfer, "change", transfer.pk) in page
    listed = page_of(Receivable, "changelist")
    for term in (receivable.id, receivable.payment_id, asked.id, receivable.merchant.company_id):
        assert receivable.id in body(staff, f"{listed}?q={term}"), term
    assert "No matches" in body(staff, f"{listed}?state__exact=SCHEDULED")


def test_nobody_writes_receivables_or_advances(staff: Client, asked: Advance) -> None:
    before = [[*model.objects.values()] for model in (Receivable, Advance, AdvanceItem)]
    for row in (Receivable.objects.get(), asked, asked.items.get()):
        change = page_of(type(row), "change", row.pk)
        assert str(row.pk) in body(staff, page_of(type(row), "changelist"))
        for where in (change, change.replace("change", "delete"), f"{page_of(type(row), 'changelist')}add/"):
            assert staff.post(where, {"state": "APPROVED", "post": "yes"}).status_code == 403
    assert [[*model.objects.values()] for model in (Receivable, Advance, AdvanceItem)] == before


def test_an_advance_tells_who_asked_and_what_it_costs(staff: Client, asked: Advance, owner: User) -> None:
    page = body(staff, page_of(Advance, "change", asked.pk))
    for text in ("Under review", owner.email, "192.02 BRL", "4.80 BRL", "187.22 BRL", "2.5% a month", "approve/"):
        assert text in page
    listed = page_of(Advance, "changelist")
    assert asked.id in body(staff, f"{listed}?state__exact=UNDER_REVIEW")
    assert asked.id not in body(staff, f"{listed}?state__exact=APPROVED")
    assert asked.id in body(staff, f"{listed}?q={owner.email}")


def test_an_approval_is_confirmed_noted_and_in_the_history(staff: Client, root: User, asked: Advance) -> None:
    question = body(staff, decision(asked, "approve"))
    assert "187.22 BRL" in question
    assert Advance.objects.get().state == "UNDER_REVIEW"

    answer = staff.post(decision(asked, "approve"), {"note": "Known for years"})

    assert said(answer) == [f"{asked.id} was approved."]
    decided = Advance.objects.get()
    assert (decided.state, decided.decided_by, decided.note) == ("APPROVED", root, "Known for years")
    assert book(asked.merchant)["AVAILABLE BRL"] == NET - 480
    assert Event.objects.filter(type="advance.approved", object_id=asked.id).count() == 1
    page = body(staff, page_of(Advance, "change", asked.pk))
    assert "Known for years" in page
    assert "refuse/" not in page
    assert "Known for years" in body(staff, page_of(Advance, "change", asked.pk).replace("change", "history"))


def test_a_refusal_says_why(staff: Client, asked: Advance) -> None:
    for verb, note in itertools.product(("approve", "refuse"), ("", "abcd", "x" * 256)):
        assert staff.post(decision(asked, verb), {"note": note}).status_code == 200
    assert Advance.objects.get().state == "UNDER_REVIEW"

    staff.post(decision(asked, "refuse"), {"note": "Chargebacks are open"})

    assert (Advance.objects.get().state, Receivable.objects.get().state) == ("REFUSED", "SCHEDULED")
    assert "AVAILABLE BRL" not in book(asked.merchant)


@pytest.mark.parametrize("verb", ["approve", "refuse"])
def test_whoever_asked_and_whoever_is_late_are_told_so_and_nothing_moves(
    staff: Client, root: User, acme: Shop, owner: User, verb: str
) -> None:
    own = advances.request(acme.sandbox, [a_receivable(acme.sandbox).id], root)
    late = advances.request(acme.sandbox, [a_receivable(acme.sandbox).id], owner)
    advances.refuse(late.id, root)
    before = [*Advance.objects.order_by("id").values()], book(acme.sandbox), LogEntry.objects.count()

    for advance, sentence in ((own, "approve your own request"), (late, "already been decided")):
        answer = staff.post(decision(advance, verb), {"note": "Known for years"}, follow=True)
        assert answer.status_code == 200
        assert sentence in answer.content.decode()

    assert ([*Advance.objects.order_by("id").values()], book(acme.sandbox), LogEntry.objects.count()) == before


def test_only_who_may_change_advances_decides_them(asked: Advance) -> None:
    reader = browser_of(support("view_advance"))
    page = body(reader, page_of(Advance, "change", asked.pk))
    assert "4.80 BRL" in page
    assert "approve/" not in page
    for verb in ("approve", "refuse"):
        assert reader.get(decision(asked, verb)).status_code == 403
        assert reader.post(decision(asked, verb), {"note": "Known for years"}).status_code == 403
    assert Advance.objects.get().state == "UNDER_REVIEW"
    User.objects.filter(email="support@onpay.example").delete()
    decider = browser_of(support("view_advance", "change_advance"))
    assert decider.post(decision(asked, "approve"), {"note": "Known for years"}).status_code == 302
    assert Advance.objects.get().state == "APPROVED"


def test_a_block_is_placed_and_lifted_with_history(staff: Client, colleague: Client, root: User, acme: Shop) -> None:
    a_payment(acme.sandbox, "PAID")
    page = body(staff, ADD)
    for name in ("merchant", "currency", "amount", "reason", "note", "expected_release_at_0"):
        assert f'name="{name}"' in page
    ends = utcnow() + timedelta(days=30)
    times = {"expected_release_at_0": f"{ends:%Y-%m-%d}", "expected_release_at_1": f"{ends:%H:%M:%S}"}

    for _click in range(2):
        assert staff.post(ADD, block(acme.sandbox.pk, **times)).status_code == 302

    hold = Hold.objects.get()
    assert (hold.amount, hold.reason, hold.note, hold.placed_by) == (5_000, "LEGAL_ORDER", "Order 1/26", root)
    assert hold.expected_release_at == ends.replace(microsecond=0)
    assert book(acme.sandbox)["BLOCKED BRL"] == 5_000
    assert "50.00 BRL" in body(staff, page_of(Hold, "changelist"))
    assert "lift/" in body(staff, page_of(Hold, "change", hold.pk))
    assert "50.00 BRL becomes available" in body(staff, decision(hold, "lift"))
    assert Hold.objects.get().ended_at is None

    assert list(colleague.post(decision(hold, "lift")).context["form"].errors) == ["note"]
    assert said(colleague.post(decision(hold, "lift"), LIFTED)) == [f"{hold.pk} was released."]

    hold = Hold.objects.get()
    assert (hold.ended_at is not None, hold.lifted_by and hold.lifted_by.email) == (True, "colleague@onpay.example")
    assert "BLOCKED BRL" not in book(acme.sandbox)
    assert "lift/" not in body(staff, page_of(Hold, "change", hold.pk))
    before = book(acme.sandbox)
    again = colleague.post(decision(hold, "lift"), LIFTED, follow=True)
    assert (again.status_code, book(acme.sandbox)) == (200, before)
    assert "already been released" in again.content.decode()
    assert "Released" in body(staff, page_of(Hold, "change", hold.pk).replace("change", "history"))


@pytest.mark.a_third_a_day
@pytest.mark.parametrize(
    ("members", "field"),
    [
        ({"amount": "148.51"}, "amount"),
        ({"amount": "0"}, "amount"),
        ({"amount": "1.001"}, "amount"),
        ({"amount": "1", "currency": "EUR"}, "amount"),
        ({"currency": "USD"}, "currency"),
        ({"reason": "REFUND_DISPUTE"}, "reason"),
        ({"merchant": "0"}, "merchant"),
        ({"note": "x" * 256}, "note"),
        ({"note": ""}, "note"),
        ({"case_number": " "}, "case_number"),
        ({"expected_release_at_0": "2020-01-01", "expected_release_at_1": "00:00:00"}, "expected_release_at"),
    ],
)
def test_an_impossible_block_is_refused_in_the_form_and_moves_nothing(
    staff: Client, acme: Shop, members: dict[str, str], field: str
) -> None:
    a_payment(acme.sandbox, "PAID")
    before = book(acme.sandbox)

    answer = staff.post(ADD, block(acme.sandbox.pk) | members)

    assert answer.status_code == 200
    assert list(answer.context["adminform"].form.errors) == [field]
    assert (Hold.objects.count(), book(acme.sandbox), LogEntry.objects.count()) == (0, before, 0)


def test_only_who_may_places_and_lifts_blocks(acme: Shop) -> None:
    a_payment(acme.sandbox, "PAID")
    hold = holds.place(acme.sandbox, "BRL", 100, "COMPLIANCE", note="An invoice is missing")
    reader = browser_of(support("view_hold"))
    assert "1.00 BRL" in body(reader, page_of(Hold, "change", hold.pk))
    assert reader.post(ADD, block(acme.sandbox.pk)).status_code == 403
    assert reader.post(decision(hold, "lift"), LIFTED).status_code == 403
    assert reader.post(page_of(Hold, "change", hold.pk), {"amount": "1"}).status_code == 403
    assert reader.post(reverse("admin:ledger_hold_delete", args=[hold.pk]), {"post": "yes"}).status_code == 403
    assert (Hold.objects.get().ended_at, book(acme.sandbox)["BLOCKED BRL"]) == (None, 100)


def test_times_are_the_merchants(staff: Client, root: User, asked: Advance) -> None:
    stand_at(asked.merchant, Receivable.objects.get().release_at)
    staff.post(decision(asked, "approve"), {"note": "Known for years"})
    decided = Advance.objects.get()
    assert (decided.fee, decided.decided_at >= Receivable.objects.get().release_at) == (0, True)
