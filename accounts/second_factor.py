"""The second factor: who must have one, and which actions require a fresh one (reliability S10, S29)."""

from collections.abc import Callable

from allauth.account.internal.flows.login import record_authentication
from allauth.account.internal.flows.reauthentication import STATE_SESSION_KEY
from allauth.account.signals import authentication_step_completed
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.mfa.models import Authenticator
from allauth.mfa.signals import authenticator_added
from allauth.mfa.utils import is_mfa_enabled
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib import messages
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts import step_up
from accounts.models import User
from accounts.step_up import Action, StepUpNeeded

WANTED = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)
BACK = "second_factor_back"
"""Session key: the page to return to after setting up a second factor."""


def is_set_up(user: User) -> bool:
    return bool(is_mfa_enabled(user, types=WANTED))


def is_fresh(request: HttpRequest) -> bool:
    """Whether the person showed a factor in this browser within the last five minutes."""
    return step_up.was_shown(request, "mfa")


def require(request: HttpRequest, describe: Callable[[], Action] | None = None) -> None:
    """Interrupts a request that requires a fresh second factor. The request is not resumed automatically:

    the person reviews what it would do, as returned by `describe`, and confirms it; without `describe` they return
    to the form. A GET drops an earlier pending action. People without a factor are sent to set one up, and back.
    """
    require_set_up(request)
    if not is_fresh(request):
        raise StepUpNeeded(step_up.keep(request, describe))
    if request.method in ("GET", "HEAD"):
        step_up.forget(request)
    else:
        step_up.redeem(request)


def require_set_up(request: HttpRequest) -> None:
    """Interrupts the request if the person has no second factor."""
    assert isinstance(request.user, User)
    if is_set_up(request.user):
        return
    request.session[BACK] = step_up.page_of(request)
    messages.info(request, _("This requires a second factor. Set one up, then continue where you left off."))
    raise ImmediateHttpResponse(HttpResponseRedirect(reverse("mfa_index")))


def remove(user: User) -> None:
    """Removes all factors of a person who lost theirs, and signs them out everywhere."""
    Authenticator.objects.filter(user=user).delete()
    for session in UserSession.objects.filter(user=user):
        session.end()


def is_demanded() -> bool:
    """Whether sign-in requires a second factor: everywhere except on a developer's machine."""
    return not settings.LOCAL


@receiver(authenticator_added)
def on_set_up(request: HttpRequest, user: User, authenticator: Authenticator, **kwargs: object) -> None:
    if authenticator.type in WANTED:
        record_authentication(request, user, "mfa", id=authenticator.pk, type=authenticator.type)


@receiver(authentication_step_completed)
def on_shown(request: HttpRequest, method: str, **kwargs: object) -> None:
    """Also drops the request that allauth itself would resume."""
    request.session.pop(STATE_SESSION_KEY, None)
    step_up.shown(request, method)
