"""Ways to show who one is before an action that waits: what counts as a second factor, how often, where."""

import re

import pytest
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from django.core import mail
from django.core.cache import cache
from django.test import Client

from accounts.models import AuditEntry, Invitation, User
from tests.support.companies import Shop
from tests.support.pages import Page
from tests.support.people import PASSWORD, a_member, code_of, set_up, signed_in, six_minutes_pass
from tests.support.step_up import CODE, CONFIRM, an_invitation, confirmed

NEW_PASSWORD = "another horse battery staple"


@pytest.fixture
def user(acme: Shop) -> User:
    return a_member(acme.company)


@pytest.fixture
def secret(user: User) -> str:
    return set_up(user)


@pytest.fixture
def browser(user: User, secret: str) -> Client:
    return signed_in(user)


def shows(browser: Client, code: str) -> str | None:
    """Where the page of the code leads to; None: the code is refused."""
    cache.clear()
    return browser.post(CODE, {"code": code, "next": CONFIRM}).headers.get("location")


def resets(user: User) -> Client:
    """The browser in which a person has chosen another password by the code of an e-mail."""
    cache.clear()
    other = Client(REMOTE_ADDR="10.0.0.2", headers={"accept-language": "en"})
    asked = other.post("/accounts/password/reset/", {"email": user.email})
    found = re.search(r"^([0-9A-Z]{4}-[0-9A-Z]{4})$", str(mail.outbox[-1].body), re.MULTILINE)
    assert found
    proved = other.post(asked["location"], {"code": found[1]})
    done = other.post(proved["location"], {"password1": NEW_PASSWORD})
    assert done.status_code == 302
    return other


# ── A recovery code ───────────────────────────────────────────────────────────────────────────────────────────────
def test_a_recovery_code_confirms_once(browser: Client, user: User, acme: Shop, page: Page) -> None:
    code, *_others = RecoveryCodes.activate(user).get_unused_codes()
    browser.post(page("invite"), an_invitation("nina@acme.example"))

    assert shows(browser, code) == CONFIRM
    confirmed(browser, browser.get(CONFIRM))
    six_minutes_pass(browser)
    browser.post(page("invite"), an_invitation("again@acme.example"))

    assert shows(browser, code) is None
    assert browser.get(CONFIRM)["location"].startswith(CODE)
    assert [one.email for one in Invitation.objects.all()] == ["nina@acme.example"]


def test_each_recovery_code_is_good_for_itself(browser: Client, user: User, acme: Shop, page: Page) -> None:
    first, second, *_others = RecoveryCodes.activate(user).get_unused_codes()
    for code, email in ((first, "nina@acme.example"), (second, "rui@acme.example")):
        browser.post(page("invite"), an_invitation(email))
        assert shows(browser, code) == CONFIRM
        confirmed(browser, browser.get(CONFIRM))
        six_minutes_pass(browser)

    assert Invitation.objects.count() == 2


# ── A password that was reset ─────────────────────────────────────────────────────────────────────────────────────
def test_a_reset_password_is_no_second_factor(user: User, secret: str, acme: Shop, page: Page) -> None:
    other = resets(user)
    cache.clear()
    other.post("/accounts/login/", {"login": user.email, "password": NEW_PASSWORD})

    assert other.get(page("invite"))["location"].startswith("/accounts/")
    assert other.post(page("invite"), an_invitation())["location"].startswith("/accounts/")
    assert other.get("/dashboard/")["location"].startswith("/accounts/login/")
    assert Invitation.objects.count() == 0


def test_a_reset_ends_the_sessions_in_which_something_waits(
    browser: Client, user: User, secret: str, acme: Shop, page: Page
) -> None:
    browser.post(page("invite"), an_invitation())
    assert shows(browser, code_of(secret)) == CONFIRM
    shown = browser.get(CONFIRM)
    assert shown.status_code == 200

    resets(user)

    assert confirmed(browser, shown)["location"].startswith("/accounts/login/")
    assert browser.get(CONFIRM)["location"].startswith("/accounts/login/")
    assert Invitation.objects.count() == 0


def test_an_action_is_confirmed_after_a_reset_with_the_factor_that_stayed(
    user: User, secret: str, acme: Shop, page: Page
) -> None:
    other = resets(user)
    cache.clear()
    other.post("/accounts/login/", {"login": user.email, "password": NEW_PASSWORD})
    other.post("/accounts/2fa/authenticate/", {"code": code_of(secret)})
    six_minutes_pass(other)

    asked = other.post(page("invite"), an_invitation("nina@acme.example"))
    assert asked["location"].startswith(CODE)
    assert other.post("/accounts/reauthenticate/", {"password": NEW_PASSWORD, "next": CONFIRM})
    assert other.get(CONFIRM)["location"].startswith(CODE)
    assert Invitation.objects.count() == 0

    assert shows(other, code_of(secret)) == CONFIRM
    confirmed(other, other.get(CONFIRM))
    assert [one.email for one in Invitation.objects.all()] == ["nina@acme.example"]
    assert AuditEntry.objects.get(action="member.invited").address == "10.0.0.2"


def test_the_old_password_opens_nothing_after_a_reset(user: User, secret: str) -> None:
    resets(user)
    cache.clear()
    thief = Client(REMOTE_ADDR="10.6.6.6")

    thief.post("/accounts/login/", {"login": user.email, "password": PASSWORD})
    assert thief.get("/dashboard/")["location"].startswith("/accounts/login/")
    thief.post("/accounts/2fa/authenticate/", {"code": code_of(secret)})
    assert thief.get("/dashboard/")["location"].startswith("/accounts/login/")
