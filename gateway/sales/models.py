"""Sums of payments and refunds, which triggers of the database keep (`gateway/sql/sales.sql`)."""

from django.db import models

from accounts.models import Merchant
from gateway.methods.models import METHODS


class Kind(models.TextChoices):
    """What is counted, and by which time of it."""

    PAID = "PAID", "Payments, when they were paid"
    ACCEPTED = "ACCEPTED", "Payments that were paid, when they were created"
    DECLINED = "DECLINED", "Failed payments, when they were created"
    EXPIRED = "EXPIRED", "Expired payments, when they were created"
    RETURNED = "RETURNED", "Refunds, when they were completed"
    REVERSED = "REVERSED", "Lost disputes, when their money came back"
    DISPUTED = "DISPUTED", "Disputes, when they began"
    DISPUTE_WON = "DISPUTE_WON", "Disputes that were won, when they began"
    DISPUTE_LOST = "DISPUTE_LOST", "Disputes that were lost, when they began"


DAY_STARTS = (0, 3, 5, 6, 23)
"""The hours of UTC at which days begin in our markets: Lisbon, São Paulo and Buenos Aires, Bogotá, Mexico City, and
Lisbon in summer. A change of them needs a migration that sums up the past."""

PAYMENTS_BY_DAY = (Kind.PAID, Kind.ACCEPTED, Kind.DECLINED, Kind.EXPIRED)
"""What says how many payments there are."""


class Counted(models.Model):
    """Payments or refunds of one kind, by the merchant's clock. Minor units."""

    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT, related_name="+", db_index=False)
    kind = models.CharField(max_length=12, choices=Kind)
    currency = models.CharField(max_length=4)
    method = models.CharField(max_length=16, choices=METHODS)
    reason = models.CharField(max_length=40, help_text="Why payments failed; otherwise empty")
    count = models.BigIntegerField()
    amount = models.BigIntegerField()
    fee = models.BigIntegerField()

    class Meta:
        abstract = True


class Sums(Counted):
    """Of a quarter of an hour. Midnight in every time zone is the start of one: the sums of a day are exact wherever
    it is read.
    """

    quarter = models.DateTimeField(help_text="When it began")

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.quarter} {self.kind} {self.method} {self.currency}"


class SalesSum(Sums):
    """The sum of everything but the latest changes."""

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["merchant", "kind", "quarter", "currency", "method", "reason"], name="sales_summed_up_once"
            )
        ]


class SalesChange(Sums):
    """What one change of a payment or refund adds to a sum, until it is summed up.

    Triggers only add rows: two payments never wait for each other.
    """

    class Meta:
        indexes = [models.Index(fields=["merchant", "quarter"], name="latest_changes_of_sales")]


class SalesDay(Counted):
    """Of 24 hours that begin at one of `DAY_STARTS`: the sums in `SalesSum`, kept by triggers on it."""

    hour = models.SmallIntegerField(help_text="Of UTC, at which these days begin")
    day = models.DateTimeField(help_text="When it began")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["merchant", "hour", "day", "kind", "currency", "method", "reason"], name="sales_of_a_day_once"
            )
        ]
        indexes = [
            models.Index(
                fields=["merchant", "day"],
                include=["kind", "method", "currency", "count"],
                name="payments_of_a_day",
                condition=models.Q(hour=DAY_STARTS[0], kind__in=PAYMENTS_BY_DAY),
            )
        ]

    def __str__(self) -> str:
        return f"{self.day} {self.kind} {self.method} {self.currency}"
