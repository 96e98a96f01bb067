"""Summaries of past days, so that reports over long periods need not read every posting."""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from accounts.base.clock import utcnow
from accounts.models import Company, Environment, Merchant

TOTAL = "TOTAL"
"""All buckets of a wallet together."""


class ClosedDay(models.Model):
    """A UTC day whose postings, of all merchants, are summed up."""

    day = models.DateField(primary_key=True)
    closed_at = models.DateTimeField(default=utcnow)

    def __str__(self) -> str:
        return str(self.day)


class Seal(models.Model):
    """The digest of what was proved of a closed day, and of the seal of the day before. Never changed."""

    day = models.DateField(primary_key=True)
    transfers = models.BigIntegerField()
    entries = models.BigIntegerField()
    digest = models.CharField(max_length=64, help_text="SHA-256")
    sealed_at = models.DateTimeField(default=utcnow)

    def __str__(self) -> str:
        return f"{self.day} {self.digest}"


class Resealing(models.Model):
    """A move of a company to or from a cell, after which days of the cell were sealed again. Never changed."""

    cell = models.CharField(max_length=10, blank=True, help_text="Empty: the first one")
    company = models.ForeignKey(Company, on_delete=models.PROTECT, related_name="+", help_text="That was moved")
    begins = models.DateField(help_text="The first of these days")
    merchants = ArrayField(models.BigIntegerField(), help_text="Ids of those who lived there until then")
    created_at = models.DateTimeField(default=utcnow)

    def __str__(self) -> str:
        return f"{self.cell or 'public'}: {self.company_id}"


class ReplacedSeal(models.Model):
    """A seal that is no longer in the chain of its cell. Never changed."""

    resealing = models.ForeignKey(Resealing, on_delete=models.PROTECT, related_name="seals")
    day = models.DateField()
    digest = models.CharField(max_length=64, db_index=True, help_text="SHA-256")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["resealing", "day"], name="replaced_once")]

    def __str__(self) -> str:
        return f"{self.day} {self.digest}"


class Closing(models.Model):
    """The sum of one kind of transfers on one day in a bucket, or in all three. Minor units.

    `amount` includes our fees: the bucket itself changed by it less the fees. `first_at` and `last_at` are the
    effective times of the transfers, which may be earlier, or later for a sandbox clock.
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
    """The balance of all companies together in a bucket, or in all three, at the end of a day. Minor units."""

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
