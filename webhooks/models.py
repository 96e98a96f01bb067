"""Endpoints, events, deliveries and attempts. The rows are the queue."""

from datetime import datetime
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import models

from accounts.base.clock import utcnow
from accounts.base.ids import IdField
from accounts.models import Merchant


class Endpoint(models.Model):
    """An address of the merchant's backend that receives events."""

    class Status(models.TextChoices):
        ACTIVE = "ACTIVE", "Active"
        INACTIVE = "INACTIVE", "Inactive: switched off by the merchant"
        DISABLED = "DISABLED", "Disabled: switched off by us"

    class DisabledReason(models.TextChoices):
        FAILURES = "FAILURES", "Failures: nothing arrived for days"
        GONE = "GONE", "Gone: the address answered 410"

    id = IdField("whk", primary_key=True)
    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT, related_name="endpoints")
    url = models.CharField(max_length=2048)
    events = ArrayField(models.CharField(max_length=40))
    description = models.CharField(max_length=255, null=True, blank=True)
    status = models.CharField(max_length=8, choices=Status, default=Status.ACTIVE)
    disabled_reason = models.CharField(max_length=8, choices=DisabledReason, null=True)
    sealed_secret = models.BinaryField(editable=False)
    sealed_previous_secret = models.BinaryField(null=True, editable=False)
    previous_secret_expires_at = models.DateTimeField(null=True, editable=False)
    last_delivery_at = models.DateTimeField(null=True, editable=False)
    last_success_at = models.DateTimeField(null=True, editable=False)
    failures = models.IntegerField(
        default=0, db_default=0, editable=False, help_text="In a row, since the last success"
    )
    failing_since = models.DateTimeField(null=True, editable=False)
    pauses = models.SmallIntegerField(
        default=0, db_default=0, editable=False, help_text="How often in a row it was left alone"
    )
    open_until = models.DateTimeField(
        null=True, editable=False, help_text="Too many failures in a row: nothing is sent before, then one attempt"
    )
    warned_at = models.DateTimeField(null=True, editable=False, help_text="When its people were told that it fails")
    disturbances = ArrayField(models.CharField(max_length=14), default=list, db_default=[], editable=False)
    disturbed_since = models.DateTimeField(null=True, editable=False)
    disturbed_until = models.DateTimeField(null=True, editable=False, help_text="In the sandbox, by real time")
    deleted_at = models.DateTimeField(null=True, editable=False)
    created_at = models.DateTimeField(default=utcnow, editable=False)
    updated_at = models.DateTimeField(default=utcnow, editable=False)

    class Meta:
        indexes = [
            models.Index(fields=["merchant", "-created_at"], name="endpoints_of_a_merchant"),
            models.Index(fields=["failing_since"], name="endpoints_that_fail", condition=models.Q(status="ACTIVE")),
        ]

    def __str__(self) -> str:
        return self.url

    def save(self, *args: Any, **kwargs: Any) -> None:
        self.updated_at = self.created_at if self._state.adding else utcnow()
        super().save(*args, **kwargs)

    @property
    def overlap_ends_at(self) -> datetime | None:
        """Until when the previous secret signs, too; None if there is none."""
        ends = self.previous_secret_expires_at
        return ends if ends and ends > utcnow() else None

    @property
    def is_left_alone(self) -> bool:
        """Whether the endpoint is paused after too many failures in a row."""
        return self.open_until is not None and self.open_until > utcnow()


class TransactionField(models.Field):
    """The number of a transaction of PostgreSQL (xid8)."""

    def db_type(self, connection: Any) -> str:
        return "xid8"

    def from_db_value(self, value: str | None, expression: Any, connection: Any) -> int | None:
        return None if value is None else int(value)


class Event(models.Model):
    """An event; `body` holds the exact bytes that are signed and sent.

    Events, deliveries and attempts are tables in ranges, without foreign keys: merchants and endpoints are never
    deleted, and what belongs together goes together.
    """

    id = IdField("evt", primary_key=True)
    merchant = models.ForeignKey(
        Merchant, on_delete=models.PROTECT, related_name="events", db_index=False, db_constraint=False
    )
    type = models.CharField(max_length=40)
    object_id = models.CharField(max_length=40, help_text="Id of what it happened to")
    sequence = models.BigIntegerField(db_default=0, help_text="Grows with each event of the same object")
    body = models.BinaryField(editable=False)
    occurred_at = models.DateTimeField(help_text="By the merchant's clock")
    created_at = models.DateTimeField(default=utcnow)
    xid = TransactionField(
        db_default=models.Func(function="pg_current_xact_id"),
        editable=False,
        help_text="In this order events are followed: the transaction, or a greater one that had ended",
    )
    request_id = models.CharField(max_length=40, blank=True, db_default="", help_text="The request that caused it")

    class Meta:
        permissions = [("resend_event", "Can send a company's events again")]
        indexes = [
            models.Index(fields=["merchant", "-created_at"], name="events_of_a_merchant"),
            models.Index(fields=["merchant", "xid", "id"], name="events_in_order_of_xid"),
            models.Index(fields=["object_id", "-sequence"], name="events_of_an_object"),
        ]

    def __str__(self) -> str:
        return f"{self.type} {self.object_id}"


class Delivery(models.Model):
    """One event for one endpoint. Due rows are claimed with FOR UPDATE SKIP LOCKED."""

    class Status(models.TextChoices):
        PENDING = "PENDING", "Pending"
        DELIVERED = "DELIVERED", "Delivered"
        FAILED = "FAILED", "Failed: every attempt was made"
        CANCELED = "CANCELED", "Canceled: the endpoint is gone"

    id = IdField("dlv", primary_key=True)
    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="deliveries", db_constraint=False)
    endpoint = models.ForeignKey(
        Endpoint, on_delete=models.CASCADE, related_name="deliveries", db_index=False, db_constraint=False
    )
    status = models.CharField(max_length=9, choices=Status, default=Status.PENDING)
    attempts = models.SmallIntegerField(default=0, help_text="Begun so far")
    next_attempt_at = models.DateTimeField(null=True, default=utcnow)
    leased_until = models.DateTimeField(null=True, help_text="A worker has it in hand until then")
    lease = models.UUIDField(null=True, help_text="Whose hand: the hold of a process, or by time alone")
    http_status = models.SmallIntegerField(null=True)
    error = models.CharField(max_length=40, null=True)
    delivered_at = models.DateTimeField(null=True)
    is_retried = models.BooleanField(db_default=True, help_text="A test is made once")
    asked_for = models.BooleanField(
        db_default=False, help_text="Somebody asked for it: its first attempt is made though the endpoint is left alone"
    )
    object_id = models.CharField(max_length=40, null=True, help_text="The event's: one object's events go in order")
    sequence = models.BigIntegerField(null=True, help_text="The event's")
    disturbance = models.CharField(max_length=14, null=True, help_text="On purpose, in the sandbox")
    created_at = models.DateTimeField(default=utcnow)

    class Meta:
        verbose_name_plural = "deliveries"
        indexes = [
            models.Index(
                fields=["endpoint", "next_attempt_at"],
                name="deliveries_due",
                condition=models.Q(status="PENDING"),
            ),
            models.Index(
                fields=["endpoint"], name="deliveries_in_hand", condition=models.Q(leased_until__isnull=False)
            ),
            models.Index(fields=["endpoint", "-created_at"], name="deliveries_of_an_endpoint"),
            models.Index(
                fields=["endpoint", "object_id", "sequence"],
                name="deliveries_in_order",
                condition=models.Q(status="PENDING"),
            ),
            models.Index(
                fields=["endpoint"],
                name="deliveries_asked_for",
                condition=models.Q(status="PENDING", asked_for=True, attempts=0),
            ),
        ]
        constraints = [
            models.CheckConstraint(
                name="only_pending_is_due",
                condition=models.Q(status="PENDING", next_attempt_at__isnull=False)
                | (~models.Q(status="PENDING") & models.Q(next_attempt_at=None)),
            )
        ]

    def __str__(self) -> str:
        return f"{self.event} → {self.endpoint}"

    @property
    def waits_for_endpoint(self) -> bool:
        """Whether it is due before the pause of its endpoint ends."""
        due, until = self.next_attempt_at, self.endpoint.open_until
        is_first_asked_for = self.asked_for and not self.attempts
        return due is not None and until is not None and until > due and not is_first_asked_for

    @property
    def expected_at(self) -> datetime | None:
        """The earliest time of the next attempt."""
        return self.endpoint.open_until if self.waits_for_endpoint else self.next_attempt_at


class Hold(models.Model):
    """A process that has deliveries in hand. Their `lease` is its id."""

    id = models.UUIDField(primary_key=True)
    beat_at = models.DateTimeField()
    silent_since = models.DateTimeField(null=True, help_text="When others noticed; it is lost a little later")

    def __str__(self) -> str:
        return str(self.id)


class Attempt(models.Model):
    """One delivery attempt and its result."""

    delivery = models.ForeignKey(
        Delivery, on_delete=models.CASCADE, related_name="tries", db_index=False, db_constraint=False
    )
    number = models.SmallIntegerField()
    started_at = models.DateTimeField()
    elapsed_ms = models.IntegerField()
    http_status = models.SmallIntegerField(null=True)
    error = models.CharField(max_length=40, null=True)
    excerpt = models.TextField(help_text="The first 4 KiB of the answer")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["delivery", "number"], name="one_attempt_per_number")]

    def __str__(self) -> str:
        return f"{self.delivery_id} #{self.number}"
