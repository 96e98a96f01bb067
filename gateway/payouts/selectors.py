"""The terms under which a merchant uses a payout rail."""

from dataclasses import dataclass
from decimal import Decimal

from django.db.models import F, Q

from accounts.base.rows import first, table
from accounts.models import Merchant
from gateway.payouts.errors import WithdrawalDisabled, WithdrawalTooLarge, WithdrawalTooSmall
from gateway.payouts.models import PayoutRule
from ledger import money

_TERMS = f"""
    SELECT enabled, minimum, maximum, fee_percentage, fee_fixed, network_fee FROM {table(PayoutRule)}
     WHERE environment = %s AND rail = %s AND currency = %s AND (merchant_id = %s OR merchant_id IS NULL)
     ORDER BY merchant_id NULLS LAST LIMIT 1
"""


@dataclass(frozen=True, slots=True)
class PayoutTerms:
    """The merchant's own rule, else the general one. Minor units of the payout currency; `fee_fixed` of the
    wallet's.
    """

    minimum: int
    maximum: int
    fee_percentage: Decimal
    fee_fixed: int
    network_fee: int

    def fee_of(self, amount: int) -> int:
        """The fee on top of an amount of the wallet, both in minor units."""
        return money.fee(amount, self.fee_percentage, self.fee_fixed)

    def require(self, payout_amount: int) -> None:
        """Checks the payout in minor units. Raises ONP422_WITHDRAWAL_AMOUNT_TOO_SMALL or _TOO_LARGE."""
        if payout_amount < self.minimum:
            raise WithdrawalTooSmall(field="amount")
        if payout_amount > self.maximum:
            raise WithdrawalTooLarge(field="amount")


def terms(merchant: Merchant, rail: str, currency: str) -> PayoutTerms:
    """Raises ONP403_WITHDRAWAL_DISABLED if the rail is disabled for the merchant."""
    row = first(_TERMS, [merchant.environment, rail, currency, merchant.pk])
    if row is None or not row[0]:
        raise WithdrawalDisabled(field="asset" if rail == "CRYPTO" else "currency")
    return PayoutTerms(*row[1:])


def known(merchant: Merchant) -> list[PayoutRule]:
    """Every rail by payout currency, including disabled ones: the merchant's own rule, else the general one."""
    theirs = Q(merchant=merchant) | Q(merchant=None)
    rules = PayoutRule.objects.filter(theirs, environment=merchant.environment)
    own_last = rules.order_by("currency", "rail", F("merchant").asc(nulls_first=True))
    return list({(rule.rail, rule.currency): rule for rule in own_last}.values())
