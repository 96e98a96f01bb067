"""Rules of payout rails set by staff: where they are enabled, limits and prices."""

from decimal import Decimal

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext
from simple_history.models import HistoricalRecords

from accounts.models import Environment, Merchant
from gateway.payouts.registry import RailName
from ledger.money import DECIMALS


class PayoutRule(models.Model):
    """Terms of a rail for a payout currency: for one merchant, or for all without a rule of their own.

    Limits and network fee are in minor units of the payout currency. The fee is on top of the amount, in the wallet's
    currency; if the wallet can be any (crypto) it has no fixed part.
    """

    merchant = models.ForeignKey(
        Merchant, on_delete=models.PROTECT, null=True, blank=True, related_name="+", help_text="Empty: for everybody"
    )
    environment = models.CharField(max_length=10, choices=Environment)
    rail = models.CharField(max_length=16, choices=RailName)
    currency = models.CharField(
        "pays out", max_length=4, choices=[(code, code) for code in DECIMALS], help_text="What the beneficiary receives"
    )
    enabled = models.BooleanField(default=False)
    minimum = models.BigIntegerField(help_text="Minor units", validators=[MinValueValidator(1)])
    maximum = models.BigIntegerField(help_text="Minor units", validators=[MinValueValidator(1)])
    fee_percentage = models.DecimalField(
        max_digits=7,
        decimal_places=4,
        default=Decimal(0),
        validators=[MinValueValidator(Decimal(0)), MaxValueValidator(Decimal(100))],
        help_text="Per cent of the amount, on top of it",
    )
    fee_fixed = models.BigIntegerField(
        default=0, help_text="Minor units, on top of the amount", validators=[MinValueValidator(0)]
    )
    network_fee = models.BigIntegerField(
        default=0, help_text="Of crypto: minor units, out of what is paid", validators=[MinValueValidator(0)]
    )
    history = HistoricalRecords()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["merchant", "environment", "rail", "currency"], name="one_payout_rule", nulls_distinct=False
            ),
            models.CheckConstraint(
                name="payout_limits_in_order", condition=Q(minimum__gte=1, maximum__gte=F("minimum"))
            ),
            models.CheckConstraint(
                name="payout_fees_are_not_negative",
                condition=Q(fee_percentage__gte=0, fee_percentage__lte=100, fee_fixed__gte=0, network_fee__gte=0),
            ),
            models.CheckConstraint(
                name="payout_fees_fit_the_rail",
                condition=Q(rail=RailName.CRYPTO, fee_fixed=0) | (~Q(rail=RailName.CRYPTO) & Q(network_fee=0)),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.rail} {self.currency} {self.environment} · {self.merchant or gettext('everybody')}"
