"""Enables or disables a method and sets its limits and times: for one company, or generally."""

from typing import Any

from accounts import audit
from accounts.models import Environment, Merchant
from gateway.management.terms import TermsCommand, money, whole
from gateway.methods import services
from gateway.methods.models import MethodRule


class Command(TermsCommand):
    help = "Enables or disables a method and sets its limits and times, immediately. Omitted options stay unchanged."
    named = "method"
    fields = {
        "enabled": bool, "minimum": money, "maximum": money, "expires_in_s": whole, "expires_in_min_s": whole,
        "expires_in_max_s": whole, "refund_window_days": whole,
    }  # fmt: skip

    def draft(self, merchant: Merchant | None, options: dict[str, Any]) -> MethodRule:
        environment = Environment(options["environment"].upper())
        return services.limits(merchant, environment, options["method"], options["currency"])

    def save(self, rule: MethodRule, note: str) -> MethodRule:
        return services.set_limits(audit.ON_HOST, rule, note)
