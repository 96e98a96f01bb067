"""What production still lacks: of one company, and of everything that staff have enabled."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta

from accounts.base.clock import utcnow
from accounts.models import Company, Environment, Merchant
from accounts.selectors import live_keys
from gateway.methods.models import MethodRule
from gateway.methods.selectors import offers
from gateway.payouts import selectors as payouts
from gateway.payouts.models import PayoutRule
from gateway.providers.models import Flow, ProviderAccount
from gateway.providers.selectors import Pair, Route, routes, routes_of_everybody
from webhooks.models import Endpoint
from webhooks.selectors import endpoints

WARNED_BEFORE = timedelta(days=30)
"""How long before a provider's certificate expires staff are warned."""


@dataclass(frozen=True, slots=True)
class Readiness:
    """What a company needs to move real money. `connected` are those of the `enabled` methods that can be paid, and
    `unpaid_rails` the payout rails that it may use and over which nobody pays out; None if it may not withdraw.
    """

    is_verified: bool
    enabled: tuple[Pair, ...]
    connected: tuple[Pair, ...]
    unpaid_rails: tuple[Pair, ...] | None
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
        unpaid_rails=_unpaid_rails(production) if production.withdrawal_enabled else None,
        has_endpoint=endpoints(production).filter(status=Endpoint.Status.ACTIVE).exists(),
        has_key=live_keys(production).exists(),
    )


def _unpaid_rails(production: Merchant) -> tuple[Pair, ...]:
    routed = routes(production, Flow.OUT)
    rules = [rule for rule in payouts.known(production) if rule.enabled]
    return tuple(_pair(rule) for rule in rules if not _takes(routed, rule, rule.minimum))


def _pair(rule: MethodRule | PayoutRule) -> Pair:
    return rule.rail if isinstance(rule, PayoutRule) else rule.method, rule.currency


def _takes(routed: Mapping[Pair, Route], rule: MethodRule | PayoutRule, minimum: int) -> bool:
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


def rails_without_a_route() -> Iterator[tuple[str, str, Company | None]]:
    """The same for payout rails over which nobody pays out."""
    rules = PayoutRule.objects.filter(environment=Environment.PRODUCTION, enabled=True)
    of_everybody = routes_of_everybody(Flow.OUT)
    for rule in rules.select_related("merchant__company").order_by("rail", "currency", "merchant"):
        usable = routes(rule.merchant, Flow.OUT) if rule.merchant else of_everybody
        if not _takes(usable, rule, rule.minimum):
            yield rule.rail, rule.currency, rule.merchant.company if rule.merchant else None


def expiring_accounts() -> list[ProviderAccount]:
    """Accounts that are not closed and whose certificate expires within 30 days, or has expired, the first first."""
    soon = utcnow() + WARNED_BEFORE
    found = ProviderAccount.objects.filter(certificate_expires_at__lte=soon)
    return list(found.exclude(status=ProviderAccount.Status.CLOSED).order_by("certificate_expires_at"))
