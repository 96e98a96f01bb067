"""Coming in with a password, an authenticator app and a passkey, before a real browser and its authenticator."""

import re
from collections.abc import Iterator

import pytest
from django.core import mail
from django.core.cache import cache
from django.test import Client
from playwright.sync_api import Page, expect

from accounts.models import Company, Invitation
from tests.support.axe import faults_of
from tests.support.browser import Watched
from tests.support.companies import a_shop
from tests.support.people import PASSWORD, a_member, code_of, six_minutes_pass

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def nobody_failed_before() -> None:
    cache.clear()


@pytest.fixture
def authenticator(watched: Watched) -> Iterator[None]:
    """One that is built in, and whose person always agrees."""
    session = watched.page.context.new_cdp_session(watched.page)
    session.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    session.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    yield
    session.detach()


def sign_in(watched: Watched, email: str) -> Page:
    page = watched.go("/dashboard/")
    page.get_by_label("Email").fill(email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign In", exact=True).click()
    return page


def test_a_founder_signs_up_and_is_in_the_sandbox(watched: Watched) -> None:
    page = watched.go("/accounts/signup/")
    assert (faults_of(page), watched.overflow()) == ([], 0)
    for label, value in (
        ("Company name", "Padaria Central"),
        ("Legal name", "Padaria Central LTDA"),
        ("Tax id of the company", "11.222.333/0001-81"),
        ("Email", "ana@padaria.example"),
        ("Password", PASSWORD),
    ):
        page.get_by_label(label, exact=True).fill(value)
    page.get_by_label("Country").select_option("BR")
    page.get_by_label("I accept the terms").check()
    page.get_by_role("button", name="Sign Up").click()
    code = re.search(r"^([0-9A-Z]{4}-[0-9A-Z]{4})$", str(mail.outbox[-1].body), re.MULTILINE)
    assert code
    assert faults_of(page) == []
    page.get_by_label("Code").fill(code[1])
    page.get_by_role("button", name="Confirm").click()

    expect(page.get_by_text("No real money is involved.")).to_be_visible()
    assert Company.objects.get().trade_name == "Padaria Central"


def test_an_authenticator_app_is_set_up_and_asked_for(watched: Watched) -> None:
    owner = a_member(a_shop("Acme").company)
    page = sign_in(watched, owner.email)
    expect(page.get_by_role("heading", level=1)).to_contain_text("Acme")

    watched.go("/accounts/2fa/")
    assert (faults_of(page), watched.overflow()) == ([], 0)
    watched.go("/accounts/2fa/totp/activate/")
    assert (faults_of(page), watched.overflow()) == ([], 0)
    secret = page.get_by_label("Authenticator secret").input_value()
    page.get_by_label("Authenticator code").fill(code_of(secret))
    page.get_by_role("button", name="Activate").click()
    expect(page.get_by_label("Unused codes")).to_be_visible()
    assert (faults_of(page), watched.overflow()) == ([], 0)

    watched.page.context.clear_cookies()
    sign_in(watched, owner.email)
    expect(page.get_by_label("Code")).to_be_visible()


def test_a_passkey_is_added_and_opens_the_door_alone(watched: Watched, authenticator: None) -> None:
    owner = a_member(a_shop("Acme").company)
    page = sign_in(watched, owner.email)
    watched.go("/accounts/2fa/webauthn/add/")
    assert (faults_of(page), watched.overflow()) == ([], 0)
    page.get_by_label("Passwordless").check()
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_label("Unused codes")).to_be_visible()

    page.context.clear_cookies()
    watched.go("/accounts/login/")
    assert (faults_of(page), watched.overflow()) == ([], 0)
    page.get_by_role("button", name="passkey").click()

    expect(page.get_by_role("heading", level=1)).to_contain_text("Acme")


def test_a_passkey_is_shown_before_an_action_and_carries_nothing_out_by_itself(
    watched: Watched, authenticator: None
) -> None:
    owner = a_member(a_shop("Acme").company)
    page = sign_in(watched, owner.email)
    watched.go("/accounts/2fa/webauthn/add/")
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_label("Unused codes")).to_be_visible()
    watched.go(f"/dashboard/{Company.objects.get().pk}/sandbox/team/invite")
    page.get_by_label("E-mail").fill("nina@acme.example")
    six_minutes_pass(client_of(page))

    page.get_by_role("button", name="Send the invitation").click()
    assert "/accounts/2fa/webauthn/reauthenticate/" in page.url
    assert (faults_of(page), watched.overflow()) == ([], 0)
    page.get_by_role("button", name="security key").click()
    expect(page.get_by_text("Nothing has been done yet.")).to_be_visible()
    expect(page.get_by_text("nina@acme.example")).to_be_visible()
    assert Invitation.objects.count() == 0
    assert (faults_of(page), watched.overflow()) == ([], 0)
    page.get_by_role("button", name="Confirm").click()

    expect(page.locator("main").get_by_text("nina@acme.example").first).to_be_visible()
    assert [one.email for one in Invitation.objects.all()] == ["nina@acme.example"]


def client_of(page: Page) -> Client:
    """The session of the page, for a test that lets time pass in it."""
    client = Client()
    for cookie in page.context.cookies():
        client.cookies[str(cookie["name"])] = str(cookie["value"])
    return client
