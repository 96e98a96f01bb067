"""Browsers in which a person has signed in before, recognized by a signed cookie that a new password invalidates."""

import secrets

from django.conf import settings
from django.core.signing import BadSignature
from django.http import HttpRequest, HttpResponseBase
from django.utils.crypto import constant_time_compare

from accounts.models import User

SALT = "accounts.known_browsers"
GOOD_FOR_S = 180 * 86400
MOST_PEOPLE = 5


def remember(request: HttpRequest, response: HttpResponseBase, user: User) -> None:
    """Marks the browser as known after a complete sign-in."""
    others = [entry for entry in _entries(request) if entry[0] != str(user.pk)]
    entries = [*others, (str(user.pk), secrets.token_urlsafe(9), _mark(user))][-MOST_PEOPLE:]
    response.set_signed_cookie(
        settings.KNOWN_BROWSER_COOKIE_NAME,
        "/".join(":".join(entry) for entry in entries),
        salt=SALT,
        max_age=GOOD_FOR_S,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def browser_id(request: HttpRequest, user: User | None) -> str | None:
    """The id of this browser if the person has signed in with it since their last password change."""
    if user is None:
        return None
    named = (
        name for pk, name, mark in _entries(request) if pk == str(user.pk) and constant_time_compare(mark, _mark(user))
    )
    return next(named, None)


def _entries(request: HttpRequest) -> list[tuple[str, str, str]]:
    try:
        text = request.get_signed_cookie(settings.KNOWN_BROWSER_COOKIE_NAME, "", salt=SALT, max_age=GOOD_FOR_S)
    except BadSignature:
        return []
    entries = [entry.split(":") for entry in (text or "").split("/") if entry.count(":") == 2]
    return [(pk, name, mark) for pk, name, mark in entries]


def _mark(user: User) -> str:
    return user.get_session_auth_hash()[:16]
