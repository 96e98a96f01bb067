"""The sandbox's magic amounts for conversions (contract §14.3). The documentation is generated from this table."""

from dataclasses import dataclass
from decimal import Decimal

from django.utils.translation import gettext_noop as _

from accounts.models import Environment, Merchant


@dataclass(frozen=True, slots=True)
class ConversionScenario:
    """What a whole `sourceAmount` that ends in `tail` triggers."""

    tail: int
    effect: str


TERMS_CHANGE = ConversionScenario(931, _("The quote is given; confirming it answers 409 `ONP409_QUOTE_TERMS_CHANGED`."))
SHORT = ConversionScenario(
    932, _("The quote is valid for one second: confirming it later answers 409 `ONP409_QUOTE_EXPIRED`.")
)
UNAVAILABLE = ConversionScenario(933, _("The quote answers 503 `ONP503_CONVERSION_TEMPORARILY_UNAVAILABLE`."))
SCENARIOS = (TERMS_CHANGE, SHORT, UNAVAILABLE)


def scenario_of(merchant: Merchant, amount: Decimal) -> ConversionScenario | None:
    """The scenario of a magic amount in the sandbox, or None."""
    if merchant.environment != Environment.SANDBOX or amount != amount.to_integral_value():
        return None
    return next((scenario for scenario in SCENARIOS if amount % 1000 == scenario.tail), None)
