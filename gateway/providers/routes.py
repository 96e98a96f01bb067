"""Routes: which accounts are asked for a method, in which order; a company's own or everybody's."""

from collections.abc import Sequence
from dataclasses import dataclass

from accounts import audit
from accounts.audit import Actor
from accounts.base.errors import Fault
from accounts.models import Environment, Merchant
from gateway.providers.errors import RouteInvalid
from gateway.providers.models import ProviderAccount, ProviderRoute
from gateway.providers.selectors import serves


@dataclass(frozen=True, slots=True)
class RouteKey:
    """What a route is for. `merchant` None: for everybody without a route of their own."""

    method: str
    currency: str
    merchant: Merchant | None = None

    @classmethod
    def parse(cls, text: str) -> "RouteKey":
        """The inverse of `name`. Raises ONP422_PROVIDER_ROUTE."""
        method, currency, *companies = text.split(":")
        if not companies:
            return cls(method, currency)
        merchants = Merchant.objects.select_related("company")
        found = merchants.filter(company=companies[0], environment=Environment.PRODUCTION).first()
        if found is None:
            raise RouteInvalid(faults=[Fault("company", "UNKNOWN", "There is no such company.")])
        return cls(method, currency, found)

    @property
    def name(self) -> str:
        """`PIX:BRL`, or `PIX:BRL:cmp_…`."""
        company = [self.merchant.company_id] if self.merchant else []
        return ":".join([self.method, self.currency, *company])

    def __str__(self) -> str:
        return f"{self.method} {self.currency} of {self.merchant.company if self.merchant else 'everybody'}"


def accounts_of(key: RouteKey) -> list[ProviderAccount]:
    """The accounts of a route as it was set, in order."""
    routes = ProviderRoute.objects.filter(merchant=key.merchant, method=key.method, currency=key.currency)
    return [route.account for route in routes.select_related("account").order_by("position")]


def chosen(account_ids: Sequence[str]) -> list[ProviderAccount]:
    """The accounts with these ids, in this order. Raises ONP422_PROVIDER_ROUTE for an unknown one."""
    known = {account.pk: account for account in ProviderAccount.objects.filter(pk__in=account_ids)}
    if len(known) != len(account_ids):
        raise RouteInvalid(faults=[Fault("accounts", "INVALID", "An account is unknown, or was chosen twice.")])
    return [known[account_id] for account_id in account_ids]


def require_servable(key: RouteKey, accounts: Sequence[ProviderAccount]) -> None:
    """Raises ONP422_PROVIDER_ROUTE, naming each account that cannot serve the route and why."""
    if key.merchant and key.merchant.environment != Environment.PRODUCTION:
        raise RouteInvalid(faults=[Fault("company", "INVALID", "The sandbox has no routes.")])
    faults = [Fault(account.pk, "INVALID", why) for account in accounts if (why := _obstacle(key, account))]
    if faults:
        raise RouteInvalid(faults=faults)


def _obstacle(key: RouteKey, account: ProviderAccount) -> str:
    if not serves(account, key.method, key.currency):
        return f"{account} does not serve {key.method} in {key.currency}."
    if account.status != ProviderAccount.Status.ACTIVE:
        return f"{account} is not active."
    if account.system != ProviderAccount.System.PRODUCTION:
        return f"{account} is of the provider's test system."
    if account.merchant_id not in (None, key.merchant.pk if key.merchant else None):
        return f"{account} belongs to another company." if key.merchant else f"{account} belongs to one company."
    return ""


def set_route(by: Actor, key: RouteKey, accounts: Sequence[ProviderAccount], note: str) -> None:
    """New payments of the method ask these accounts, in this order. An empty route ends it.

    Raises ONP422_PROVIDER_ROUTE. Call it in a transaction.
    """
    require_servable(key, accounts)
    before = [account.pk for account in accounts_of(key)]
    ProviderRoute.objects.filter(merchant=key.merchant, method=key.method, currency=key.currency).delete()
    ProviderRoute.objects.bulk_create(
        ProviderRoute(
            merchant=key.merchant, method=key.method, currency=key.currency, position=position, account=account
        )
        for position, account in enumerate(accounts)
    )
    audit.record(
        by,
        "provider_route.set",
        merchant=key.merchant,
        object_id=key.name,
        before={"accounts": before},
        after={"accounts": [account.pk for account in accounts]},
        note=note,
        by_staff=True,
    )
