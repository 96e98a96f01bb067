"""After our staff changed who may withdraw, or from where, production withdrawals wait a day, on every way out."""

import json
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import transaction

from accounts import audit, joining
from accounts.base.clock import utcnow
from accounts.models import AuditEntry, Membership, Merchant, User, WithdrawalWait
from accounts.roles import Role
from accounts.services import issue_key
from accounts.waits import services as waits
from accounts.waits.errors import WithdrawalsWait
from gateway.dashboard.refusals import in_words
from gateway.payments.services import require_active
from gateway.payouts.models import PayoutRule
from gateway.withdrawals import gates
from tests.support import withdrawals as w
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.people import a_member, a_person, signed_in_twice
from tests.support.proposals import mails

CODE = "ONP403_WITHDRAWALS_WAIT"


@pytest.fixture
def production(acme: Shop, address: str) -> Api:
    """A backend that may withdraw, but for the rails, which nobody serves yet."""
    w.register(acme, address)
    Merchant.objects.filter(pk=acme.production.pk).update(withdrawal_enabled=True, conversion_enabled=True)
    PayoutRule.objects.filter(environment="PRODUCTION").update(enabled=True)
    return Api(acme.production_key, address)


@pytest.fixture
def owner(acme: Shop) -> User:
    return a_member(acme.company, email="boss@acme.example")


def begun(shop: Shop, *touched: int) -> WithdrawalWait:
    with transaction.atomic():
        return waits.begin(shop.company, WithdrawalWait.Why.TEAM, touched)


def page(shop: Shop) -> str:
    return f"/dashboard/{shop.company.pk}/production/settings/withdrawals-wait"


@pytest.mark.parametrize("rail", w.RAILS, ids=" ".join)
def test_every_rail_of_production_waits_and_names_the_time(production: Api, acme: Shop, rail: w.Rail) -> None:
    wait = begun(acme)
    with w.nothing_moves(acme):
        answer = w.ask(production, acme, rail)
    assert w.refusal(answer) == (403, CODE)
    error = answer.json()["error"]
    assert f"{wait.until:%Y-%m-%dT%H:%M:%SZ}" in error["message"]
    assert error["retryable"] is False


def test_the_preflight_says_so_too(production: Api, acme: Shop) -> None:
    before = w.send(production, w.PIX, w.body(acme), dry=True).json()["data"]
    begun(acme)
    during = w.send(production, w.PIX, w.body(acme), dry=True).json()["data"]
    held = {one["gate"]: one["holds"] for one in before["gates"]}, {one["gate"]: one for one in during["gates"]}
    assert (held[0]["NO_WAIT"], held[1]["NO_WAIT"]["holds"], held[1]["NO_WAIT"]["code"]) == (True, False, CODE)


def test_whatever_asks_for_admission_waits_also_without_a_backend(production: Api, acme: Shop) -> None:
    """The dashboard, and a refund to a key that is not the payer's."""
    begun(acme)
    merchant = Merchant.objects.select_related("company").get(pk=acme.production.pk)
    with pytest.raises(WithdrawalsWait), transaction.atomic():
        gates.require_admission(merchant, None, is_from_backend=False)


def test_the_sandbox_conversions_and_payments_do_not_wait(production: Api, acme: Shop, api: Api) -> None:
    begun(acme)
    sandbox, real = (
        Merchant.objects.select_related("company").get(pk=one.pk) for one in (acme.sandbox, acme.production)
    )
    waits.require_over(sandbox)
    require_active(real)
    wish = {"sourceMethod": "PIX", "destinationMethod": "SPEI", "sourceAmount": 10}
    quoted = production.post(f"/companies/{acme.company.pk}/wallets/conversions/quote", wish)
    assert quoted.json().get("error", {}).get("code") != CODE


def test_it_ends_by_itself(production: Api, acme: Shop) -> None:
    wait = begun(acme)
    assert wait.until - wait.began_at == timedelta(hours=24)
    WithdrawalWait.objects.update(until=utcnow())
    assert w.refusal(w.ask(production, acme, w.PIX))[1] == "ONP403_WITHDRAWAL_NOT_CONNECTED"


def test_an_owner_lifts_it_with_the_second_factor_and_all_owners_are_told(
    production: Api, acme: Shop, owner: User
) -> None:
    begun(acme)
    browser = signed_in_twice(owner)
    assert "View it" in browser.get(page(acme).replace("/withdrawals-wait", "/")).content.decode()
    assert "Lift the waiting period" in browser.get(page(acme)).content.decode()
    assert browser.post(page(acme)).status_code == 302
    assert waits.until(acme.company.pk) is None
    assert w.refusal(w.ask(production, acme, w.PIX))[1] != CODE
    assert AuditEntry.objects.get(action="withdrawals.wait_lifted").actor == owner
    assert owner.email in mails(acme.company, "wait_lifted")


@pytest.mark.parametrize("role", [Role.FINANCE, Role.DEVELOPER, Role.VIEWER])
def test_nobody_but_an_owner_lifts_it(acme: Shop, role: Role) -> None:
    begun(acme)
    assert signed_in_twice(a_member(acme.company, role)).post(page(acme)).status_code == 403
    assert waits.until(acme.company.pk)


def test_an_owner_whom_staff_added_or_changed_does_not_lift_it(acme: Shop, owner: User) -> None:
    puppet = a_person("puppet@evil.example")
    joining.assign(audit.ON_HOST, acme.company, puppet, Role.OWNER, "They wrote")
    friend = a_person("friend@evil.example")
    Membership.objects.create(company=acme.company, user=friend, role=Role.OWNER)  # whom the puppet brought along
    for person in (puppet, friend):
        browser = signed_in_twice(person)
        assert "Lift the waiting period" not in browser.get(page(acme)).content.decode()
        assert browser.post(page(acme)).status_code == 403
    assert waits.until(acme.company.pk)
    assert signed_in_twice(owner).post(page(acme)).status_code == 302
    assert waits.until(acme.company.pk) is None


def test_what_owners_change_themselves_acts_at_once(acme: Shop, owner: User) -> None:
    where = f"/dashboard/{acme.company.pk}/production/settings/withdrawal-address"
    browser = signed_in_twice(owner)
    for address in ("8.8.4.4", "1.1.1.1"):
        assert browser.post(where, {"address": address, "once": str(uuid4())}).status_code == 302
    acme.company.refresh_from_db()
    assert acme.company.withdrawal_ip == "1.1.1.1"
    issue_key(acme.production, ["withdrawals:write"])
    assert not WithdrawalWait.objects.exists()


def test_people_read_it_with_the_time() -> None:
    said = in_words(WithdrawalsWait(utcnow().replace(year=2031)))
    assert "2031-" in said
    body: dict[str, Any] = json.loads(json.dumps(WithdrawalsWait(utcnow()).body()))
    assert body["code"] == CODE
