"""Stored card data: none of it could be charged elsewhere."""

from django.contrib.postgres.indexes import BrinIndex
from django.db import models


class CardToken(models.Model):
    """A card entered for one payment, valid once and for ten minutes."""

    digest = models.BinaryField(primary_key=True, max_length=32, help_text="SHA-256 of the token")
    payment_id = models.CharField(max_length=40)
    brand = models.CharField(max_length=16)
    last4 = models.CharField(max_length=4)
    funding = models.CharField(max_length=16)
    plays = models.CharField(max_length=24)
    exp_month = models.SmallIntegerField(null=True)
    exp_year = models.SmallIntegerField(null=True)
    created_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["payment_id"], name="cards_of_a_payment"),
            BrinIndex(fields=["created_at"], name="old_cards"),
        ]

    def __str__(self) -> str:
        return f"{self.brand} •••• {self.last4}"
