"""Scheduled reports."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.base.clock import utcnow
from accounts.base.ids import IdField
from accounts.models import Merchant


class Subject(models.TextChoices):
    """What a report lists."""

    PAYMENTS = "payments", _("Payments")
    STATEMENT = "statement", _("Statement")
    WITHDRAWALS = "withdrawals", _("Withdrawals")
    REFUNDS = "refunds", _("Refunds and disputes")


class Frequency(models.TextChoices):
    """How often, and which whole days a report is about."""

    DAILY = "DAILY", _("Every day, about the day before")
    WEEKLY = "WEEKLY", _("On Mondays, about the week before")
    MONTHLY = "MONTHLY", _("On the 1st, about the month before")


class ScheduledReport(models.Model):
    """A list as CSV that one person gets a link to, at an hour of their zone. It holds no data."""

    id = IdField("rps", primary_key=True)
    merchant = models.ForeignKey(Merchant, on_delete=models.CASCADE, related_name="+", db_index=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    subject = models.CharField(max_length=12, choices=Subject)
    name = models.CharField(max_length=60, blank=True, help_text="Of the saved view; empty: everything")
    query = models.CharField(max_length=2000, blank=True, help_text="The filter, as it stood in the address")
    frequency = models.CharField(max_length=8, choices=Frequency)
    hour = models.SmallIntegerField()
    time_zone = models.CharField(max_length=40)
    next_at = models.DateTimeField(help_text="By the merchant's clock")
    sent_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(default=utcnow, editable=False)

    class Meta:
        indexes = [
            models.Index(fields=["next_at"], name="reports_due"),
            models.Index(fields=["merchant", "next_at"], name="reports_due_of_a_merchant"),
            models.Index(fields=["user", "merchant"], name="reports_of_a_person"),
        ]
        constraints = [models.CheckConstraint(name="report_hour_of_a_day", condition=Q(hour__gte=0, hour__lte=23))]

    def __str__(self) -> str:
        return f"{self.subject} · {self.frequency}"
