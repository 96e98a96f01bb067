"""Sets the price of a method from now or a later date: for one company, or generally."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts import audit
from accounts.models import Merchant
from gateway.management.terms import TermsCommand, moment, money, number, whole
from gateway.methods import services
from gateway.methods.models import PriceRule

MINUTE = "%Y-%m-%d %H:%M"


class Command(TermsCommand):
    help = (
        "Sets the price of payments created from now or from a later time on; payments that exist keep theirs. What is "
        "not given stays as it is then. Everybody's price is of both environments."
    )
    named = "method"
    fields = {
        "percentage": number, "fixed": money, "settlement_days": whole, "advance_enabled": bool,
        "advance_monthly_rate": number, "advance_minimum": money,
    }  # fmt: skip

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.set_defaults(environment=None)
        parser.add_argument("--from", dest="begins", type=moment, help="a day or a time, in UTC; now if omitted")

    def draft(self, merchant: Merchant | None, options: dict[str, Any]) -> PriceRule:
        if merchant is None and options["environment"]:
            raise CommandError(
                "The price for all companies applies to both environments: omit --environment. Nothing was changed."
            )
        return services.draft_price(merchant, options["method"], options["currency"], options["begins"])

    def save(self, rule: PriceRule, note: str) -> PriceRule:
        return services.set_price(audit.ON_HOST, rule, note)

    def from_when(self, saved: PriceRule) -> str:
        begins = f" from {saved.effective_from:{MINUTE}} UTC"
        following = services.next_version(saved)
        return f"{begins} until {following.effective_from:{MINUTE}} UTC, when another begins" if following else begins
