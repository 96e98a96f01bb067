"""Routes: which accounts are asked for a method or a payout rail and an amount, in which order; a company's own or
everybody's.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from accounts import audit
from accounts.audit import Actor
from accounts.base.errors import Fault
from accounts.models import Environment, Merchant
from gateway.providers.errors import RouteInvalid
from gateway.providers.models import Flow, ProviderAccount, ProviderRoute
from gateway.providers.selectors import serves
from ledger.notation import plain_amount

_OUT = "OUT:"


@dataclass(frozen=True, slots=True)
class RouteKey:
    """What a route is for: payments by a method, or withdrawals over a rail. `merchant` None: for everybody without a
    route of their own.
    """

    method: str
    currency: str
    merchant: Merchant | None = None
    flow: Flow = Flow.IN

    @classmethod
    def parse(cls, text: str) -> "RouteKey":
        """The inverse of `name`. Raises ONP422_PROVIDER_ROUTE."""
        flow = Flow.OUT if text.startswith(_OUT) else Flow.IN
        method, currency, *companies = text.removeprefix(_OUT).split(":")
        if not companies:
            return cls(method, currency, flow=flow)
        merchants = Merchant.objects.select_related("company")
        found = merchants.filter(company=companies[0], environment=Environment.PRODUCTION).first()
        if found is None:
            raise RouteInvalid(faults=[Fault("company", "UNKNOWN", _("There is no such company."))])
        return cls(method, currency, found, flow)

    @property
    def name(self) -> str:
        """`PIX:BRL`, or `PIX:BRL:cmp_…`; of withdrawals with `OUT:` before it."""
        company = [self.merchant.company_id] if self.merchant else []
        return (_OUT if self.is_out else "") + ":".join([self.method, self.currency, *company])

    @property
    def is_out(self) -> bool:
        return self.flow == Flow.OUT

    @property
    def served(self) -> str:
        """In words: `PIX in BRL`, `withdrawals by PIX in BRL`."""
        told = _("withdrawals by %(method)s in %(currency)s") if self.is_out else _("%(method)s in %(currency)s")
        return told % {"method": self.method, "currency": self.currency}

    def places(self) -> QuerySet[ProviderRoute]:
        """Its stored places, in order."""
        found = ProviderRoute.objects.filter(flow=self.flow, method=self.method, currency=self.currency)
        return found.filter(merchant=self.merchant).order_by("position")

    def __str__(self) -> str:
        told = _("%(route)s withdrawals of %(owner)s") if self.is_out else _("%(route)s of %(owner)s")
        owner = self.merchant.company if self.merchant else _("everybody")
        return told % {"route": f"{self.method} {self.currency}", "owner": owner}


@dataclass(frozen=True, slots=True)
class Place:
    """An account in a route, and the amounts for which it is asked: minor units, inclusive; None: without a limit."""

    account: ProviderAccount
    smallest: int | None = None
    largest: int | None = None

    @property
    def stored(self) -> list[Any]:
        """As proposals and the audit keep it."""
        return [self.account.pk, self.smallest, self.largest]

    def in_words(self, currency: str) -> str:
        limits = ((_("from %(amount)s"), self.smallest), (_("up to %(amount)s"), self.largest))
        amounts = [text % {"amount": plain_amount(limit, currency)} for text, limit in limits if limit is not None]
        return " ".join([str(self.account), *amounts])


def places_of(key: RouteKey) -> list[Place]:
    """A route as it was set, in order."""
    in_order = key.places().select_related("account")
    return [Place(route.account, route.smallest, route.largest) for route in in_order]


def chosen(stored: Sequence[Sequence[Any]]) -> list[Place]:
    """The inverse of `Place.stored`, in this order. Raises ONP422_PROVIDER_ROUTE for an unknown account."""
    known = ProviderAccount.objects.in_bulk([account_id for account_id, *_ in stored])
    if len(known) != len(stored):
        raise RouteInvalid(faults=[Fault("accounts", "INVALID", _("An account is unknown, or was chosen twice."))])
    return [Place(known[account_id], smallest, largest) for account_id, smallest, largest in stored]


def require_servable(key: RouteKey, places: Sequence[Place]) -> None:
    """Raises ONP422_PROVIDER_ROUTE, naming each account that cannot serve the route and why, and a gap in amounts."""
    if key.merchant and key.merchant.environment != Environment.PRODUCTION:
        raise RouteInvalid(faults=[Fault("company", "INVALID", _("The sandbox has no routes."))])
    faults = [Fault(one.account.pk, "INVALID", why) for one in places if (why := _obstacle(key, one.account))]
    if wrong := _wrong_amounts(key, places):
        faults.append(Fault("amounts", "INVALID", wrong))
    if faults:
        raise RouteInvalid(faults=faults)


def _wrong_amounts(key: RouteKey, places: Sequence[Place]) -> str:
    """Why the amounts are refused: limits of nothing or in the wrong order, or a gap that no account takes."""
    limits = sorted(
        (1 if one.smallest is None else one.smallest, math.inf if one.largest is None else one.largest)
        for one in places
    )
    if any(smallest < 1 or largest < 1 for smallest, largest in limits):
        return _("A smallest or largest amount is more than zero.")
    if any(smallest > largest for smallest, largest in limits):
        return _("The smallest amount of an account is more than its largest.")
    covered = limits[0][1] if limits else math.inf
    for smallest, largest in limits:
        if smallest > covered + 1:
            ends, begins = (plain_amount(int(minor), key.currency) for minor in (covered, smallest))
            return _("No account takes the amounts between %(ends)s and %(begins)s.") % {"ends": ends, "begins": begins}
        covered = max(covered, largest)
    return ""


def _obstacle(key: RouteKey, account: ProviderAccount) -> str:
    named = {"account": account, "served": key.served}
    if not serves(account, key.method, key.currency, key.flow):
        return _("%(account)s does not serve %(served)s.") % named
    if account.status != ProviderAccount.Status.ACTIVE:
        return _("%(account)s is not active.") % named
    if account.system != ProviderAccount.System.PRODUCTION:
        return _("%(account)s is of the provider's test system.") % named
    if account.merchant_id not in (None, key.merchant.pk if key.merchant else None):
        told = (
            _("%(account)s belongs to another company.") if key.merchant else _("%(account)s belongs to one company.")
        )
        return told % named
    return ""


def set_route(by: Actor, key: RouteKey, places: Sequence[Place], note: str) -> None:
    """New payments or withdrawals ask these accounts, in this order, for the amounts of each. An empty route ends it.

    Raises ONP422_PROVIDER_ROUTE. Call it in a transaction.
    """
    require_servable(key, places)
    before = [place.stored for place in places_of(key)]
    key.places().delete()
    ProviderRoute.objects.bulk_create(
        ProviderRoute(
            merchant=key.merchant,
            flow=key.flow,
            method=key.method,
            currency=key.currency,
            position=position,
            account=place.account,
            smallest=place.smallest,
            largest=place.largest,
        )
        for position, place in enumerate(places)
    )
    audit.record(
        by,
        "provider_route.set",
        merchant=key.merchant,
        object_id=key.name,
        before={"accounts": before},
        after={"accounts": [place.stored for place in places]},
        note=note,
        by_staff=True,
    )
