"""Rules of payout rails: enabled, limits and prices, with history."""

from django.contrib import admin
from unfold.decorators import display

from gateway.payouts import services
from gateway.payouts.models import PayoutRule
from gateway.staff.kit.amounts import StaffAmountField, money
from gateway.staff.kit.columns import unbroken
from gateway.staff.price_rules import LimitsForm, RuleAdmin
from ledger.money import DECIMALS
from ledger.notation import plain_amount

DECIMALS_AT_MOST = max(DECIMALS.values())


class PayoutRuleForm(LimitsForm):
    """The currency determines the decimals of an amount."""

    amounts = ("minimum", "maximum", "fee_fixed", "network_fee")
    faults = services.faults_of_payout_terms
    minimum = StaffAmountField(
        "0.00000001", decimals=DECIMALS_AT_MOST, help_text="Applies to what the beneficiary receives"
    )
    maximum = StaffAmountField(
        "0.00000001", decimals=DECIMALS_AT_MOST, help_text="Applies to what the beneficiary receives"
    )
    fee_fixed = StaffAmountField(
        "0", decimals=DECIMALS_AT_MOST, initial=0, help_text="Charged on top, in the wallet's currency. 0 for crypto"
    )
    network_fee = StaffAmountField(
        "0", decimals=DECIMALS_AT_MOST, initial=0, help_text="Crypto only: deducted from the payout, in its currency"
    )


@admin.register(PayoutRule)
class PayoutRuleAdmin(RuleAdmin):
    form = PayoutRuleForm
    set_rule = services.set_payout_terms
    remove_rule = services.remove_payout_terms
    words = {**RuleAdmin.words, "rail__iexact": str}
    search_help_text = "Company id or name, or rail"
    decided_once = ("merchant", "environment", "rail", "currency")
    list_display = ("__str__", "enabled", money("minimum"), money("maximum"), "fee", money("network_fee"))
    list_filter = ("enabled", "environment", "rail", "currency")
    fieldsets = (
        ("Applies to", {"fields": (("merchant", "environment"), ("rail", "currency"))}),
        ("Availability", {"fields": ("enabled", ("minimum", "maximum"))}),
        ("Price", {"fields": (("fee_percentage", "fee_fixed"), "network_fee")}),
    )

    @display(description="fee")
    def fee(self, rule: PayoutRule) -> str:
        share = f"{rule.fee_percentage.normalize():f}%"
        return unbroken(f"{share} + {plain_amount(rule.fee_fixed, rule.currency)}" if rule.fee_fixed else share)
