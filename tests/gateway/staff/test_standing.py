"""Whether a company may trade: each turn is an action of its own, with owners told, and the end is the end."""

import pytest
from django.db import DatabaseError, transaction
from django.test import Client

from accounts.models import AuditEntry, Company, Proposal
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import a_payment, pix
from tests.support.people import browser_of
from tests.support.proposals import NOTE, action, confirmed, mails, proposed
from tests.support.staff import support
from tests.support.staff_refunds import take_to_production


def status(shop: Shop) -> str:
    return Company.objects.get(pk=shop.company.pk).status


def test_a_suspended_company_takes_no_money_until_two_people_lift_it(
    staff: Client, colleague: Client, acme: Shop, api: Api
) -> None:
    assert staff.post(action(acme.company, "suspend"), {}).status_code == 200
    assert status(acme) == "ACTIVE"  # no reason, no suspension
    staff.post(action(acme.company, "suspend"), NOTE)
    assert status(acme) == "SUSPENDED"
    assert api.post("/payments", pix()).json()["error"]["code"] == "ONP403_COMPANY_STATUS"
    entry = AuditEntry.objects.get(action="company.suspended")
    assert (entry.by_staff, entry.note, entry.after) == (True, NOTE["note"], {"status": "SUSPENDED"})
    assert len(mails(acme.company)) == 1

    proposal = proposed(staff, acme.company, "lift")
    assert confirmed(staff, proposal).status_code == 403
    assert status(acme) == "SUSPENDED"
    assert confirmed(colleague, proposal).status_code == 200
    assert status(acme) == "ACTIVE"
    assert len(mails(acme.company)) == 2


def test_a_company_is_closed_by_two_people_once_it_has_no_money_and_stays_closed(
    staff: Client, colleague: Client, acme: Shop, globex: Shop
) -> None:
    a_payment(globex.sandbox, "PAID")
    take_to_production(globex.sandbox)
    rich = Company.objects.get(merchants=globex.sandbox)
    staff.post(action(rich, "close"), NOTE)
    assert not Proposal.objects.exists()

    proposal = proposed(staff, acme.company, "close")
    assert status(acme) == "ACTIVE"
    assert confirmed(colleague, proposal).status_code == 200
    assert status(acme) == "CLOSED"
    assert len(mails(acme.company)) == 1
    for name in ("lift", "verify", "suspend", "close"):
        staff.post(action(acme.company, name), NOTE)
    assert not Proposal.objects.filter(state="OPEN").exists()
    with pytest.raises(DatabaseError), transaction.atomic():
        Company.objects.filter(pk=acme.company.pk).update(status="ACTIVE")
    assert status(acme) == "CLOSED"


@pytest.mark.parametrize(
    ("name", "permission"),
    [
        ("verify", "verify_company"),
        ("send_back", "send_back_verification"),
        ("suspend", "suspend_company"),
        ("lift", "lift_suspension"),
        ("close", "close_company"),
        ("change_address", "change_withdrawal_address"),
        ("add_member", "manage_members"),
    ],
)
def test_each_decision_about_a_company_has_a_permission_of_its_own(acme: Shop, name: str, permission: str) -> None:
    where = action(acme.company, name)
    every = {
        "verify_company", "send_back_verification", "suspend_company", "lift_suspension", "close_company",
        "change_withdrawal_address", "manage_members", "change_company",
    }  # fmt: skip
    without = support("view_company", *(every - {permission}))
    assert browser_of(without).get(where).status_code == 403
    without.delete()
    assert browser_of(support("view_company", permission)).get(where).status_code == 200
