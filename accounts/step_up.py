"""Requests pending a second factor. None is resumed automatically: the person reviews and confirms it.

A shown factor and a pending action count in one browser only: a stolen session alone gains neither. A random token
in a cookie identifies the browser; the session stores its digest, and the token changes each time.
"""

import hashlib
import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlencode, urlsplit

from allauth.account.adapter import get_adapter
from allauth.core.exceptions import ImmediateHttpResponse, ReauthenticationRequired
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase, HttpResponseRedirect
from django.urls import reverse
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _

from accounts.base.clock import utcnow
from accounts.base.sealing import seal, unseal

GOOD_FOR_S = 300
MOST_KEPT = 64 * 1024
NONCE = "confirms"
"""Form field of a confirmation that names the pending action."""
KEY = "step_up"
"""Session key: the browser's digest, when each factor was shown in it, and the sealed pending action with its time."""
LEFT_OUT = ("csrfmiddlewaretoken", NONCE)


@dataclass(frozen=True, slots=True)
class Action:
    """A description of a request's effect: a title and labelled facts."""

    title: str
    facts: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class PendingAction:
    """An interrupted request: its action, its origin and target pages, and its fields."""

    nonce: str
    user_id: int
    action: Action
    back: str
    path: str
    fields: tuple[tuple[str, str], ...]


class StepUpNeeded(ReauthenticationRequired):
    """The person must show a factor first and then continues at `back`."""

    def __init__(self, back: str) -> None:
        super().__init__(back)
        self.back = back


def shown(request: HttpRequest, what: str) -> None:
    """Records that a factor was shown in this browser. A pending action of another browser is dropped."""
    before = _state(request)
    _bind(request, {**before, what: utcnow().timestamp()})


def was_shown(request: HttpRequest, *factors: str) -> bool:
    """Whether one of these factors was shown in this browser within the last five minutes."""
    state = _state(request)
    return any(_is_recent(state.get(name)) for name in factors)


def keep(request: HttpRequest, describe: Callable[[], Action] | None) -> str:
    """Stores an interrupted request for confirmation and returns its page.

    Requests without a description, with files or with large bodies are not stored: the person returns to the form.
    """
    forget(request)
    if request.method in ("GET", "HEAD"):
        return request.get_full_path()
    back = page_of(request)
    fields = tuple((name, value) for name, values in request.POST.lists() for value in values if name not in LEFT_OUT)
    if describe is None or request.FILES or sum(len(name) + len(value) for name, value in fields) > MOST_KEPT:
        messages.info(request, _("Nothing has been done yet. Please fill in the form again and send it."))
        return back
    action = describe()
    facts = tuple((str(name), str(value)) for name, value in action.facts)
    waiting = [secrets.token_urlsafe(16), request.user.pk, str(action.title), facts, back]
    sealed = seal(json.dumps([*waiting, request.get_full_path(), fields]).encode())
    _bind(request, {"waiting": sealed.decode(), "asked": utcnow().timestamp()})
    return reverse("confirm_action")


def waiting(request: HttpRequest) -> PendingAction | None:
    """The action pending in this browser for this person for less than five minutes."""
    state = _state(request)
    if "waiting" not in state or not _is_recent(state["asked"]):
        return None
    nonce, user_id, title, facts, back, path, fields = json.loads(unseal(state["waiting"].encode()))
    action = Action(title, tuple((name, value) for name, value in facts))
    found = PendingAction(nonce, user_id, action, back, path, tuple((name, value) for name, value in fields))
    return found if user_id == request.user.pk else None


def redeem(request: HttpRequest) -> None:
    """Lets a confirmation through once, and every request that is not one. Others lead to the pending action, if
    any.
    """
    nonce = request.POST.get(NONCE)
    if nonce is None:
        return
    found = waiting(request)
    if found and constant_time_compare(found.nonce, nonce) and found.path == request.get_full_path():
        forget(request)
        return
    raise ImmediateHttpResponse(HttpResponseRedirect(reverse("confirm_action")))


def forget(request: HttpRequest) -> None:
    """Drops the pending action, whichever browser it is from."""
    state = request.session.get(KEY)
    if state and state.pop("waiting", None):
        request.session.modified = True


def page_of(request: HttpRequest) -> str:
    """The page a person is on: the requested one, or our page from which a form was sent."""
    origin = urlsplit(request.headers.get("referer", ""))
    if request.method not in ("GET", "HEAD") and origin.netloc == request.get_host() and origin.path.startswith("/"):
        return f"/{origin.path.lstrip('/')}" + (f"?{origin.query}" if origin.query else "")
    return request.get_full_path()


def _state(request: HttpRequest) -> dict[str, Any]:
    """The session's state for this browser; empty in another browser."""
    state: dict[str, Any] = request.session.get(KEY) or {}
    token = request.COOKIES.get(settings.STEP_UP_COOKIE_NAME, "")
    return state if token and constant_time_compare(_digest(token), state.get("browser", "")) else {}


def _bind(request: HttpRequest, state: dict[str, Any]) -> None:
    """Gives the browser a new token and stores the state under its digest."""
    token = secrets.token_urlsafe(32)
    request.session[KEY] = {**state, "browser": _digest(token)}
    request.COOKIES[settings.STEP_UP_COOKIE_NAME] = token
    request.step_up_token = token  # type: ignore[attr-defined]


def _is_recent(at: float | None) -> bool:
    return at is not None and utcnow().timestamp() - at < GOOD_FOR_S


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


class StepUpMiddleware:
    """Redirects interrupted requests to the factor page, and sets the browser's token.

    It runs inside allauth's middleware, which would resume the request as soon as the factor is shown.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        request.pending_action = partial(waiting, request)  # type: ignore[attr-defined]
        response = self.get_response(request)
        if token := getattr(request, "step_up_token", None):
            response.set_cookie(
                settings.STEP_UP_COOKIE_NAME,
                token,
                max_age=GOOD_FOR_S,
                secure=settings.SESSION_COOKIE_SECURE,
                httponly=True,
                samesite="Lax",
            )
        return response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponseBase | None:
        if not isinstance(exception, ReauthenticationRequired):
            return None
        back = exception.back if isinstance(exception, StepUpNeeded) else keep(request, None)
        methods = get_adapter().get_reauthentication_methods(request.user)
        where = methods[0]["url"] if methods else reverse("account_login")
        return HttpResponseRedirect(f"{where}?{urlencode({'next': back})}")
