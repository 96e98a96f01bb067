"""Decisions of people of the company about withdrawals that wait for approval."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from accounts.base.ids import IdField
from accounts.models import ApiKey
from gateway.withdrawals.models import Withdrawal


class Decision(models.TextChoices):
    APPROVE = "APPROVE", "Approved"
    REJECT = "REJECT", "Rejected"


class Approval(models.Model):
    """One decision, by a person in the dashboard or by a key. `digest` says what was approved.

    Who has approved can still reject while others are missing.
    """

    id = IdField("apr", primary_key=True)
    withdrawal = models.ForeignKey(Withdrawal, on_delete=models.PROTECT, related_name="approvals")
    decision = models.CharField(max_length=8, choices=Decision)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True)
    key = models.ForeignKey(ApiKey, on_delete=models.PROTECT, related_name="+", null=True)
    identities = ArrayField(models.CharField(max_length=48), help_text="Person and keys that count as one")
    digest = models.BinaryField(max_length=32, editable=False)
    note = models.CharField(max_length=255, blank=True)
    address = models.GenericIPAddressField(null=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["withdrawal", "person", "decision"], name="one_approval_and_rejection_per_person"
            ),
            models.UniqueConstraint(
                fields=["withdrawal", "key", "decision"], name="one_approval_and_rejection_per_key"
            ),
            models.CheckConstraint(
                name="decided_by_person_or_key",
                condition=Q(person__isnull=False, key=None) | Q(person=None, key__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.withdrawal_id} · {self.get_decision_display()}"
