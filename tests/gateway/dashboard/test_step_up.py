"""The second factor before sensitive forms: a stolen session gets nothing from it, whatever it prepares."""

import json
from urllib.parse import quote, urlencode
from uuid import uuid4

import pytest
from allauth.account.models import EmailAddress
from django.test import Client

from accounts.models import AuditEntry, Invitation, User
from accounts.roles import Role
from gateway.models import Withdrawal
from tests.support.companies import Shop
from tests.support.forms import form_in
from tests.support.pages import Page
from tests.support.payments import a_payment
from tests.support.people import a_member, set_up, shows_the_factor, signed_in, six_minutes_pass, with_the_session_of
from tests.support.step_up import CODE, CONFIRM, an_invitation, confirmed


@pytest.fixture
def user(acme: Shop) -> User:
    return a_member(acme.company)


@pytest.fixture
def secret(user: User) -> str:
    return set_up(user)


@pytest.fixture
def browser(user: User, secret: str) -> Client:
    """The owner's, who has shown no second factor for a while."""
    return signed_in(user)


def a_withdrawal(amount: str = "777.00") -> dict[str, str]:
    key = {"pix_key_type": "EMAIL", "pix_key": "thief@evil.example"}
    return {"once": str(uuid4()), "amount": amount, "reference": "stolen-1", **key}


def test_what_is_asked_for_is_told_in_words_and_waits_for_its_button(
    browser: Client, secret: str, acme: Shop, page: Page
) -> None:
    a_payment(acme.sandbox, "PAID", "1000.00")
    asked = browser.post(page("confirm_withdrawal", "pix"), a_withdrawal())
    led = shows_the_factor(browser, secret, CONFIRM)
    shown = browser.get(CONFIRM)

    assert asked["location"] == f"{CODE}?next=%2Faccounts%2Fconfirm%2F"
    assert led["location"] == CONFIRM
    text = shown.content.decode()
    for said in ("Withdraw money", "Acme", "Sandbox", "PIX", "BRL", "777.00", "thief@evil.example", "E-mail address"):
        assert said in text
    assert Withdrawal.objects.count() == 0

    done = confirmed(browser, shown)

    [made] = Withdrawal.objects.all()
    assert done["location"] == page("withdrawal", made.pk)
    assert (made.amount_exact, made.destination["pixKey"]) == (777, "t***@evil.example")


def test_a_plant_is_dropped_by_the_code_of_another_browser(
    browser: Client, secret: str, acme: Shop, page: Page
) -> None:
    thief = with_the_session_of(browser)
    where = page("invite")

    assert thief.post(where, an_invitation())["location"].startswith(CODE)
    assert shows_the_factor(browser, secret, where)["location"] == where
    assert b"evil@attacker.example" not in browser.get(where).content
    for who in (browser, thief):
        assert who.get(CONFIRM).status_code == 410
    assert Invitation.objects.count() == 0


def test_a_link_to_the_page_of_the_code_carries_nothing_out(
    browser: Client, secret: str, acme: Shop, page: Page
) -> None:
    a_payment(acme.sandbox, "PAID", "1000.00")
    thief, where = with_the_session_of(browser), page("confirm_withdrawal", "pix")
    for back in (where, CONFIRM):
        thief.post(where, a_withdrawal())
        assert browser.get(f"{CODE}?next={back}").status_code == 200
        assert shows_the_factor(browser, secret, back)["location"] == back
        assert browser.get(back).status_code in (405, 410)

    assert Withdrawal.objects.count() == 0


def test_a_thief_gains_nothing_from_the_code_that_the_owner_shows(
    browser: Client, secret: str, acme: Shop, page: Page
) -> None:
    thief, where = with_the_session_of(browser), page("invite")
    shows_the_factor(browser, secret, where)

    for attempt in (thief.post(where, an_invitation()), thief.get(where)):
        assert attempt["location"].startswith(CODE)
    assert thief.get("/accounts/2fa/totp/deactivate/")["location"].startswith(CODE)
    changed = thief.post("/accounts/email/", {"action_add": "", "email": "evil@attacker.example"})
    assert changed["location"].startswith(CODE)
    assert Invitation.objects.count() == 0


def test_a_plant_of_the_same_browser_is_never_carried_out_by_itself(
    browser: Client, secret: str, acme: Shop, page: Page
) -> None:
    where = page("invite")
    browser.post(where, an_invitation())
    browser.get(where)  # opens the form again: what waited is dropped

    assert shows_the_factor(browser, secret, where)["location"] == where
    assert browser.get(CONFIRM).status_code == 410
    assert Invitation.objects.count() == 0


def test_what_waits_for_more_than_five_minutes_is_gone(browser: Client, secret: str, acme: Shop, page: Page) -> None:
    browser.post(page("invite"), an_invitation())
    six_minutes_pass(browser)
    shows_the_factor(browser, secret, CONFIRM)

    assert browser.get(CONFIRM).status_code == 410
    assert Invitation.objects.count() == 0


def test_a_confirmation_is_good_once_and_for_its_own_page(browser: Client, secret: str, acme: Shop, page: Page) -> None:
    browser.post(page("invite"), an_invitation("nina@acme.example"))
    shows_the_factor(browser, secret, CONFIRM)
    fields = form_in(browser.get(CONFIRM).content)

    assert browser.post(page("withdrawal_address"), fields)["location"] == CONFIRM
    assert browser.post(page("invite"), fields)["location"] == page("team")
    again = browser.post(page("invite"), fields | {"once": str(uuid4()), "email": "other@acme.example"})

    assert again["location"] == CONFIRM
    assert browser.get(CONFIRM).status_code == 410
    assert [one.email for one in Invitation.objects.all()] == ["nina@acme.example"]


def test_nobody_confirms_what_another_person_asked_for(browser: Client, secret: str, acme: Shop, page: Page) -> None:
    browser.post(page("invite"), an_invitation())
    shows_the_factor(browser, secret, CONFIRM)
    fields = form_in(browser.get(CONFIRM).content)
    colleague = a_member(acme.company, Role.OWNER, "second@acme.example")
    key, other = set_up(colleague), signed_in(colleague)
    shows_the_factor(other, key, CONFIRM)

    assert other.get(CONFIRM).status_code == 410
    assert other.post(page("invite"), fields)["location"] == CONFIRM
    assert Invitation.objects.count() == 0


def test_the_audit_names_the_address_of_who_confirmed(browser: Client, secret: str, acme: Shop, page: Page) -> None:
    browser.post(page("invite"), an_invitation("nina@acme.example"), REMOTE_ADDR="10.6.6.6")
    shows_the_factor(browser, secret, CONFIRM)
    confirmed(browser, browser.get(CONFIRM))

    [entry] = AuditEntry.objects.filter(action="member.invited")
    assert entry.address == "10.0.0.1"


def test_the_code_is_asked_for_again_where_the_confirmation_comes_late(
    browser: Client, secret: str, acme: Shop, page: Page
) -> None:
    browser.post(page("invite"), an_invitation("nina@acme.example"))
    shows_the_factor(browser, secret, CONFIRM)
    shown = browser.get(CONFIRM)
    six_minutes_pass(browser)

    assert confirmed(browser, shown)["location"].startswith(CODE)
    assert Invitation.objects.count() == 0


def test_how_one_signs_in_is_never_changed_by_a_form_that_waited(browser: Client, secret: str, user: User) -> None:
    """allauth's own pages: the form is sent again, by hand."""
    where = "/accounts/email/"
    asked = browser.post(where, {"action_add": "", "email": "evil@attacker.example"})
    assert asked["location"] == f"{CODE}?next=%2Faccounts%2Femail%2F"
    assert "step_up" not in browser.session
    assert shows_the_factor(browser, secret, where)["location"] == where

    assert [one.email for one in EmailAddress.objects.filter(user=user)] == [user.email]


def test_what_allauth_itself_suspended_is_not_resumed(browser: Client, secret: str, acme: Shop, page: Page) -> None:
    where = page("invite")
    planted = {"path": where, "path_info": where, "META": {}, "GET": "", "POST": urlencode(an_invitation())}
    session = browser.session
    session["account_reauthentication_state"] = {
        "request": json.dumps(planted | {"method": "POST", "scheme": "http"}),
    }
    session.save()

    assert shows_the_factor(browser, secret, where)["location"] == where
    assert Invitation.objects.count() == 0


def test_a_large_form_is_not_kept(browser: Client, secret: str, acme: Shop, page: Page) -> None:
    where = page("new_webhook")
    asked = browser.post(where, {"url": "https://shop.example.com/", "description": "x" * 70_000})

    assert asked["location"] == f"{CODE}?next={quote(where, safe='')}"
    assert "step_up" not in browser.session
