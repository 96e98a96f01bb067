"""Completed conversions. Quotes are not stored: the requester keeps them."""

from django.db import models
from django.db.models import F, Q

from accounts.base.ids import IdField
from accounts.models import Merchant


class Conversion(models.Model):
    """Money moved from one wallet of a merchant to another. Minor units; append-only.

    `market_amount` is the amount at the market rate; the difference is the spread.
    """

    id = IdField("cnv", primary_key=True)
    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT, related_name="conversions", db_index=False)
    quote_id = models.CharField(max_length=26, help_text="Of the quote: each is confirmed once")
    source_method = models.CharField(max_length=16)
    source_currency = models.CharField(max_length=4)
    source_amount = models.BigIntegerField()
    destination_method = models.CharField(max_length=16)
    destination_currency = models.CharField(max_length=4)
    destination_amount = models.BigIntegerField()
    market_amount = models.BigIntegerField()
    market_rate = models.DecimalField(max_digits=20, decimal_places=10)
    applied_rate = models.DecimalField(max_digits=20, decimal_places=10)
    spread_percentage = models.DecimalField(max_digits=6, decimal_places=4)
    quoted_at = models.DateTimeField()
    created_at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=["merchant", "-created_at", "-id"], name="conversions_of_a_merchant"),
            models.Index(fields=["source_amount", "created_at"], name="conversions_by_source"),
            models.Index(fields=["destination_amount", "created_at"], name="conversions_by_destination"),
            models.Index(fields=["created_at"], name="conversions_by_time"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["merchant", "quote_id"], name="a_quote_is_confirmed_once"),
            models.CheckConstraint(
                name="conversions_move_something",
                condition=Q(source_amount__gt=0, destination_amount__gt=0, spread_percentage__gte=0),
            ),
            models.CheckConstraint(
                name="conversions_never_beat_the_market",
                condition=Q(market_amount__gte=F("destination_amount"), market_rate__gte=F("applied_rate")),
            ),
            models.CheckConstraint(
                name="conversions_have_two_wallets", condition=~Q(source_currency=F("destination_currency"))
            ),
        ]

    def __str__(self) -> str:
        return f"{self.id} · {self.source_currency} → {self.destination_currency}"
