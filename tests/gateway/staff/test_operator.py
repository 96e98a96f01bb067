"""The operator's own book is no company of anybody: nobody joins it, gets a key for it, or changes its standing."""

import pytest
from django.db import DatabaseError, transaction
from django.test import Client

from accounts import joining, standing
from accounts.audit import Actor
from accounts.errors import CompanyState
from accounts.models import ApiKey, Company, Invitation, Membership, Merchant, Proposal, User
from accounts.operator import operator
from accounts.roles import Role
from accounts.services import issue_key
from gateway.staff.kit.columns import address
from tests.support.companies import Shop
from tests.support.proposals import NOTE

pytestmark = pytest.mark.django_db


def facts() -> tuple[object, ...]:
    of_operator = Company.objects.filter(is_operator=True).values("status", "verified_at", "withdrawal_ip")
    models = (Membership, Invitation, ApiKey, Proposal)
    return list(of_operator), [model._default_manager.count() for model in models]


def test_no_service_gives_it_a_key_a_member_or_another_standing() -> None:
    merchant = operator()
    person = User.objects.create_user("thief@example.com", None)
    before = facts()

    for attack in (
        lambda: issue_key(merchant, ["withdrawals:write"]),
        lambda: joining.assign(Actor(person, None), merchant.company, person, Role.OWNER, "mine"),
        lambda: standing.suspend(Actor(person, None), merchant.company, "by mistake"),
        lambda: standing.lift_suspension(Actor(person, None), merchant.company, "by mistake"),
    ):
        with pytest.raises(CompanyState):
            attack()

    assert facts() == before


@pytest.mark.parametrize("act", ["suspend", "close", "verify", "change_address", "add_member"])
def test_no_action_of_staff_changes_it(staff: Client, act: str) -> None:
    company = operator().company
    where = address(Company, "change", company.pk).replace("/change/", f"/{act}/")
    before = facts()

    given = {"email": "thief@example.com", "role": "OWNER", "address": "203.0.113.9", "person": "1"}
    staff.post(where, NOTE | given, follow=True)

    assert facts() == before


def test_it_is_read_and_never_listed_changed_or_given_a_key(staff: Client, acme: Shop) -> None:
    merchant = operator()
    before = facts()

    for record in (merchant.company, merchant):
        shown = staff.get(address(type(record), "changelist")).context["cl"].result_list
        assert shown and record not in shown
        page = address(type(record), "change", record.pk)
        assert staff.get(page).status_code == 200
        assert staff.post(page, {"trade_name": "Mine", "withdrawal_enabled": "on"}).status_code == 403
    where = address(Merchant, "change", merchant.pk).replace("/change/", "/issue_key/")
    staff.post(where, NOTE | {"name": "mine", "permissions": ["withdrawals:write"]}, follow=True)

    assert facts() == before


def test_the_database_keeps_it_closed() -> None:
    company = operator().company

    for status in ("ACTIVE", "PENDING_VERIFICATION", "SUSPENDED"):
        with pytest.raises(DatabaseError, match="a closed company stays closed"), transaction.atomic():
            Company.objects.filter(pk=company.pk).update(status=status)
