"""People set the rules, and approve and reject with the second factor."""

import pytest
from django.test import Client

from accounts.base.clock import utcnow
from accounts.roles import Role
from gateway.withdrawals.models import Withdrawal
from gateway.withdrawals.rules import services
from gateway.withdrawals.rules.selectors import in_force, proposed
from tests.support.api import Api
from tests.support.approvals import set_rules, the_owner
from tests.support.companies import Shop
from tests.support.forms import form_in
from tests.support.pages import Page
from tests.support.people import a_member, browser_of, signed_in, with_the_session_of
from tests.support.withdrawals import fund, nothing_moves, register, wait, withdrawn


@pytest.fixture
def out(acme: Shop, api: Api, address: str) -> Api:
    """The backend of acme, with money and a registered address."""
    register(acme, address)
    fund(api)
    return api


@pytest.fixture
def boss(acme: Shop) -> Client:
    """The owner who was there first, with a fresh second factor."""
    return browser_of(the_owner(acme))


def test_an_owner_switches_the_rules_on_and_cannot_weaken_them_alone(
    out: Api, acme: Shop, boss: Client, page: Page
) -> None:
    other = a_member(acme.company, Role.OWNER, "other@acme.example")
    where, roles = page("withdrawal_rules"), {"roles": ["OWNER", "FINANCE"]}
    form = form_in(boss.get(where).content) | roles | {"people": "1", "above_BRL": "1000", "per_day_BRL": "5000"}
    form["above_MXN"] = "1"

    assert boss.post(where, form).status_code == 302
    rules = in_force(acme.sandbox).rules
    assert (rules.people, dict(rules.above), dict(rules.per_day)) == (
        1,
        {"BRL": 1000_00, "MXN": 1_00},
        {"BRL": 5000_00},
    )

    page_now = boss.get(where)
    assert page_now.context["unlimited"] == ["MXN"]
    assert boss.post(where, form_in(page_now.content) | roles | {"above_BRL": "2000"}).status_code == 302
    waiting = proposed(acme.sandbox)
    assert waiting is not None and in_force(acme.sandbox).rules == rules
    assert boss.post(page("agree_withdrawal_rules", waiting.pk)).status_code == 403
    assert browser_of(other).post(page("agree_withdrawal_rules", waiting.pk)).status_code == 302
    assert in_force(acme.sandbox).rules.above["BRL"] == 2000_00


def test_another_person_approves_and_sees_where_it_goes(out: Api, acme: Shop, boss: Client, page: Page) -> None:
    withdrawn(out, acme, amount=50)
    wait(out, 60)
    finance = browser_of(a_member(acme.company, Role.FINANCE))
    set_rules(acme.sandbox, the_owner(acme), people=2)
    made = withdrawn(out, acme, amount=500)
    assert b"waits for approval" in boss.get(page("home")).content
    assert made["id"].encode() in finance.get(page("approvals")).content
    assert b"once, R$50.00" in finance.get(page("withdrawal", made["id"])).content.replace("\xa0".encode(), b"")

    assert boss.post(page("approve_withdrawal", made["id"])).status_code == 302
    with nothing_moves(acme):
        assert boss.post(page("approve_withdrawal", made["id"])).status_code == 409
    assert finance.post(page("approve_withdrawal", made["id"])).status_code == 302

    wait(out, 60)
    assert Withdrawal.objects.get(pk=made["id"]).status == "COMPLETED"
    assert made["id"].encode() not in finance.get(page("approvals")).content


def test_without_the_second_factor_it_is_described_and_waits(out: Api, acme: Shop, page: Page) -> None:
    set_rules(acme.sandbox, the_owner(acme), people=1)
    made = withdrawn(out, acme, amount=500)
    owner = the_owner(acme)
    thief = with_the_session_of(browser_of(owner))

    with nothing_moves(acme):
        assert "/accounts/" in thief.post(page("approve_withdrawal", made["id"]))["Location"]
        assert "/accounts/" in thief.post(page("withdrawal_rules"), {"people": "0"})["Location"]
        assert "/accounts/" in signed_in(owner).post(page("reject_withdrawal", made["id"]))["Location"]
        assert thief.get(page("withdrawal", made["id"])).status_code == 200

    assert browser_of(owner).post(page("reject_withdrawal", made["id"])).status_code == 302
    assert Withdrawal.objects.get(pk=made["id"]).approval == "REJECTED"


@pytest.mark.parametrize("role", [Role.VIEWER, Role.SUPPORT, Role.DEVELOPER])
def test_others_do_not_approve_unless_the_rules_name_them(out: Api, acme: Shop, page: Page, role: Role) -> None:
    member = a_member(acme.company, role)
    browser = browser_of(member)
    set_rules(acme.sandbox, the_owner(acme), people=1)
    made = withdrawn(out, acme, amount=500)

    with nothing_moves(acme):
        assert browser.post(page("approve_withdrawal", made["id"])).status_code == 403
    if role == Role.VIEWER:
        named = set_rules(acme.sandbox, the_owner(acme), people=1, persons=frozenset([member.pk]))
        assert named is not None
        services.take_effect(named, utcnow())
        assert browser.post(page("approve_withdrawal", made["id"])).status_code == 302


def test_who_asked_in_the_dashboard_does_not_approve(out: Api, acme: Shop, boss: Client, page: Page) -> None:
    set_rules(acme.sandbox, the_owner(acme), people=1)
    where = page("confirm_withdrawal", "pix")
    form = form_in(boss.get(page("new_withdrawal", "pix")).content)
    form |= {"pix_key_type": "EMAIL", "pix_key": "maria@example.com", "amount": "500"}
    told = boss.post(where, form, follow=True).content
    made = Withdrawal.objects.get()
    assert made.approval == "PENDING"
    assert b"waits for somebody else to approve it" in told

    with nothing_moves(acme):
        assert boss.post(page("approve_withdrawal", made.pk)).status_code == 403
    assert b"another person must approve it" in boss.get(page("withdrawal", made.pk)).content
