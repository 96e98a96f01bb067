"""What production still lacks: of one company, and of everything that staff have enabled."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta

from accounts.base.clock import utcnow
from accounts.models import Company, Environment, Merchant
from accounts.selectors import live_keys
from gateway.methods.models import MethodRule
from gateway.methods.selectors import offers
from gateway.providers.models import ProviderAccount
from gateway.providers.selectors import Pair, Route, routes, routes_of_everybody
from webhooks.models import Endpoint
from webhooks.selectors import endpoints

WARNED_BEFORE = timedelta(days=30)
"""How long before a provider's certificate expires staff are warned."""


@dataclass(frozen=True, slots=True)
class Readiness:
    """What a company needs to take real money. `connected` are those of the `enabled` methods that can be paid."""

    is_verified: bool
    enabled: tuple[Pair, ...]
    connected: tuple[Pair, ...]
    has_endpoint: bool
    has_key: bool

    @property
    def unconnected(self) -> tuple[Pair, ...]:
        """Enabled methods without a provider."""
        return tuple(pair for pair in self.enabled if pair not in self.connected)


def readiness(production: Merchant) -> Readiness:
    offered, routed = offers(production), routes(production)
    enabled = tuple(_pair(offer.rule) for offer in offered)
    return Readiness(
        is_verified=production.company.status == Company.Status.ACTIVE,
        enabled=enabled,
        connected=tuple(_pair(offer.rule) for offer in offered if _takes(routed, offer.rule, offer.minimum)),
        has_endpoint=endpoints(production).filter(status=Endpoint.Status.ACTIVE).exists(),
        has_key=live_keys(production).exists(),
    )


def _pair(rule: MethodRule) -> Pair:
    return rule.method, rule.currency


def _takes(routed: Mapping[Pair, Route], rule: MethodRule, minimum: int) -> bool:
    """Whether an account takes any of the amounts that the rule allows."""
    route = routed.get(_pair(rule))
    return route is not None and route.within(minimum, rule.maximum) is not None


def enabled_without_a_route() -> Iterator[tuple[str, str, Company | None]]:
    """Methods and currencies that are enabled in production and cannot be paid; None: enabled for everybody."""
    rules = MethodRule.objects.filter(environment=Environment.PRODUCTION, enabled=True)
    of_everybody = routes_of_everybody()
    for rule in rules.select_related("merchant__company").order_by("method", "currency", "merchant"):
        usable = routes(rule.merchant) if rule.merchant else of_everybody
        if not _takes(usable, rule, rule.minimum):
            yield rule.method, rule.currency, rule.merchant.company if rule.merchant else None


def expiring_accounts() -> list[ProviderAccount]:
    """Accounts that are not closed and whose certificate expires within 30 days, or has expired, the first first."""
    soon = utcnow() + WARNED_BEFORE
    found = ProviderAccount.objects.filter(certificate_expires_at__lte=soon)
    return list(found.exclude(status=ProviderAccount.Status.CLOSED).order_by("certificate_expires_at"))
