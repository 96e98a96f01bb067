"""Access control of pages. `page_view` wraps every page of a company."""

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from allauth.core.exceptions import ImmediateHttpResponse
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponseBase, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts import second_factor
from accounts.base.errors import Refusal
from accounts.cells import sent_where_it_lives, streamed_here, where_it_lives
from accounts.environments import require_served
from accounts.models import Membership, Merchant, StaffView, User
from accounts.roles import May
from accounts.step_up import Action
from accounts.viewing import services as viewing
from gateway.dashboard.context import RequestContext
from gateway.dashboard.forms import SentAlready
from gateway.dashboard.looking import as_viewer, is_forbidden, is_page
from gateway.dashboard.refusals import in_words
from gateway.database.replica import elsewhere
from ledger.notation import in_market

View = Callable[..., HttpResponseBase]
LAST = "dashboard"
"""Session key: company and environment viewed last."""


Describe = Callable[..., Action]
"""Describes a request to a page in words: `describe(here, **URL arguments)`."""


def page_view(needs: May, *, steps_up: Describe | bool = False, sandbox_only: bool = False) -> Callable[[View], View]:
    """Makes `view(request, here, ...)` a page of a company.

    Redirects to sign-in; 404 for another company's page; 403 without permission, saying which is missing. With
    `steps_up` the second factor must be fresh; a form sent without one is described and waits for confirmation. With
    `sandbox_only` the page does not exist in production. Refusals that the view does not handle become a page.
    While support looks at the company, only pages are shown: no forms, no files, nothing behind the second factor.
    An environment that is served elsewhere is ONP403_ENVIRONMENT_NOT_SERVED. What is only shown may be read from a
    replica.
    """

    def made(view: View) -> View:
        @wraps(view)
        @login_required
        def opened(
            request: HttpRequest, company_id: str, environment: str, *args: Any, **kwargs: Any
        ) -> HttpResponseBase:
            here = _here(request, company_id, environment)
            return _where_it_lives(here, partial(answered, here, *args, **kwargs))

        def answered(here: RequestContext, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if sandbox_only and not here.is_sandbox:
                raise Http404
            if here.look and is_forbidden(here.request, steps_up=bool(steps_up)):
                return here.render("looking.html", status=403)
            if not here.may(needs):
                return here.render("forbidden.html", status=403, needs=needs)
            shown = _shown(here, view, steps_up, *args, **kwargs)
            return here.render("looking.html", status=403) if here.look and not is_page(shown) else shown

        opened.needs, opened.steps_up, opened.sandbox_only = needs, steps_up, sandbox_only  # type: ignore[attr-defined]
        return opened

    return made


def _where_it_lives(here: RequestContext, answered: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    """What is only shown is read once more where the merchant has moved meanwhile; a form is not done twice."""

    def answer() -> HttpResponseBase:
        return streamed_here(answered(), here.merchant)

    if here.request.method in ("GET", "HEAD"):
        return where_it_lives(here.merchant, answer)
    return sent_where_it_lives(here.merchant, answer)


def _identify(here: RequestContext, steps_up: Describe | bool, arguments: dict[str, Any]) -> None:
    if steps_up:
        describe = None if steps_up is True else partial(steps_up, here, **arguments)
        second_factor.require(here.request, describe)
    elif second_factor.is_demanded():
        second_factor.require_set_up(here.request)


def _shown(here: RequestContext, view: View, steps_up: Describe | bool, *args: Any, **kwargs: Any) -> HttpResponseBase:
    try:
        with in_market(here.company.country):
            _identify(here, steps_up, kwargs)
            if query := here.default_query:
                return HttpResponseRedirect(f"{here.request.path}?{query}")
            answer = partial(view, here.request, here, *args, **kwargs)
            return elsewhere(answer) if here.request.method in ("GET", "HEAD") else answer()
    except SentAlready as sent:
        messages.info(here.request, _("This was already sent; nothing was done twice."))
        return HttpResponseRedirect(sent.back or here.request.path)
    except Refusal as refusal:
        return here.render("refused.html", status=refusal.status, refusal=refusal, message=in_words(refusal))


def _here(request: HttpRequest, company_id: str, environment: str) -> RequestContext:
    assert isinstance(request.user, User)
    look = _look(request, company_id)
    memberships = Membership.objects.filter(user=request.user, company=company_id)
    membership = as_viewer(look) if look else memberships.first()
    merchants = Merchant.objects.select_related("company")
    if membership is None:
        raise Http404
    merchant = merchants.get(company=company_id, environment=environment.upper())
    require_served(merchant)
    if look is None and request.session.get(LAST) != [company_id, environment]:
        request.session[LAST] = [company_id, environment]
    return RequestContext(request, request.user, membership, merchant, look)


def _look(request: HttpRequest, company_id: str) -> StaffView | None:
    """The look of support at this company; one that has just ended leads back to the staff admin."""
    if viewing.KEY not in request.session:
        return None
    look = viewing.current(request, company_id)
    if viewing.KEY not in request.session:
        messages.info(request, _("You no longer look at the company's pages: the time is over."))
        raise ImmediateHttpResponse(HttpResponseRedirect(reverse("admin:index")))
    return look
