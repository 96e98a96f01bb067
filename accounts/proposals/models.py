"""Decisions about a record that staff proposed, and their results."""

import hashlib
import json
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from accounts.base.clock import utcnow
from accounts.base.ids import IdField


class Proposal(models.Model):
    """A proposed decision. It takes effect when a second person confirms it. `kind` names its class in `kinds`."""

    class State(models.TextChoices):
        OPEN = "OPEN", "Open"
        CONFIRMED = "CONFIRMED", "Confirmed"
        TURNED_DOWN = "TURNED_DOWN", "Rejected"
        OVERTAKEN = "OVERTAKEN", "Outdated: the record has changed"
        EXPIRED = "EXPIRED", "Expired"

    id = IdField("prp", primary_key=True)
    kind = models.CharField(max_length=40)
    object_id = models.CharField(max_length=128, help_text="The record's id")
    company = models.ForeignKey("accounts.Company", on_delete=models.PROTECT, related_name="+", null=True)
    values = models.JSONField(help_text="The proposed values; sealed secrets only while it is open")
    before = models.JSONField(help_text="The values before")
    note = models.CharField(max_length=255)
    digest = models.CharField(max_length=64, editable=False, help_text="SHA-256 of what is confirmed")
    state = models.CharField(max_length=12, choices=State, default=State.OPEN)
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    proposed_at = models.DateTimeField(default=utcnow)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True)
    decided_on_host_by = models.CharField(
        max_length=64, blank=True, default="", help_text="The operating system's user who ran the command"
    )
    decided_at = models.DateTimeField(null=True)
    answer = models.CharField(max_length=255, blank=True, default="", help_text="The note of the decision")

    class Meta:
        indexes = [
            models.Index(fields=["proposed_at"], name="proposals_waiting", condition=Q(state="OPEN")),
            models.Index(fields=["object_id"], name="proposals_of_an_object"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "object_id"], condition=Q(state="OPEN"), name="one_open_proposal_of_a_kind"
            ),
            models.CheckConstraint(
                name="a_second_person_confirms",
                condition=~Q(state="CONFIRMED")
                | (Q(decided_by__isnull=False) & ~Q(decided_by=F("proposed_by")))
                | ~Q(decided_on_host_by=""),
            ),
        ]

    def __str__(self) -> str:
        return self.pk

    @property
    def expires_at(self) -> datetime:
        """Until then it can be confirmed."""
        return self.proposed_at + timedelta(days=settings.PROPOSALS_EXPIRE_AFTER_DAYS)

    @property
    def is_open(self) -> bool:
        """Whether it can still be confirmed."""
        return self.state == self.State.OPEN and utcnow() < self.expires_at

    def content_digest(self) -> str:
        """SHA-256 of everything that the confirming person has read."""
        about = [self.pk, self.kind, self.object_id, self.company_id]
        read: list[Any] = [*about, self.values, self.before, self.note, self.proposed_by_id]
        return hashlib.sha256(json.dumps(read, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
