"""Runs before every page of a signed-in person: language, time zone, and inactivity."""

from collections.abc import Callable
from urllib.parse import urlencode, urlsplit
from zoneinfo import ZoneInfo

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from accounts import terms
from accounts.base.clock import utcnow
from accounts.models import User

PEOPLE = ("/dashboard/", "/accounts/")
STAFF = "/admin/"
UTC = ZoneInfo("UTC")
SEEN = "seen_at"
NOTED_EVERY_S = 30


class PersonMiddleware:
    """Pages are never cached; inactivity signs the person out (reliability S26)."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        path = request.path_info
        if not path.startswith((*PEOPLE, STAFF)):
            return self.get_response(request)
        language = _language(request)
        _remember(request, language)
        zone = _time_zone(request) if path.startswith(PEOPLE) else UTC  # staff compare times with logs
        with translation.override(language), timezone.override(zone):
            response = _kept(self._answer(request))
            response["Content-Language"] = translation.get_language() or ""
        return response

    def _answer(self, request: HttpRequest) -> HttpResponseBase:
        if _was_idle(request):
            logout(request)
            messages.info(request, _("You were inactive for a while: please sign in again."))
            return _redirect_to_sign_in(request)
        if _must_accept_terms(request):
            return _redirect_to(reverse("dashboard:accept_terms"), request)
        return self.get_response(request)


def _redirect_to_sign_in(request: HttpRequest) -> HttpResponseBase:
    return _redirect_to(reverse("account_login"), request)


def _must_accept_terms(request: HttpRequest) -> bool:
    """Before any page of a company or of the person; signing out and the texts themselves stay open."""
    inside = request.path_info.removeprefix("/dashboard/")
    if inside == request.path_info or inside == "terms" or inside.startswith("legal/"):
        return False
    return request.user.is_authenticated and terms.DUE in request.session


def _redirect_to(page: str, request: HttpRequest) -> HttpResponseBase:
    """Redirects to a page that leads back here, with the query."""
    if request.headers.get("hx-request"):  # a fragment: the whole page must sign in
        return HttpResponse(status=204, headers={"HX-Refresh": "true"})
    here = request.get_full_path() if request.method in ("GET", "HEAD") else _page_before(request)
    return HttpResponseRedirect(f"{page}?{urlencode({'next': here})}")


def _page_before(request: HttpRequest) -> str:
    """Our page from which the form was sent; the start page if the browser does not say."""
    before = urlsplit(request.headers.get("referer", ""))
    if before.netloc != request.get_host() or not before.path.startswith(PEOPLE):
        return reverse("dashboard:root")
    return before._replace(scheme="", netloc="", fragment="").geturl()


def _kept(response: HttpResponseBase) -> HttpResponseBase:
    response.headers.setdefault("Cache-Control", "no-store")
    return response


def _was_idle(request: HttpRequest) -> bool:
    if not request.user.is_authenticated:
        return False
    now = int(utcnow().timestamp())
    seen = request.session.get(SEEN, now)
    if now - seen > settings.SESSION_IDLE_S:
        return True
    if SEEN not in request.session or now - seen >= NOTED_EVERY_S:
        request.session[SEEN] = now
    return False


def _language(request: HttpRequest) -> str:
    chosen = getattr(request.user, "language", "") or request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME, "")
    if chosen in dict(settings.LANGUAGES):
        return chosen
    return translation.get_language_from_request(request)


def _remember(request: HttpRequest, language: str) -> None:
    """E-mails to people without a chosen language use that of the pages."""
    user = request.user
    if isinstance(user, User) and user.seen_language != language:
        User.objects.filter(pk=user.pk).update(seen_language=language)


def _time_zone(request: HttpRequest) -> ZoneInfo:
    """The person's own zone, else the browser's from a cookie, else UTC."""
    for name in (getattr(request.user, "time_zone", ""), request.COOKIES.get("time_zone", "")):
        try:
            if name:
                return ZoneInfo(name.replace("%2F", "/"))
        except (ValueError, OSError):
            continue
    return UTC
