"""The terms under which a merchant uses a method."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import F, Q

from accounts.base import clock
from accounts.base.rows import first, table
from accounts.models import Merchant
from gateway.customers.payer import Payer
from gateway.methods.errors import AmountTooLarge, AmountTooSmall, MethodNotEnabled
from gateway.methods.models import MethodRule, PriceRule
from gateway.methods.rail import PaymentDraft, Rail
from ledger import money

NEVER = 10**15
"""Minor units: more than anybody can pay."""
TERMS = f"""
    SELECT rule.enabled, rule.minimum, rule.maximum, rule.expires_in_s, rule.expires_in_min_s, rule.expires_in_max_s,
           price.percentage, price.fixed, price.settlement_days,
           CASE WHEN price.advance_enabled THEN price.advance_monthly_rate END, price.advance_minimum
      FROM (SELECT * FROM {table(MethodRule)}
             WHERE environment = %(environment)s AND method = %(method)s AND currency = %(currency)s
               AND (merchant_id = %(merchant)s OR merchant_id IS NULL)
             ORDER BY merchant_id NULLS LAST LIMIT 1) rule,
           (SELECT * FROM {table(PriceRule)}
             WHERE method = %(method)s AND currency = %(currency)s
               AND (merchant_id = %(merchant)s OR merchant_id IS NULL) AND effective_from <= %(at)s
             ORDER BY merchant_id NULLS LAST, effective_from DESC LIMIT 1) price
"""


@dataclass(frozen=True, slots=True)
class MethodTerms:
    """The merchant's own rule, else the general one. Amounts in minor units, times in seconds, rates in per cent."""

    method: str
    currency: str
    minimum: int
    maximum: int
    expires_in_s: int
    expires_in_range_s: tuple[int, int] | None
    percentage: Decimal
    fixed: int
    settlement_days: int
    advance_monthly_rate: Decimal | None
    advance_minimum: int

    def allows_expires_in(self, seconds: int) -> bool:
        """A method with a fixed time ignores the value."""
        return self.expires_in_range_s is None or (self.expires_in_range_s[0] <= seconds <= self.expires_in_range_s[1])

    def fee_of(self, amount: int) -> int:
        """The fee for an amount, both in minor units. Raises ONP422_<METHOD>_AMOUNT_TOO_SMALL or _TOO_LARGE."""
        if amount < (least := smallest(self.minimum, self.percentage, self.fixed)):
            raise AmountTooSmall(self.method, minAmount=money.to_decimal(least, self.currency), field="amount")
        if amount > self.maximum:
            raise AmountTooLarge(self.method, maxAmount=money.to_decimal(self.maximum, self.currency), field="amount")
        return money.fee(amount, self.percentage, self.fixed)


def smallest(minimum: int, percentage: Decimal, fixed: int) -> int:
    """The smallest amount in minor units: the limit, or the first amount with a positive net.

    a - (a × percentage + fixed) must be above the half unit that would be rounded to zero.
    """
    left = 100 - percentage
    return max(minimum, int((fixed + Decimal("0.5")) * 100 // left) + 1) if left else NEVER


def terms(merchant: Merchant, method: str, currency: str) -> MethodTerms:
    """Raises ONP403_METHOD_NOT_ENABLED if the method is disabled for the merchant in this currency."""
    return terms_in(first(TERMS, asked(merchant, method, currency)), method, currency)


def asked(merchant: Merchant, method: str, currency: str) -> dict[str, Any]:
    """The parameters of `TERMS`."""
    return {
        "environment": merchant.environment,
        "method": method,
        "currency": currency,
        "merchant": merchant.pk,
        "at": clock.now(merchant),
    }


def terms_in(row: Sequence[Any] | None, method: str, currency: str) -> MethodTerms:
    """The terms in a row of `TERMS`. Raises ONP403_METHOD_NOT_ENABLED."""
    if row is None:
        raise MethodNotEnabled(field="method")
    enabled, minimum, maximum, expires_in_s, shortest, longest, percentage, fixed, settlement_days, *advance = row
    if not enabled:
        raise MethodNotEnabled(field="method")
    return MethodTerms(
        method=method,
        currency=currency,
        minimum=minimum,
        maximum=maximum,
        expires_in_s=expires_in_s,
        expires_in_range_s=(shortest, longest) if shortest and longest else None,
        percentage=percentage,
        fixed=fixed,
        settlement_days=settlement_days,
        advance_monthly_rate=advance[0],
        advance_minimum=advance[1],
    )


def refund_window(merchant: Merchant, method: str, currency: str) -> timedelta:
    """How long after the payment it can be refunded: the merchant's own rule, else the general one."""
    rules = MethodRule.objects.filter(
        Q(merchant=merchant) | Q(merchant=None), environment=merchant.environment, method=method, currency=currency
    )
    days = rules.order_by(F("merchant").asc(nulls_last=True)).values_list("refund_window_days", flat=True).first()
    return timedelta(days=days or 0)


@dataclass(frozen=True, slots=True)
class MethodOffer:
    """A method in a currency, with the merchant's rules."""

    rule: MethodRule
    price: PriceRule

    @property
    def minimum(self) -> int:
        """The minimum amount, in minor units."""
        return smallest(self.rule.minimum, self.price.percentage, self.price.fixed)


def offers(merchant: Merchant) -> list[MethodOffer]:
    """Everything enabled for the merchant, by currency and method: their own rules, else the general ones."""
    return [offer for offer in known(merchant) if offer.rule.enabled]


def known(merchant: Merchant) -> list[MethodOffer]:
    """Everything offered, including what is disabled for the merchant."""
    theirs = Q(merchant=merchant) | Q(merchant=None)
    own_last = ("currency", "method", F("merchant").asc(nulls_first=True))
    rules = MethodRule.objects.filter(theirs, environment=merchant.environment).order_by(*own_last)
    versions = PriceRule.objects.filter(theirs, effective_from__lte=clock.now(merchant))
    prices = {(p.method, p.currency): p for p in versions.order_by(*own_last, "effective_from")}
    in_force = {(rule.method, rule.currency): rule for rule in rules}
    return [MethodOffer(rule, prices[pair]) for pair, rule in in_force.items() if pair in prices]


def required_fields(rail: Rail, currency: str, at: datetime) -> list[str]:
    """The members that the rail reports as missing in an empty order: derived from the validation itself."""
    nothing = PaymentDraft(Payer(name=""), at, currency)
    missing = [fault.field for fault in rail.faults(nothing, strict=False) if fault.code == "REQUIRED"]
    return list(dict.fromkeys(["payer.name", *missing]))
