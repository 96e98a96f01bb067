"""Readiness checks, and the releases that shops report to them. All times are real, not by the merchant's clock."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from accounts.base.clock import utcnow
from accounts.base.ids import IdField
from accounts.models import Merchant
from gateway.payments.models import Payment
from webhooks.models import Endpoint


class ReadinessCheck(models.Model):
    """A check of a sandbox company and one of its endpoints. What it found is fixed when it finishes."""

    id = IdField("chk", primary_key=True)
    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT, related_name="+", db_index=False)
    endpoint = models.ForeignKey(Endpoint, on_delete=models.CASCADE, related_name="+", db_index=False)
    started_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+", help_text="Empty: an API key"
    )
    started_at = models.DateTimeField(default=utcnow)
    payments_since = models.DateTimeField(help_text="When it started, by the merchant's clock")
    ends_at = models.DateTimeField()
    look_at = models.DateTimeField(null=True, help_text="When it is looked at, whether it has finished by itself")
    finished_at = models.DateTimeField(null=True)
    grade = models.CharField(max_length=1, null=True)
    findings = models.JSONField(null=True, help_text="Verdict and evidence of each probe")

    class Meta:
        indexes = [
            models.Index(fields=["merchant", "-started_at"], name="readiness_checks_of_a_merchant"),
            models.Index(fields=["look_at"], name="readiness_checks_running", condition=Q(finished_at=None)),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["merchant"], condition=Q(finished_at=None), name="one_readiness_check_at_a_time"
            ),
            models.CheckConstraint(
                name="finished_readiness_checks_have_a_grade",
                condition=Q(finished_at=None, grade=None, findings=None, look_at__isnull=False)
                | Q(finished_at__isnull=False, grade__isnull=False, findings__isnull=False, look_at=None),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.id} · {self.grade or 'running'}"


class ReportedRelease(models.Model):
    """The shop has released the order of a payment, which was then in this state."""

    readiness_check = models.ForeignKey(ReadinessCheck, on_delete=models.CASCADE, related_name="releases")
    payment = models.ForeignKey(Payment, on_delete=models.PROTECT, related_name="+", db_index=False)
    was_paid = models.BooleanField()
    was_refunded = models.BooleanField()
    created_at = models.DateTimeField(default=utcnow)

    def __str__(self) -> str:
        return self.payment_id
