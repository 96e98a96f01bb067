"""People before the dashboard and the admin, who sign in as a person would."""

from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.internal.flows.login import record_authentication
from allauth.core.context import request_context
from allauth.mfa.base.internal.flows import post_authentication
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, generate_totp_secret, hotp_value
from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import AnonymousUser
from django.contrib.messages.storage import default_storage
from django.core.cache import cache
from django.http import HttpResponse
from django.test import Client, RequestFactory

from accounts.base.clock import utcnow
from accounts.models import Company, Membership, User
from accounts.roles import Role

PASSWORD = "correct horse battery staple"


def a_person(email: str, **facts: Any) -> User:
    """Somebody who can sign in, without a second factor."""
    return get_user_model().objects.create_user(email, PASSWORD, terms_version=settings.TERMS_VERSION, **facts)


def a_member(company: Company, role: Role = Role.OWNER, email: str = "") -> User:
    user = a_person(email or f"{role.lower()}@{company.trade_name.lower()}.example")
    Membership.objects.create(company=company, user=user, role=role)
    return user


def set_up(user: User) -> str:
    """Gives a person an authenticator app, and tells its secret."""
    secret = generate_totp_secret()
    TOTP.activate(user, secret)
    return secret


def code_of(secret: str) -> str:
    """What the app shows now."""
    return format_hotp_value(hotp_value(secret, int(utcnow().timestamp()) // 30))


def signed_in(user: User, address: str = "10.0.0.1") -> Client:
    """A browser in which the person has signed in with the password alone."""
    client = Client(REMOTE_ADDR=address, headers={"accept-language": "en"})
    client.force_login(user)
    return client


def signed_in_twice(user: User, address: str = "10.0.0.1") -> Client:
    """A browser in which the person has signed in with password and authenticator app, a moment ago.

    What the two pages do once the answers are right; tests/dashboard/test_signing_in.py walks through the pages.
    """
    set_up(user)
    cache.clear()  # no count of earlier tests
    client = Client(REMOTE_ADDR=address, headers={"accept-language": "en"})
    request = RequestFactory(REMOTE_ADDR=address).get("/accounts/login/")
    request.session, request.user = client.session, AnonymousUser()
    request._messages = default_storage(request)  # type: ignore[attr-defined]
    adapter = get_adapter()
    with request_context(request):
        record_authentication(request, user, "password", email=user.email)
        post_authentication(request, Authenticator.objects.get(user=user, type=Authenticator.Type.TOTP))
        adapter.login(request, user)
        response = adapter.post_login(
            request,
            user,
            email_verification="mandatory",
            signal_kwargs={},
            email=user.email,
            signup=False,
            redirect_url=None,
        )
    request.session.save()
    client.cookies.update(response.cookies)
    client.cookies[settings.SESSION_COOKIE_NAME] = request.session.session_key
    client.cookies[settings.STEP_UP_COOKIE_NAME] = request.step_up_token  # type: ignore[attr-defined]
    return client


def with_the_session_of(browser: Client, address: str = "10.6.6.6") -> Client:
    """Somebody else's browser, who has stolen the session cookie and nothing more."""
    thief = Client(REMOTE_ADDR=address, headers={"accept-language": "en"})
    thief.cookies["session"] = browser.cookies["session"].value
    return thief


def shows_the_factor(browser: Client, secret: str, back: str) -> HttpResponse:
    """The page where the code is asked for, left with the right code; the answer is where that leads to."""
    cache.clear()  # a code is good once
    return browser.post("/accounts/2fa/reauthenticate/", {"code": code_of(secret), "next": back})


def six_minutes_pass(browser: Client) -> None:
    """Since factors were shown and requests interrupted."""
    session = browser.session
    for name, value in session["step_up"].items():
        if isinstance(value, float):
            session["step_up"][name] = value - 360
    session.save()


def browser_of(user: User) -> Client:
    """Signed in with password and authenticator app, a moment ago."""
    Authenticator.objects.filter(user=user).delete()
    return signed_in_twice(user)
