"""A request to a page of a company: person, company, environment, and how to respond."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.functional import cached_property

from accounts import audit
from accounts.base import clock
from accounts.base.client_address import client_address
from accounts.environments import base_url, served, serves
from accounts.models import Company, Environment, Membership, Merchant, StaffView, User
from accounts.roles import GRANTS, May, Role
from gateway.dashboard.forms import OnceForm, SentAlready
from gateway.dashboard.models import SavedView
from gateway.dashboard.saved_views.lists import LISTS, list_of, opens_with_default, shown
from gateway.dashboard.words import ROLE


@dataclass(frozen=True)
class RequestContext:
    """The context of a request: person, company and environment."""

    request: HttpRequest
    user: User
    membership: Membership
    merchant: Merchant
    look: StaffView | None = None
    """Set while support looks at the pages: these are read-only then."""

    @property
    def company(self) -> Company:
        return self.merchant.company

    @property
    def is_sandbox(self) -> bool:
        return self.merchant.environment == Environment.SANDBOX

    @property
    def is_closed(self) -> bool:
        """Whether no money moves here: production of a company that is unverified, suspended or closed."""
        return not self.is_sandbox and not self.merchant.is_operational

    def offers(self, what: May | str) -> bool:
        """Whether pages offer this person actions that need the permission: closed production offers none that move
        money.
        """
        return self.may(what) and not (self.is_closed and May(what) == May.MOVE_MONEY)

    @property
    def environment(self) -> str:
        """As in URLs: "sandbox" or "production"."""
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

    def may(self, what: May | str) -> bool:
        return May(what) in GRANTS[self.role]

    @cached_property
    def now(self) -> datetime:
        """The time that applies to the merchant's money."""
        return clock.now(self.merchant)

    @cached_property
    def origin(self) -> str | None:
        """The client address of the request."""
        address = client_address(self.request)
        return str(address) if address else None

    def to(self, name: str, *args: Any) -> str:
        """The URL of a page of the same company in the same environment."""
        return reverse(f"dashboard:{name}", args=(self.company.pk, self.environment, *args))

    @cached_property
    def views(self) -> list[SavedView]:
        """The saved views of the list that is shown, by name: this person's, and those shared with the team."""
        name = list_of(self.request)
        return list(shown(self.merchant, self.user, name)) if name and self.may(LISTS[name]) else []

    @property
    def default_query(self) -> str:
        """The query of the person's default view, if this request opens its list; else empty."""
        if list_of(self.request) is None or not opens_with_default(self.request):
            return ""
        mine = (view.query for view in self.views if view.is_default and view.user_id == self.user.pk)
        return next(mine, "")

    @property
    def environments(self) -> list[Environment]:
        """Those that this process serves: the others have another address."""
        return served()

    def page_in(self, environment: Environment, name: str) -> str:
        """The URL of a page of the same company in this environment; where another process serves that, its home."""
        if serves(environment):
            return reverse(f"dashboard:{name}", args=(self.company.pk, environment.lower()))
        return base_url(environment) + reverse("dashboard:home", args=(self.company.pk, environment.lower()))

    def render(self, template: str, status: int = 200, **context: Any) -> HttpResponse:
        return render(self.request, f"dashboard/{template}", {"here": self, **context}, status=status)

    def redirect(self, name: str, *args: Any, message: str = "") -> HttpResponse:
        """Redirects to another page, which shows `message`."""
        if message:
            messages.success(self.request, message)
        return HttpResponseRedirect(self.to(name, *args))

    def claim(self, form: OnceForm, back: str | None = None) -> None:
        """Call first in the transaction that carries the form out. Raises SentAlready.

        `back`: the page of the form, if that is not the URL it was sent to.
        """
        try:
            form.claim(self.merchant, self.request.path, getattr(self.request, "request_id", ""))
        except SentAlready as sent:
            sent.back = back
            raise

    def record(self, action: str, object_id: str = "", **facts: Any) -> None:
        """Records the person's action (see `accounts.audit.record`)."""
        audit.record(self.request, action, merchant=self.merchant, object_id=object_id, **facts)
