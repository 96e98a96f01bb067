"""The lists that can have saved views, and whose views are shown where."""

from urllib.parse import urlencode

from django.db.models import Q, QuerySet
from django.http import HttpRequest, QueryDict

from accounts.models import Merchant, User
from accounts.roles import May
from gateway.dashboard.models import SavedView

LISTS: dict[str, May] = {
    "payments": May.READ_PAYMENTS,
    "refunds": May.READ_PAYMENTS,
    "customers": May.READ_PAYMENTS,
    "statement": May.READ_MONEY,
    "receivables": May.READ_MONEY,
    "withdrawals": May.READ_MONEY,
    "webhook": May.READ_TECHNICAL,
    "events": May.READ_TECHNICAL,
    "requests": May.READ_TECHNICAL,
    "audit": May.READ_TRAIL,
}
"""The URL name of each, and the permission of its page. Those of one endpoint's deliveries apply to every endpoint."""
MOST = 20
LONGEST = 1800
"""Characters of a query: with the days of a report it still fits into a notification."""
ALL = "all"
"""`?view=all` opens a list without the default view."""
_NOT_KEPT = ("after", "before", "format", "view")


def kept(query: QueryDict) -> str:
    """The normalized query of a saved view: ordered, without empty members, cursors and formats."""
    members = [(name, value) for name in sorted(query) for value in sorted(query.getlist(name)) if value]
    return urlencode([member for member in members if member[0] not in _NOT_KEPT])


def shown(merchant: Merchant, user: User, page: str) -> QuerySet[SavedView]:
    """This person's views of a list and those that others share with the team, by name."""
    found = SavedView.objects.filter(Q(user=user) | Q(is_shared=True), merchant=merchant, page=page)
    return found.select_related("user").order_by("name", "pk")


def list_of(request: HttpRequest) -> str | None:
    """The name of the list that this request is to; None if it is to another page."""
    name = request.resolver_match.url_name if request.resolver_match else None
    return name if name in LISTS else None


def opens_with_default(request: HttpRequest) -> bool:
    """Whether the request opens a list without a filter, from another page: on the list itself filters are cleared."""
    before = request.headers.get("referer", "").partition("?")[0]
    return request.method == "GET" and not request.GET and before != request.build_absolute_uri(request.path)
