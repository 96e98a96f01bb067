"""Days that are over, summed up: what is told of a long time does not read every posting of it again."""

from django.db import models

from accounts.base.clock import utcnow
from accounts.models import Environment, Merchant

TOTAL = "TOTAL"
"""All buckets of a wallet together."""


class ClosedDay(models.Model):
    """A day, in UTC, of which every posting that was written on it is summed up, of all merchants."""

    day = models.DateField(primary_key=True)
    closed_at = models.DateTimeField(default=utcnow)

    def __str__(self) -> str:
        return str(self.day)


class Closing(models.Model):
    """What the transfers of one kind that were written on one day did to a bucket, or to all three. Minor units.

    `amount` counts what we earned as not yet taken: the bucket itself changed by it less the fees. `first_at` and
    `last_at` are the times for which the transfers count, which may be earlier, or ahead where a clock is.
    """

    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT, related_name="+", db_index=False)
    currency = models.CharField(max_length=4)
    bucket = models.CharField(max_length=16, help_text="Or all of them together")
    day = models.DateField()
    kind = models.CharField(max_length=40)
    count = models.IntegerField()
    amount = models.BigIntegerField()
    fee_count = models.IntegerField()
    fee = models.BigIntegerField()
    advance_fee_count = models.IntegerField()
    advance_fee = models.BigIntegerField()
    first_at = models.DateTimeField()
    last_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["merchant", "currency", "bucket", "day", "kind"], name="summed_up_once")
        ]
        indexes = [models.Index(fields=["day"], name="closings_of_a_day")]

    def __str__(self) -> str:
        return f"{self.day} {self.bucket} {self.currency} {self.kind}"


class ClosedBalance(models.Model):
    """What all companies together had in a bucket, or in all three, when a day ended. Minor units."""

    day = models.DateField()
    environment = models.CharField(max_length=10, choices=Environment)
    currency = models.CharField(max_length=4)
    bucket = models.CharField(max_length=16, help_text="Or all of them together")
    amount = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["day", "environment", "currency", "bucket"], name="closed_with_once")
        ]

    def __str__(self) -> str:
        return f"{self.day} {self.environment} {self.bucket} {self.currency}"
