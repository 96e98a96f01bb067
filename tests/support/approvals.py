"""Withdrawal rules of a company, and the people and keys that decide under them."""

from datetime import timedelta
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory

from accounts.audit import Actor
from accounts.base.clock import utcnow
from accounts.models import ApiKey, Membership, Merchant, User
from accounts.roles import Role
from accounts.services import issue_key
from gateway.withdrawals.rules import services
from gateway.withdrawals.rules.content import Outside, Rules
from gateway.withdrawals.rules.models import WithdrawalRules
from tests.support.api import Api
from tests.support.companies import Shop

TWO_DAYS = 48 * 3600


def request_of(user: User) -> HttpRequest:
    request = RequestFactory().post("/dashboard/")
    request.user = user
    return request


def set_rules(merchant: Merchant, owner: User, **rules: Any) -> WithdrawalRules | None:
    """What an owner asks for in the dashboard."""
    given = Rules(**rules | {"outside_book": Outside(rules.get("outside_book", Outside.ALLOWED))})
    return services.propose(Actor(owner), merchant, given)


def the_owner(shop: Shop) -> User:
    """The one who was there from the beginning."""
    return User.objects.get(memberships__company=shop.company, memberships__role=Role.OWNER, email__startswith="owner@")


def an_approver(
    shop: Shop, address: str, *, by: User | None = None, name: str = "Approver", merchant: Merchant | None = None
) -> Api:
    """A backend with a key that may approve, and nothing else but read; of the sandbox, or of this merchant."""
    _, text = issue_key(merchant or shop.sandbox, ["withdrawals:approve", "withdrawals:read"], name, by=by)
    return Api(text, address)


def key_of(api: Api) -> ApiKey:
    return ApiKey.objects.get(last4=str(api.key)[-4:])


def approve(api: Api, withdrawal: dict[str, Any], decision: str = "APPROVE", **members: Any) -> HttpResponse:
    return api.post(f"/withdrawals/{withdrawal['id']}/approvals", {"decision": decision} | members)


def age(*rows: Any, by: timedelta = timedelta(days=3)) -> None:
    """Roles and keys that exist for longer than they do."""
    for row in rows:
        column = "role_since" if isinstance(row, Membership) else "created_at"
        type(row).objects.filter(pk=row.pk).update(**{column: utcnow() - by})
