"""Payment methods: what the company can use, with limits and prices (contract §9.1)."""

from itertools import groupby
from typing import Literal

from typing_extensions import TypedDict

from accounts.base.clock import now
from accounts.base.wire import Number
from accounts.models import Environment, Merchant
from gateway.api.errors import InvalidFilter
from gateway.api.inputs.payments import Currency
from gateway.api.operations import Resource, operation
from gateway.api.pagination import ListQuery, ResultPage
from gateway.methods.rail import Rail
from gateway.methods.registry import rails
from gateway.methods.selectors import MethodOffer, offers, required_fields
from gateway.payments.payloads import MethodName
from gateway.providers.selectors import Pair, rail_of, routes
from ledger.money import to_decimal


class FeePayload(TypedDict):
    """Per cent of the amount, and a fixed part in the currency."""

    percentage: Number
    fixed: Number


class ExpirationPayload(TypedDict):
    """The time until expiry in seconds; `min` and `max` are null if it is fixed."""

    default: int
    min: int | None
    max: int | None


class RefundsPayload(TypedDict):
    """Which refunds are possible, and for how long after the payment."""

    full: bool
    partial: bool
    windowDays: int


class MethodPayload(TypedDict):
    """A payment method in a currency."""

    method: MethodName
    status: Literal["ENABLED", "TEMPORARILY_UNAVAILABLE"]
    flow: Literal["PIX_CODE", "BOLETO", "BANK_DETAILS", "REDIRECT", "APP_AUTHORIZATION", "CARD"]
    minAmount: Number
    maxAmount: Number
    amountStep: Number
    fee: FeePayload
    settlementDays: int
    expiration: ExpirationPayload
    requiredFields: list[str]
    refunds: RefundsPayload


class CurrencyMethodsPayload(TypedDict):
    """The payment methods of a currency."""

    currency: str
    methods: list[MethodPayload]


class MethodFilters(ListQuery):
    """Which methods."""

    otherwise = InvalidFilter

    currency: Currency | None = None
    method: MethodName | None = None


def method_payload(offer: MethodOffer, described: Rail, merchant: Merchant) -> MethodPayload:
    rule, price = offer.rule, offer.price
    return {
        "method": rule.method,  # type: ignore[typeddict-item]
        "status": "ENABLED",
        "flow": described.market(rule.currency).flow,  # type: ignore[typeddict-item]
        "minAmount": to_decimal(offer.minimum, rule.currency),
        "maxAmount": to_decimal(rule.maximum, rule.currency),
        "amountStep": to_decimal(1, rule.currency),
        "fee": {"percentage": price.percentage.normalize(), "fixed": to_decimal(price.fixed, rule.currency)},
        "settlementDays": price.settlement_days,
        "expiration": {
            "default": rule.expires_in_s,
            "min": rule.expires_in_min_s,
            "max": rule.expires_in_max_s,
        },
        "requiredFields": required_fields(described, rule.currency, now(merchant)),
        "refunds": {"full": True, "partial": True, "windowDays": rule.refund_window_days},
    }


def rails_of(merchant: Merchant) -> dict[Pair, Rail]:
    """The rail of every method that can be paid: its simulator, or the account of its route that is asked first."""
    if merchant.environment == Environment.SANDBOX:
        return rails(Environment.SANDBOX)
    return {pair: rail_of(accounts[0], *pair, of=merchant) for pair, accounts in routes(merchant).items()}


class PaymentMethodsView(Resource):
    tag = "Payments"

    @operation(
        "listPaymentMethods",
        "payment-methods:read",
        query=MethodFilters,
        gives=CurrencyMethodsPayload,
        refuses=[InvalidFilter],
    )
    def get(self, merchant: Merchant, query: MethodFilters) -> ResultPage:
        """List payment methods

        What the company can use now, one item for each currency, with limits, price and required fields. In
        production a method without a connected provider is left out.
        """
        connected = rails_of(merchant)
        found = [
            offer
            for offer in offers(merchant)
            if query.currency in (None, offer.rule.currency)
            and query.method in (None, offer.rule.method)
            and (offer.rule.method, offer.rule.currency) in connected
        ]
        items = [
            {
                "currency": currency,
                "methods": [
                    method_payload(offer, connected[offer.rule.method, offer.rule.currency], merchant)
                    for offer in group
                ],
            }
            for currency, group in groupby(found, key=lambda offer: offer.rule.currency)
        ]
        start = (query.page_number - 1) * query.page_size
        return ResultPage(items[start : start + query.page_size], query.page_number, query.page_size, len(items))
