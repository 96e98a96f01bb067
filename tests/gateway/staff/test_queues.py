"""What waits for staff: in the sidebar with its number, as a list with what waits longest first."""

from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.base.clock import utcnow
from accounts.models import Company, Merchant, Proposal, User
from accounts.services import register
from gateway.models import ProviderAccount, Refund, Withdrawal
from gateway.refunds.errors import RefundState
from gateway.staff.kit.columns import address as page_at
from ledger.receivables import advances
from tests.support import withdrawals as w
from tests.support.api import Api
from tests.support.companies import Shop, a_shop
from tests.support.manual_provider import connected
from tests.support.payments import a_payment
from tests.support.people import browser_of
from tests.support.proposals import NOTE, action, proposed
from tests.support.receivables import a_receivable
from tests.support.staff import support
from tests.support.staff_overview import QUEUES, cells, listed, panels, take_to_production
from tests.support.staff_refunds import a_refund


@pytest.fixture
def drawn_sidebar() -> None:
    """The whole sidebar."""


def sidebar(browser: Client) -> dict[str, str | None]:
    """The queues that the sidebar shows, with their numbers."""
    groups = browser.get("/admin/").context["sidebar_navigation"]
    items = next((group["items"] for group in groups if group["title"] == "Waiting for staff"), [])
    return {item["title"]: item.get("badge") for item in items}


def awaiting(name: str, since: timedelta) -> Company:
    company = Company(legal_name=name, trade_name=name, tax_id="1", tax_id_type="CNPJ")
    register(company)
    company.production_asked_at = utcnow() - since
    company.save()
    return company


def test_everything_that_waits_is_counted_and_worked_off_from_the_top(
    staff: Client, root: User, acme: Shop, globex: Shop, out: Api, funded: Shop
) -> None:
    assert sidebar(staff) == dict.fromkeys(QUEUES)
    owner = User.objects.create_user("owner@acme.example", "a long password")
    asked = [advances.request(shop.sandbox, [a_receivable(shop.sandbox).id], owner) for shop in (globex, acme)]
    decided = advances.request(acme.sandbox, [a_receivable(acme.sandbox).id], owner)
    advances.refuse(decided.id, root)
    contested = [a_refund(shop.sandbox, "UNDER_REVIEW") for shop in (globex, acme)]
    unanswered = a_refund(acme.sandbox, "AWAITING_RESPONSE")
    a_refund(acme.sandbox, "PROCESSING")
    stuck, fresh = (w.withdrawn(out, funded, amount=904)["id"] for _ in range(2))
    Withdrawal.objects.filter(pk=stuck).update(created_at=utcnow() - timedelta(minutes=31))
    later, sooner = awaiting("Later", timedelta(hours=1)), awaiting("Sooner", timedelta(days=1))
    register(Company(legal_name="Idle", trade_name="Idle", tax_id="1", tax_id_type="CNPJ"))

    waiting = {"Advances to review": "2", "Refunds to review": "2", "Refunds awaiting an answer": "1"}
    waiting |= {"Stuck withdrawals": "1", "Companies to verify": "2"}
    assert sidebar(staff) == dict.fromkeys(QUEUES) | waiting
    assert listed(staff, "Advances to review") == [one.id for one in asked]
    assert listed(staff, "Refunds to review") == [one.id for one in contested]
    assert listed(staff, "Refunds awaiting an answer") == [unanswered.id]
    assert listed(staff, "Stuck withdrawals") == [stuck]
    assert listed(staff, "Companies to verify") == [sooner.pk, later.pk]
    assert fresh in {row.pk for row in staff.get(page_at(Withdrawal, "changelist")).context["cl"].result_list}
    panel = panels(staff)["Waiting for staff"]
    told = {row[0]: row[1:] for row in cells(panel)[""]}
    assert told["Refunds awaiting an answer"] == ["0", "1", f"until {unanswered.response_due_at:%Y-%m-%d %H:%M:%S}Z"]
    assert told["Companies to verify"] == ["2", "0", f"since {sooner.production_asked_at:%Y-%m-%d %H:%M:%S}Z"]


def test_production_waits_apart_and_what_is_covered_is_carried_out(staff: Client, acme: Shop, globex: Shop) -> None:
    initech = a_shop("Initech")
    short = a_refund(initech.sandbox, "PROCESSING")
    a_payment(globex.sandbox, "PAID")
    covered = a_refund(globex.sandbox, "PROCESSING")
    in_sandbox = a_refund(acme.sandbox, "UNDER_REVIEW")
    for shop in (globex, initech):
        take_to_production(shop.sandbox)

    assert (short.shortfall, covered.shortfall) == (150, 0)
    assert listed(staff, "Refunds to review") == [covered.id, in_sandbox.id]
    rows = cells(panels(staff)["Waiting for staff"])[""]
    assert [row[:3] for row in rows if row[0] == "Refunds to review"] == [["Refunds to review", "1", "1"]]


def test_a_withdrawal_is_stuck_by_its_merchants_clock(staff: Client, out: Api, funded: Shop) -> None:
    stuck = w.withdrawn(out, funded, amount=904)["id"]
    assert listed(staff, "Stuck withdrawals") == []
    w.wait(out, 31 * 60)
    assert listed(staff, "Stuck withdrawals") == [stuck]
    assert w.decide(out, {"id": stuck}, "FAILED").status_code == 200
    assert listed(staff, "Stuck withdrawals") == []


def test_whoever_may_not_see_a_list_sees_no_queue_of_it(acme: Shop) -> None:
    a_refund(acme.sandbox, "UNDER_REVIEW")
    assert sidebar(browser_of(support("view_refund", "view_payment"))) == {
        "Refunds to review": "1",
        "MED claims to decide": None,
        "Evidence not handed in": None,
        "Debts of companies after returns": None,
        "Refunds awaiting an answer": None,
        "Unclear refunds": None,
        "Unclear payments": None,
        "Manual payments waiting": None,
    }
    User.objects.filter(email="support@onpay.example").delete()
    nobody = browser_of(support("view_customer"))
    assert sidebar(nobody) == {}
    assert "Waiting for staff" not in panels(nobody)


def test_all_queues_are_counted_in_one_statement(staff: Client, acme: Shop) -> None:
    a_refund(acme.sandbox, "UNDER_REVIEW")
    with CaptureQueriesContext(connection) as asked:
        staff.get(page_at(Merchant, "changelist"))
    assert len([one for one in asked if 'FROM "gateway_refund"' in one["sql"]]) == 1


@pytest.mark.parametrize("odd", ["", "nothing", "decide'", "é💶", "x" * 3000])
def test_a_queue_that_is_none_is_the_whole_list(staff: Client, acme: Shop, odd: Any) -> None:
    refund = a_refund(acme.sandbox, "PROCESSING")
    page = staff.get(page_at(Refund, "changelist"), {"queue": odd}, follow=True)
    assert [row.pk for row in page.context["cl"].result_list] == [refund.id]


def test_a_refund_that_a_provider_carries_out_is_not_for_staff_before_its_deadline(staff: Client, globex: Shop) -> None:
    refund = a_refund(globex.sandbox, "PROCESSING")
    a_payment(globex.sandbox, "PAID")
    take_to_production(globex.sandbox)
    account = connected(globex, "BRL")
    of = Refund.objects.filter(pk=refund.pk)
    of.update(account=account)
    assert listed(staff, "Refunds to review") == [refund.pk]

    ProviderAccount.objects.update(provider="scripted")
    assert listed(staff, "Refunds to review") == []
    for act in ("carried_out", "declined"):
        told = staff.post(action(of.get(), act), NOTE, follow=True).content.decode()
        assert RefundState.message in unescape(told)
    assert not Proposal.objects.exists()

    of.update(unclear_since=utcnow() - timedelta(days=2), certain_by=utcnow() - timedelta(days=1), unclear_asks=9)
    assert (listed(staff, "Refunds to review"), listed(staff, "Unclear refunds")) == ([], [refund.pk])
    proposed(staff, of.get(), "carried_out")
