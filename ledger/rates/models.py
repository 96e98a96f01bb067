"""Currency rates, as fetched or entered: rows that are never changed."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from accounts.base.clock import utcnow
from ledger.money import DECIMALS

BASE = "BRL"


class Rate(models.Model):
    """The value of one real in a currency for a period. Times are real: there is one market."""

    class Source(models.TextChoices):
        FETCHED = "FETCHED", "Fetched"
        STAFF = "STAFF", "Entered by staff"

    class Seen(models.TextChoices):
        BOTH = "BOTH", "Both sources"
        FIRST = "FIRST", "First source only"
        SECOND = "SECOND", "Second source only"

    currency = models.CharField(max_length=4, choices=[(code, code) for code in DECIMALS if code != BASE])
    per_real = models.DecimalField(max_digits=28, decimal_places=15, help_text="What one real is worth")
    source = models.CharField(max_length=8, choices=Source)
    seen_by = models.CharField(max_length=6, choices=Seen, blank=True, default="", db_default="")
    quoted_at = models.DateTimeField(help_text="When it was the market's rate")
    holds_until = models.DateTimeField(help_text="Nothing is converted at it from then on")
    withdrawn_at = models.DateTimeField(null=True, blank=True, help_text="A mistake of staff: as if it had never been")
    entered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True, blank=True
    )
    note = models.CharField(max_length=255, blank=True)
    created_at = models.DateTimeField(default=utcnow, editable=False)

    class Meta:
        indexes = [
            models.Index(fields=["currency", "-holds_until"], name="rates_that_hold"),
            models.Index(fields=["currency", "-quoted_at"], name="rates_by_time"),
        ]
        constraints = [
            models.CheckConstraint(name="rates_are_positive", condition=Q(per_real__gt=0)),
            models.CheckConstraint(name="rates_hold_for_a_time", condition=Q(holds_until__gte=F("quoted_at"))),
            models.CheckConstraint(
                name="staff_answer_for_their_rates", condition=~Q(source="STAFF") | Q(entered_by__isnull=False)
            ),
        ]

    def __str__(self) -> str:
        return f"1 {BASE} = {self.per_real.normalize():f} {self.currency}"
