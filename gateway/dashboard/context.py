"""A request to a page of a company: who asks, for which company and environment, and how it is answered."""

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
from accounts.models import Company, Environment, Membership, Merchant, User
from accounts.roles import GRANTS, May, Role
from gateway.dashboard.forms import OnceForm, SentAlready
from gateway.dashboard.words import ROLE


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
