"""Live keys can do no more with money than who issues them; owners are told of each, and anybody may revoke one."""

from datetime import timedelta

import pytest
from django.test import Client

from accounts.base.clock import utcnow
from accounts.emails.models import Email
from accounts.errors import KeyExceedsRights
from accounts.models import ApiKey, Company, User
from accounts.roles import Role
from accounts.services import issue_key, rotate_key
from tests.support.companies import Shop
from tests.support.forms import form_in
from tests.support.people import a_member, signed_in_twice

MONEY = ("refunds:write", "withdrawals:write", "conversions:write")


def keys_of(shop: Shop, environment: str = "production") -> str:
    return f"/dashboard/{shop.company.pk}/{environment}/keys/"


def live(shop: Shop) -> int:
    return ApiKey.objects.filter(merchant=shop.production, revoked_at=None, expires_at=None).count()


@pytest.fixture
def developer(acme: Shop) -> Client:
    return signed_in_twice(a_member(acme.company, Role.DEVELOPER))


@pytest.mark.parametrize("permission", MONEY)
def test_a_developer_issues_no_live_key_that_moves_money(developer: Client, acme: Shop, permission: str) -> None:
    where, before = f"{keys_of(acme)}new", live(acme)
    offered = developer.get(where)
    once = form_in(offered.content)["once"]
    assert not {f'value="{name}" checked' for name in MONEY} & set(offered.content.decode().split("<input"))

    sent = {"once": once, "name": "Shop", "permissions": ["transactions:read", permission]}
    refused = developer.post(where, sent)

    assert b"A live key cannot have more rights over money than you have." in refused.content
    assert (live(acme), Email.objects.filter(kind="live_key").count()) == (before, 0)
    assert developer.post(where, sent | {"permissions": ["transactions:read"]}).status_code == 200
    assert live(acme) == before + 1


def test_a_developer_tries_everything_in_the_sandbox(developer: Client, acme: Shop) -> None:
    where = f"{keys_of(acme, 'sandbox')}new"
    once = form_in(developer.get(where).content)["once"]
    developer.post(where, {"once": once, "name": "Everything", "permissions": MONEY})

    assert ApiKey.objects.get(merchant=acme.sandbox, name="Everything").permissions == sorted(MONEY)


def test_a_developer_replaces_no_key_that_can_do_more_but_revokes_it(developer: Client, acme: Shop) -> None:
    key, _ = issue_key(acme.production, MONEY, "Treasury")
    where = f"{keys_of(acme)}{key.pk}/"
    once = form_in(developer.get(f"{where}rotate").content)["once"]

    assert developer.post(f"{where}rotate", {"once": once, "overlap": "24"}).status_code == 403
    key.refresh_from_db()
    assert (key.expires_at, key.is_live) == (None, True)

    Company.objects.filter(pk=acme.company.pk).update(status="SUSPENDED")
    assert developer.post(f"{where}revoke").status_code == 302
    key.refresh_from_db()
    assert not key.is_live


@pytest.mark.parametrize(("role", "may"), [(Role.OWNER, True), (Role.DEVELOPER, False), (Role.VIEWER, False)])
def test_the_services_themselves_ask_what_the_person_may(acme: Shop, role: Role, may: bool) -> None:
    person = a_member(acme.company, role)
    for act in (
        lambda: issue_key(acme.production, ["withdrawals:write"], by=person),
        lambda: rotate_key(
            issue_key(acme.production, ["withdrawals:write"])[0], utcnow() + timedelta(hours=1), by=person
        ),
    ):
        if may:
            assert act()[0].permissions == ["withdrawals:write"]
        else:
            with pytest.raises(KeyExceedsRights):
                act()


def test_an_owner_of_another_company_has_no_rights_here(acme: Shop, globex: Shop) -> None:
    with pytest.raises(KeyExceedsRights):
        issue_key(acme.production, ["refunds:write"], by=a_member(globex.company))


def test_owners_are_told_of_each_live_key_and_of_no_other(acme: Shop) -> None:
    owner = a_member(acme.company, email="ana@acme.example")
    Email.objects.all().delete()

    issue_key(acme.sandbox, ["transactions:read"], "Sandbox")
    key, text = issue_key(acme.production, ["transactions:read"], "Till", by=owner)

    told = Email.objects.filter(recipient=owner.email).get()
    for said in ("Till", key.last4, "transactions:read", owner.email, "/keys/"):
        assert said in told.text
    assert text not in told.text
    assert not Email.objects.filter(
        recipient__in=User.objects.exclude(memberships__company=acme.company).values("email")
    )
