"""The second factor: who must have one, and for what it must have been shown a moment ago (reliability S10, S29)."""

from functools import partial

from allauth.account.adapter import get_adapter
from allauth.account.authentication import get_authentication_records
from allauth.account.internal.flows.login import record_authentication
from allauth.core.context import request_context
from allauth.core.exceptions import ImmediateHttpResponse, ReauthenticationRequired
from allauth.mfa.models import Authenticator
from allauth.mfa.signals import authenticator_added
from allauth.mfa.utils import is_mfa_enabled
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib import messages
from django.db import transaction
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.clock import wall
from accounts.models import User

FRESH_S = 300
WANTED = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)
BACK = "second_factor_back"
"""In the session: where somebody was going who had to set one up first."""


def is_set_up(user: User) -> bool:
    return bool(is_mfa_enabled(user, types=WANTED))


def is_fresh(request: HttpRequest) -> bool:
    """Whether the person showed it in the last five minutes."""
    since = wall().timestamp() - FRESH_S
    return any(
        record["method"] == "mfa" and record["at"] > since
        for record in get_authentication_records(request, request.user)
    )


def require(request: HttpRequest) -> None:
    """Interrupts a request that needs a fresh second factor; it is carried out when the factor was shown.

    Who has none is led to where one is set up, and back.
    """
    require_set_up(request)
    if not is_fresh(request):
        raise ReauthenticationRequired


def require_set_up(request: HttpRequest) -> None:
    """Interrupts the request of somebody who has no second factor."""
    assert isinstance(request.user, User)
    if is_set_up(request.user):
        return
    request.session[BACK] = request.get_full_path() if request.method == "GET" else request.META.get("HTTP_REFERER", "")
    messages.info(request, _("This needs a second factor. Set one up, then go on where you were."))
    raise ImmediateHttpResponse(HttpResponseRedirect(reverse("mfa_index")))


def remove(request: HttpRequest, user: User) -> None:
    """Takes every factor away from somebody who lost theirs, signs them out everywhere and tells them by e-mail.

    The request is that of whoever does it.
    """
    Authenticator.objects.filter(user=user).delete()
    for session in UserSession.objects.filter(user=user):
        session.end()
    transaction.on_commit(partial(_tell_of_removal, request, user), robust=True)


def _tell_of_removal(request: HttpRequest, user: User) -> None:
    with request_context(request):
        get_adapter().send_notification_mail("mfa/email/totp_deactivated", user)


def is_demanded() -> bool:
    """Whether nobody gets past the sign-in without one: everywhere but on a developer's machine."""
    return not settings.LOCAL


@receiver(authenticator_added)
def setting_it_up_shows_it(request: HttpRequest, user: User, authenticator: Authenticator, **kwargs: object) -> None:
    if authenticator.type in WANTED:
        record_authentication(request, user, "mfa", id=authenticator.pk, type=authenticator.type)
