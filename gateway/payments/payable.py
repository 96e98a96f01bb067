"""The methods that a merchant's payers can use now: in the sandbox the simulators, in production what is connected."""

from dataclasses import dataclass

from accounts.models import Environment, Merchant
from gateway.methods.rail import Rail
from gateway.methods.registry import rails
from gateway.methods.selectors import MethodOffer, offers
from gateway.providers.selectors import Pair, Route, rail_of, routes


@dataclass(frozen=True, slots=True)
class Payable:
    """A method that the merchant's payers can use now, with the limits of the accounts that serve it."""

    offer: MethodOffer
    rail: Rail
    minimum: int
    maximum: int
    is_failing: bool = False

    @property
    def method(self) -> str:
        return self.offer.rule.method

    @property
    def currency(self) -> str:
        return self.offer.rule.currency

    @property
    def flow(self) -> str:
        """How the payer pays, in the terms of contract §9.1."""
        return self.rail.market(self.currency).flow

    def takes(self, least: int, most: int) -> bool:
        """Whether it takes any amount between these, in minor units."""
        return self.minimum <= most and least <= self.maximum


def payable(merchant: Merchant) -> list[Payable]:
    """In the sandbox by the simulators, in production by the accounts of the routes."""
    if merchant.environment == Environment.SANDBOX:
        simulators = rails(Environment.SANDBOX)
        return [
            Payable(offer, simulators[_pair(offer)], offer.minimum, offer.rule.maximum)
            for offer in offers(merchant)
            if _pair(offer) in simulators
        ]
    routed = routes(merchant)
    found = (_routed(merchant, offer, routed.get(_pair(offer))) for offer in offers(merchant))
    return [one for one in found if one]


def _routed(merchant: Merchant, offer: MethodOffer, route: Route | None) -> Payable | None:
    amounts = route.within(offer.minimum, offer.rule.maximum) if route else None
    if route is None or amounts is None:
        return None
    is_failing = all(account.is_taken_out for account in route.accounts)
    return Payable(offer, rail_of(route.accounts[0], *_pair(offer), of=merchant), *amounts, is_failing)


def _pair(offer: MethodOffer) -> Pair:
    return offer.rule.method, offer.rule.currency
