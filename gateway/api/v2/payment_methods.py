"""Payment methods: what the company can use, with limits and prices (contract §9.1)."""

from itertools import groupby
from typing import Literal

from typing_extensions import TypedDict

from accounts.base.clock import now
from accounts.base.wire import Number
from accounts.models import Merchant
from gateway.api.errors import InvalidFilter
from gateway.api.inputs.payments import Currency
from gateway.api.operations import Resource, operation
from gateway.api.pagination import ListQuery, ResultPage
from gateway.methods.selectors import required_fields
from gateway.payments.payable import Payable, payable
from gateway.payments.payloads import MethodName
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


def method_payload(one: Payable, merchant: Merchant) -> MethodPayload:
    rule, price = one.offer.rule, one.offer.price
    return {
        "method": rule.method,  # type: ignore[typeddict-item]
        "status": "TEMPORARILY_UNAVAILABLE" if one.is_failing else "ENABLED",
        "flow": one.flow,  # type: ignore[typeddict-item]
        "minAmount": to_decimal(one.minimum, rule.currency),
        "maxAmount": to_decimal(one.maximum, rule.currency),
        "amountStep": to_decimal(1, rule.currency),
        "fee": {"percentage": price.percentage.normalize(), "fixed": to_decimal(price.fixed, rule.currency)},
        "settlementDays": price.settlement_days,
        "expiration": {
            "default": rule.expires_in_s,
            "min": rule.expires_in_min_s,
            "max": rule.expires_in_max_s,
        },
        "requiredFields": required_fields(one.rail, rule.currency, now(merchant)),
        "refunds": {"full": True, "partial": True, "windowDays": rule.refund_window_days},
    }


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
        production a method without a connected provider is left out, and the limits are those within which a
        provider takes it.
        """
        found = [
            one
            for one in payable(merchant)
            if query.currency in (None, one.offer.rule.currency) and query.method in (None, one.offer.rule.method)
        ]
        items = [
            {"currency": currency, "methods": [method_payload(one, merchant) for one in group]}
            for currency, group in groupby(found, key=lambda one: one.offer.rule.currency)
        ]
        start = (query.page_number - 1) * query.page_size
        return ResultPage(items[start : start + query.page_size], query.page_number, query.page_size, len(items))
