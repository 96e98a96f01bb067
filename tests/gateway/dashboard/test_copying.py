"""What the sandbox has is copied to production: once, by an owner, and without moving money."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from accounts.audit import Actor
from accounts.base.clock import utcnow
from accounts.models import AuditEntry, Company, Merchant, User
from accounts.roles import Role
from gateway.dashboard.models import SavedView
from gateway.evidence.models import AutomaticEvidence
from gateway.payout_schedules import due
from gateway.payout_schedules.models import PayoutSchedule
from gateway.payout_schedules.services import Plan
from gateway.payout_schedules.services import register as schedule
from gateway.payouts.models import PayoutRule
from gateway.withdrawals.models import Withdrawal
from gateway.withdrawals.rules.content import Rules
from gateway.withdrawals.rules.selectors import in_force
from gateway.withdrawals.rules.services import propose
from tests.support.companies import Shop
from tests.support.pages import Page
from tests.support.people import a_member, signed_in_twice
from tests.support.providers import active, paid_out_by
from webhooks.models import Endpoint
from webhooks.services import register

URL = "https://93.184.216.34/hooks"
RULES = Rules(people=1, per_day={"BRL": 100_000})
PLAN = Plan("BRL", "PIX", "DAILY", 6, destination={"pixKeyType": "EMAIL", "pixKey": "caixa@acme.com.br"}, keep=5000)
SECRET = re.compile(r"whsec_[A-Za-z0-9+/]{43}=")


@pytest.fixture
def person(acme: Shop) -> User:
    return a_member(acme.company)


@pytest.fixture
def boss(person: User) -> Client:
    return signed_in_twice(person)


@pytest.fixture
def furnished(acme: Shop, person: User) -> Shop:
    """acme with one of everything in its sandbox."""
    register(acme.sandbox, URL, ["payment.paid"], "Shop")
    propose(Actor(person), acme.sandbox, RULES)
    schedule(acme.sandbox, PLAN, by=person)
    AutomaticEvidence.objects.create(merchant=acme.sandbox, enabled_by=person)
    SavedView.objects.create(user=person, merchant=acme.sandbox, name="Pix of today", query="method=PIX")
    return acme


def offered(client: Client, page: Page) -> dict[str, bool]:
    """What is offered, and whether it can be chosen."""
    shown = client.get(page("copy_to_production", environment="production"))
    assert shown.status_code == 200
    return {one.key: not one.obstacle for one in shown.context["items"]}


def copied(client: Client, page: Page, *wanted: str, once: str = "", **facts: Any) -> Any:
    where = page("copy_to_production", environment="production")
    once = once or str(client.get(where).context["form"]["once"].value())
    return client.post(where, {"once": once, "wanted": wanted}, **facts)


def outcomes(answer: Any) -> dict[str, str]:
    return {one.item.key.partition(":")[0]: str(one.reason) for one in answer.context["outcomes"]}


def of_production(shop: Shop) -> Any:
    tables = (Endpoint, PayoutSchedule, AutomaticEvidence, SavedView)
    return [table.objects.filter(merchant=shop.production).count() for table in tables], in_force(shop.production)


def test_everything_is_copied_once_and_no_money_moves(furnished: Shop, boss: Client, page: Page, person: User) -> None:
    Merchant.objects.filter(pk=furnished.production.pk).update(withdrawal_enabled=True)
    PayoutRule.objects.filter(environment="PRODUCTION").update(enabled=True)
    paid_out_by(active("pays out"))
    known = offered(boss, page)
    assert all(known.values()) and len(known) == 5

    answer = copied(boss, page, *known)

    assert set(outcomes(answer).values()) == {""}
    made = Endpoint.objects.get(merchant=furnished.production)
    [secret] = set(SECRET.findall(answer.content.decode()))
    assert (made.url, made.events, made.description) == (URL, ["payment.paid"], "Shop")
    assert answer["Cache-Control"] == "no-store"
    assert secret not in repr(AuditEntry.objects.values())
    assert AuditEntry.objects.get(action="webhook.created").merchant == furnished.production
    assert in_force(furnished.production).rules == RULES
    assert SavedView.objects.get(merchant=furnished.production).query == "method=PIX"
    [paused] = PayoutSchedule.objects.filter(merchant=furnished.production)
    assert paused.is_paused and (paused.currency, paused.keep) == ("BRL", 5000)

    before = of_production(furnished)
    assert not any(offered(boss, page).values())
    assert "Production has it already." in copied(boss, page, *known).content.decode()
    assert of_production(furnished) == before
    assert due.run_due() == 0 and not Withdrawal.objects.exists()

    start = page("start_payout_schedule", paused.pk, environment="production")
    assert boss.post(start).status_code == 302
    paused.refresh_from_db()
    assert paused.next_at is not None and paused.next_at >= utcnow() + timedelta(hours=23, minutes=59)
    assert AuditEntry.objects.get(action="payout_schedule.started").object_id == paused.pk
    assert boss.post(start).status_code == 409


def test_what_production_refuses_is_said_and_the_rest_is_copied(furnished: Shop, boss: Client, page: Page) -> None:
    Endpoint.objects.update(url="http://127.0.0.1:9/hooks")

    answer = copied(boss, page, *offered(boss, page))

    said = outcomes(answer)
    assert "https://" in said["webhook"] and said["payout_schedule"] and not said["withdrawal_rules"]
    assert of_production(furnished)[0] == [0, 0, 1, 1]
    again = copied(boss, page, "automatic_evidence", once=answer.wsgi_request.POST["once"], follow=True)
    assert "nothing was done twice" in again.content.decode()


def test_production_keeps_its_own_rules(furnished: Shop, boss: Client, page: Page, person: User) -> None:
    own = Rules(people=1)
    propose(Actor(person), furnished.production, own)

    assert offered(boss, page)["withdrawal_rules"] is False
    copied(boss, page, "withdrawal_rules")

    assert in_force(furnished.production).rules == own


@pytest.mark.parametrize("role", [Role.FINANCE, Role.DEVELOPER])
def test_other_roles_and_companies_copy_nothing(furnished: Shop, page: Page, stranger: Client, role: Role) -> None:
    where, before = page("copy_to_production", environment="production"), of_production(furnished)
    form = {"once": "b5d8f3a6-0000-4000-8000-000000000001", "wanted": ["automatic_evidence"]}

    assert signed_in_twice(a_member(furnished.company, role)).post(where, form).status_code == 403
    assert stranger.post(where, form).status_code == 404

    assert of_production(furnished) == before


def test_a_closed_production_gets_nothing(furnished: Shop, boss: Client, page: Page) -> None:
    form = {"once": "b5d8f3a6-0000-4000-8000-000000000001", "wanted": ["automatic_evidence"]}
    sandbox = boss.post(page("copy_to_production"), form)
    Company.objects.filter(pk=furnished.company.pk).update(status="PENDING_VERIFICATION")
    before = of_production(furnished)

    refused = boss.post(page("copy_to_production", environment="production"), form)

    assert (sandbox.status_code, refused.status_code) == (404, 403)
    assert "production" in refused.content.decode().lower()
    assert of_production(furnished) == before
    going_live = boss.get(page("go_live", environment="production")).content.decode()
    assert (
        "once production is open" in going_live
        and page("copy_to_production", environment="production") not in going_live
    )


def test_a_foreign_item_is_none_of_the_choices(furnished: Shop, globex: Shop, boss: Client, page: Page) -> None:
    foreign, _secret = register(globex.sandbox, f"{URL}/globex", ["*"], None)
    before = of_production(furnished)

    answer = copied(boss, page, f"webhook:{foreign.pk}")

    assert answer.context["form"].errors and of_production(furnished) == before
