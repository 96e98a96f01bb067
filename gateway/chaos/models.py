"""Runs of chaos mode, and the requests that they disturbed. All times are real, not by the merchant's clock."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from accounts.base.clock import utcnow
from accounts.base.ids import IdField
from accounts.models import Merchant


class ChaosRun(models.Model):
    """A sandbox company is disturbed until `ends_at`, or until somebody ended it before."""

    id = IdField("cha", primary_key=True)
    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT, related_name="+", db_index=False)
    disturbances = ArrayField(models.CharField(max_length=14))
    endpoint_ids = ArrayField(models.CharField(max_length=40), default=list)
    started_at = models.DateTimeField(default=utcnow)
    ends_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, help_text="When somebody ended it early")

    class Meta:
        indexes = [models.Index(fields=["merchant", "-started_at"], name="chaos_runs_of_a_merchant")]

    def __str__(self) -> str:
        return self.id

    @property
    def is_active(self) -> bool:
        return self.ended_at is None and self.ends_at > utcnow()


class DisturbedRequest(models.Model):
    """A request whose response was disturbed: of a key, and of a path that is read, only the first in a run."""

    run = models.ForeignKey(ChaosRun, on_delete=models.CASCADE, related_name="requests", db_index=False)
    kind = models.CharField(max_length=14)
    method = models.CharField(max_length=8)
    path = models.CharField(max_length=255)
    idempotency_key = models.UUIDField(null=True, help_text="Of a POST")
    request_id = models.CharField(max_length=40)
    retry_after_s = models.SmallIntegerField(null=True)
    object_id = models.CharField(max_length=40, null=True, help_text="What was made, though the response was lost")
    at = models.DateTimeField(default=utcnow)

    class Meta:
        indexes = [models.Index(fields=["run", "-at"], name="disturbed_requests_of_a_run")]
        constraints = [
            models.UniqueConstraint(
                fields=["run", "idempotency_key"],
                condition=Q(idempotency_key__isnull=False),
                name="a_key_is_disturbed_once",
            ),
            models.UniqueConstraint(
                fields=["run", "path"], condition=Q(idempotency_key=None), name="a_reading_is_disturbed_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.request_id}"
