"""The team: roles, second factors, invitations."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.utils.functional import Promise
from django.views.decorators.http import require_safe

from accounts import joining
from accounts.models import Membership
from accounts.roles import GRANTS, May, Role
from gateway.dashboard.access import page_view
from gateway.dashboard.context import RequestContext
from gateway.dashboard.team.words import FACTOR, MAY
from gateway.dashboard.words import ROLE


@dataclass(frozen=True)
class Person:
    """A member with their second factors."""

    membership: Membership
    factors: list[Promise]


@require_safe
@page_view(May.READ_PAYMENTS)
def team(request: HttpRequest, here: RequestContext) -> HttpResponse:
    """Members by role, invitations, and the permissions of each role."""
    factors = joining.factors(here.company)
    people = [
        Person(one, [FACTOR[kind] for kind in factors.get(one.user_id, ())]) for one in joining.team(here.company)
    ]
    groups = [(ROLE[role], [one for one in people if one.membership.role == role]) for role in Role]
    return here.render(
        "team/list.html",
        groups=[(*message, found) for message, found in groups if found],
        invitations=[(one, joining.stands(one)) for one in joining.invited(here.company)],
        columns=[ROLE[role][0] for role in Role],
        matrix=_matrix(),
    )


def _matrix() -> list[tuple[Promise, Sequence[bool]]]:
    """Permissions by role."""
    return [(MAY[may], [may in GRANTS[role] for role in Role]) for may in May]
