"""Rules of methods set by staff: where they are enabled, limits and prices. Rows, never code."""

from decimal import Decimal

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext
from simple_history.models import HistoricalRecords

from accounts.base.clock import utcnow
from accounts.models import Environment, Merchant
from gateway.methods.registry import Method
from ledger.money import DECIMALS

METHODS = Method.choices
LONGEST_DAYS = 731
"""The maximum of settlement days and refund windows: two years. More is a typing error."""
_DAYS = [MinValueValidator(0), MaxValueValidator(LONGEST_DAYS)]
_SECONDS = [MinValueValidator(1), MaxValueValidator(LONGEST_DAYS * 24 * 3600)]
CURRENCIES = [(code, code) for code, decimals in DECIMALS.items() if decimals == 2]


class MethodRule(models.Model):
    """Whether and within which limits a method is enabled: for one merchant, or for all without a rule of their own."""

    merchant = models.ForeignKey(
        Merchant,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="Empty: for everybody",
    )
    environment = models.CharField(max_length=10, choices=Environment)
    method = models.CharField(max_length=16, choices=METHODS)
    currency = models.CharField(max_length=4, choices=CURRENCIES)
    enabled = models.BooleanField(default=False)
    minimum = models.BigIntegerField(help_text="Minor units", validators=[MinValueValidator(1)])
    maximum = models.BigIntegerField(help_text="Minor units", validators=[MinValueValidator(1)])
    expires_in_s = models.IntegerField(
        "expires in (s)", help_text="The payer's time when the request names none", validators=_SECONDS
    )
    expires_in_min_s = models.IntegerField("shortest expiresIn (s)", null=True, blank=True, validators=_SECONDS)
    expires_in_max_s = models.IntegerField("longest expiresIn (s)", null=True, blank=True, validators=_SECONDS)
    refund_window_days = models.IntegerField(default=90, validators=_DAYS)
    history = HistoricalRecords()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["merchant", "environment", "method", "currency"],
                name="one_method_rule",
                nulls_distinct=False,
            ),
            models.CheckConstraint(
                name="limits_in_order", condition=models.Q(minimum__gte=1, maximum__gte=models.F("minimum"))
            ),
        ]

    def __str__(self) -> str:
        return f"{self.method} {self.currency} {self.environment} · {self.merchant or gettext('everybody')}"


class PriceRule(models.Model):
    """What a payment costs the merchant, and when its money becomes available, from a date on.

    Versioned: a change is a new row. Existing payments keep theirs.
    """

    merchant = models.ForeignKey(
        Merchant,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="Empty: for everybody",
    )
    method = models.CharField(max_length=16, choices=METHODS)
    currency = models.CharField(max_length=4, choices=CURRENCIES)
    percentage = models.DecimalField(
        max_digits=7,
        decimal_places=4,
        validators=[MinValueValidator(Decimal(0)), MaxValueValidator(Decimal(100))],
        help_text="Per cent of the amount",
    )
    fixed = models.BigIntegerField(default=0, help_text="Minor units", validators=[MinValueValidator(0)])
    settlement_days = models.IntegerField(
        default=0, help_text="Calendar days until the money is available", validators=_DAYS
    )
    advance_enabled = models.BooleanField(
        default=False, db_default=False, help_text="Whether its receivables can be advanced"
    )
    advance_monthly_rate = models.DecimalField(
        max_digits=7,
        decimal_places=4,
        default=Decimal(0),
        db_default=Decimal(0),
        validators=[MinValueValidator(Decimal(0)), MaxValueValidator(Decimal(100))],
        help_text="Per cent of the amount a month, by the day",
    )
    advance_minimum = models.BigIntegerField(
        default=0, db_default=0, help_text="Of an advance, minor units", validators=[MinValueValidator(0)]
    )
    effective_from = models.DateTimeField(
        default=utcnow,
        db_default=Now(),
        help_text="For payments created from then on; the version before holds until then",
    )
    history = HistoricalRecords()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["merchant", "method", "currency", "effective_from"],
                name="one_price_rule",
                nulls_distinct=False,
            ),
            models.CheckConstraint(
                name="prices_are_not_negative",
                condition=models.Q(percentage__gte=0, percentage__lte=100, fixed__gte=0, settlement_days__gte=0),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.method} {self.currency} · {self.merchant or gettext('everybody')}"
