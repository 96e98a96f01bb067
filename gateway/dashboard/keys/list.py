"""API keys: issue, review, rotate and revoke. The text of a key is in one response only."""

from dataclasses import dataclass
from datetime import date
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from accounts import selectors, services
from accounts.advice import advice, idle_permissions, last_use
from accounts.models import ApiKey, Environment
from accounts.permissions import ALL
from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.context import RequestContext
from gateway.dashboard.keys.words import ADVICE, PERMISSION


@dataclass(frozen=True)
class KeyCard:
    """A key as it is shown."""

    key: ApiKey
    issuer: str | None

    @property
    def begins(self) -> str:
        return services.KEY_PREFIX[Environment(self.key.merchant.environment)]

    @property
    def advice(self) -> list[tuple[Any, Any]]:
        return [ADVICE[one] for one in advice(self.key)]

    @property
    def has_all_permissions(self) -> bool:
        return set(self.key.permissions) == set(ALL)

    @property
    def may_withdraw(self) -> bool:
        return "withdrawals:write" in self.key.permissions

    @property
    def uses(self) -> list[tuple[str, Any, date | None, bool]]:
        """Each permission: its label, the day of its last use, and whether it is idle."""
        idle = set(idle_permissions(self.key))
        return [(name, PERMISSION[name], last_use(self.key, name), name in idle) for name in self.key.permissions]


@require_safe
@page_view(May.READ_TECHNICAL)
def keys(request: HttpRequest, here: RequestContext) -> HttpResponse:
    """Active keys; with `?ended=1` inactive ones, too."""
    live, ended = _cards(here, selectors.live_keys(here.merchant)), []
    if shows_ended := "ended" in request.GET:
        ended = _cards(here, selectors.inactive_keys(here.merchant)[:100])
    to_do = sum(bool(card.advice) for card in live)
    return here.render("keys/list.html", cards=live, ended=ended, shows_ended=shows_ended, to_do=to_do)


def _cards(here: RequestContext, found: Any) -> list[KeyCard]:
    rows = list(found)
    known = selectors.issuers(rows)
    return [KeyCard(row, known.get(row.pk)) for row in rows]
