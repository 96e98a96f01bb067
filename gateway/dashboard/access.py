"""Who may open a page. `page_view` is before every page of a company: no page is reached past it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial, wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.translation import gettext as _

from accounts import audit, second_factor
from accounts.base import clock
from accounts.base.client_address import client_address
from accounts.base.errors import Refusal
from accounts.models import Company, Environment, Membership, Merchant, User
from accounts.roles import GRANTS, May, Role
from accounts.step_up import Action
from gateway.dashboard import navigation
from gateway.dashboard.forms import OnceForm, SentAlready
from gateway.dashboard.refusals import in_words
from gateway.dashboard.words import ROLE
from ledger.notation import in_market

View = Callable[..., HttpResponseBase]
LAST = "dashboard"
"""In the session: company and environment that were looked at last."""


@dataclass(frozen=True)
class RequestContext:
    """Where a request is: who asks, for which company, in which environment."""

    request: HttpRequest
    user: User
    membership: Membership
    merchant: Merchant

    @property
    def company(self) -> Company:
        return self.merchant.company

    @property
    def is_sandbox(self) -> bool:
        return self.merchant.environment == Environment.SANDBOX

    @property
    def is_closed(self) -> bool:
        """Whether no money moves here: the production of a company that is not verified, or takes no money now."""
        return not self.is_sandbox and not self.merchant.is_operational

    def offers(self, what: May | str) -> bool:
        """Whether pages show the way to what this person may do: closed production offers nothing that moves money."""
        return self.may(what) and not (self.is_closed and May(what) == May.MOVE_MONEY)

    @property
    def environment(self) -> str:
        """As it stands in addresses: "sandbox" or "production"."""
        return self.merchant.environment.lower()

    @property
    def role(self) -> Role:
        return Role(self.membership.role)

    @property
    def role_title(self) -> Any:
        return ROLE[self.role][0]

    @property
    def companies(self) -> QuerySet[Membership]:
        """Every company of this person."""
        return Membership.objects.filter(user=self.user).select_related("company").order_by("company__trade_name")

    def menu(self) -> list[tuple[Any, list[navigation.MenuEntry]]]:
        return navigation.menu(self)

    def may(self, what: May | str) -> bool:
        return May(what) in GRANTS[self.role]

    @cached_property
    def now(self) -> datetime:
        """The time in which the merchant's money lives."""
        return clock.now(self.merchant)

    @cached_property
    def origin(self) -> str | None:
        """The address that this request comes from."""
        address = client_address(self.request)
        return str(address) if address else None

    def to(self, name: str, *args: Any) -> str:
        """The address of a page of the same company in the same environment."""
        return reverse(f"dashboard:{name}", args=(self.company.pk, self.environment, *args))

    def render(self, template: str, status: int = 200, **context: Any) -> HttpResponse:
        return render(self.request, f"dashboard/{template}", {"here": self, **context}, status=status)

    def go(self, name: str, *args: Any, said: str = "") -> HttpResponse:
        """Leads to another page, where `said` is shown."""
        if said:
            messages.success(self.request, said)
        return HttpResponseRedirect(self.to(name, *args))

    def claim(self, form: OnceForm, back: str | None = None) -> None:
        """To be called first in the transaction that does what the form says. Raises SentAlready.

        `back`: where the form stood, if that is not the address that it was sent to.
        """
        try:
            form.claim(self.merchant, self.request.path, getattr(self.request, "request_id", ""))
        except SentAlready as sent:
            sent.back = back
            raise

    def record(self, action: str, object_id: str = "", **facts: Any) -> None:
        """Writes down what the person did (see `accounts.audit.record`)."""
        audit.record(self.request, action, merchant=self.merchant, object_id=object_id, **facts)


Describe = Callable[..., Action]
"""Says in words what a request to a page would do: `describe(here, **arguments of the address)`."""


def page_view(needs: May, *, steps_up: Describe | bool = False, sandbox_only: bool = False) -> Callable[[View], View]:
    """Makes `view(request, here, ...)` a page of a company.

    Who is not signed in is led there; another company's page does not exist; who may not is told what is missing
    (403). With `steps_up` the second factor must be fresh; a form that is sent without is described by it, and waits
    to be confirmed. With `sandbox_only` there is no such page in production. A refusal of a service that the page lets
    through is shown as a page of its own.
    """

    def made(view: View) -> View:
        @wraps(view)
        @login_required
        def opened(
            request: HttpRequest, company_id: str, environment: str, *args: Any, **kwargs: Any
        ) -> HttpResponseBase:
            here = _here(request, company_id, environment)
            if sandbox_only and not here.is_sandbox:
                raise Http404
            if not here.may(needs):
                return here.render("forbidden.html", status=403, needs=needs)
            return _shown(here, view, steps_up, *args, **kwargs)

        opened.needs, opened.steps_up, opened.sandbox_only = needs, steps_up, sandbox_only  # type: ignore[attr-defined]
        return opened

    return made


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
            return view(here.request, here, *args, **kwargs)
    except SentAlready as sent:
        messages.info(here.request, _("This was sent already; nothing was done twice."))
        return HttpResponseRedirect(sent.back or here.request.path)
    except Refusal as refusal:
        return here.render("refused.html", status=refusal.status, refusal=refusal, said=in_words(refusal))


def _here(request: HttpRequest, company_id: str, environment: str) -> RequestContext:
    assert isinstance(request.user, User)
    memberships = Membership.objects.filter(user=request.user, company=company_id)
    membership = memberships.first()
    merchants = Merchant.objects.select_related("company")
    if membership is None:
        raise Http404
    merchant = merchants.get(company=company_id, environment=environment.upper())
    if request.session.get(LAST) != [company_id, environment]:
        request.session[LAST] = [company_id, environment]
    return RequestContext(request, request.user, membership, merchant)
