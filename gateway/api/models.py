"""What was answered under which idempotency key."""

from django.contrib.postgres.indexes import BrinIndex
from django.db import models

from accounts.clock import wall
from accounts.models import Merchant


class IdempotencyKey(models.Model):
    """The outcome of a request that began to act: the answer of that key for 30 days (contract §2.7)."""

    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT, related_name="+", db_index=False)
    key = models.UUIDField()
    fingerprint = models.BinaryField(max_length=32, help_text="SHA-256 of method, path and canonical body")
    method = models.CharField(max_length=6)
    path = models.CharField(max_length=255)
    status = models.SmallIntegerField(null=True)
    sealed_body = models.BinaryField(null=True, editable=False)
    resource_id = models.CharField(
        max_length=40, null=True, help_text="What the request began and did not finish: a repetition resumes it"
    )
    leased_until = models.DateTimeField(null=True, help_text="Until when somebody is at work on it")
    request_id = models.CharField(max_length=40)
    created_at = models.DateTimeField(default=wall)

    class Meta:
        indexes = [BrinIndex(fields=["created_at"], name="old_idempotency_keys")]
        constraints = [models.UniqueConstraint(fields=["merchant", "key"], name="one_use_of_a_key")]

    def __str__(self) -> str:
        return str(self.key)
