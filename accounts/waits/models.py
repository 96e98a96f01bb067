"""Waiting periods of withdrawals: their start, their reason, and who can lift them."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from accounts.base.clock import utcnow


class WithdrawalWait(models.Model):
    """Pauses production withdrawals of a company until a time, unless one of these owners lifts it."""

    class Why(models.TextChoices):
        ADDRESS = "ADDRESS", "The withdrawal address"
        KEY = "KEY", "An API key that can move money"
        TEAM = "TEAM", "The team"
        LOGIN = "LOGIN", "How a member signs in"

    company = models.ForeignKey("accounts.Company", on_delete=models.PROTECT, related_name="withdrawal_waits")
    why = models.CharField(max_length=12, choices=Why, help_text="What support changed")
    began_at = models.DateTimeField(default=utcnow)
    until = models.DateTimeField()
    may_lift = ArrayField(models.IntegerField(), help_text="The owners before the change whom it did not touch")
    lifted_at = models.DateTimeField(null=True)
    lifted_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True)

    class Meta:
        indexes = [models.Index(fields=["company", "until"], name="waits_of_a_company", condition=Q(lifted_at=None))]

    def __str__(self) -> str:
        return f"{self.get_why_display()}, until {self.until:%Y-%m-%d %H:%M:%S}Z"
