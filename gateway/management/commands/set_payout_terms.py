"""Enables or disables a payout rail and sets its limits and fees: for one company, or generally."""

from typing import Any

from accounts import audit
from accounts.models import Environment, Merchant
from gateway.management.terms import TermsCommand, money, number
from gateway.payouts import services
from gateway.payouts.models import PayoutRule


class Command(TermsCommand):
    help = (
        "Enables or disables a payout rail and sets its limits and fees, immediately. Omitted options stay unchanged."
    )
    named = "rail"
    fields = {
        "enabled": bool, "minimum": money, "maximum": money, "fee_percentage": number, "fee_fixed": money,
        "network_fee": money,
    }  # fmt: skip

    def draft(self, merchant: Merchant | None, options: dict[str, Any]) -> PayoutRule:
        environment = Environment(options["environment"].upper())
        return services.payout_terms(merchant, environment, options["rail"], options["currency"])

    def save(self, rule: PayoutRule, note: str) -> PayoutRule:
        return services.set_payout_terms(audit.ON_HOST, rule, note)
