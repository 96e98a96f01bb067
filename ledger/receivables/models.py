"""Confirmed money that is not yet available, and requests to advance it."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from accounts.base.ids import IdField
from accounts.models import Merchant


class State(models.TextChoices):
    """The status of a receivable (contract §3)."""

    SCHEDULED = "SCHEDULED", "Scheduled"
    RESERVED_FOR_ADVANCE = "RESERVED_FOR_ADVANCE", "Reserved for an advance"
    ADVANCED = "ADVANCED", "Advanced"
    RELEASED = "RELEASED", "Released"
    CANCELED = "CANCELED", "Canceled"


OPEN = (State.SCHEDULED, State.RESERVED_FOR_ADVANCE)
"""Statuses that RELEASING of a wallet is the sum of."""


class Receivable(models.Model):
    """What remains of a payment's net until its release date. Amounts in minor units of the wallet's currency."""

    id = IdField("rcv", primary_key=True)
    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT, related_name="receivables", db_index=False)
    payment_id = models.CharField(max_length=40, unique=True)
    payment_reference = models.CharField(max_length=128)
    method = models.CharField(max_length=16, help_text="Of the payment")
    currency = models.CharField(max_length=4)
    gross_amount = models.BigIntegerField()
    fee = models.BigIntegerField()
    refunded_amount = models.BigIntegerField(default=0, help_text="Taken from it by refunds")
    amount = models.BigIntegerField(help_text="What is left of it")
    state = models.CharField(max_length=24, choices=State, default=State.SCHEDULED)
    release_at = models.DateTimeField()
    advance_monthly_rate = models.DecimalField(
        max_digits=7, decimal_places=4, null=True, help_text="Per cent; empty: it cannot be advanced"
    )
    advance_minimum = models.BigIntegerField(default=0)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=["merchant", "-created_at"], name="receivables_of_a_merchant"),
            models.Index(fields=["release_at"], name="receivables_to_release", condition=Q(state=State.SCHEDULED)),
            models.Index(
                fields=["merchant", "release_at"], name="next_release_of_a_merchant", condition=Q(state=State.SCHEDULED)
            ),
            models.Index(fields=["gross_amount", "release_at"], name="receivables_by_amount"),
            models.Index(fields=["release_at"], name="receivables_by_time"),
            models.Index(fields=["merchant", "release_at", "id"], name="receivables_by_day"),
            # Lists and sums of what is not available yet read no row, and none of those released before.
            models.Index(
                fields=["merchant", "release_at", "id"],
                include=["currency", "method", "amount", "state"],
                name="releasing_receivables",
                condition=Q(state__in=OPEN),
            ),
            models.Index(
                fields=["merchant", "currency", "release_at", "id"],
                name="open_receivables",
                condition=Q(state__in=OPEN),
            ),
        ]
        constraints = [
            models.CheckConstraint(name="receivable_state_is_known", condition=Q(state__in=State.values)),
            models.CheckConstraint(
                name="receivable_adds_up",
                condition=Q(amount=models.F("gross_amount") - models.F("fee") - models.F("refunded_amount"))
                & (Q(amount__gt=0) | Q(amount=0, state=State.CANCELED)),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.id} · {self.payment_reference}"


class Taking(models.Model):
    """What a payer's refund took from the receivable of another payment, because its own money was not enough."""

    receivable = models.ForeignKey(Receivable, on_delete=models.PROTECT, related_name="takings", db_index=False)
    refund_id = models.CharField(max_length=40)
    amount = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["refund_id", "receivable"], name="one_taking_of_a_receivable"),
            models.CheckConstraint(name="takings_take_something", condition=Q(amount__gt=0)),
        ]

    def __str__(self) -> str:
        return f"{self.refund_id} of {self.receivable_id}"


class Advance(models.Model):
    """A request to advance receivables, and the decision. Amounts in minor units."""

    class State(models.TextChoices):
        UNDER_REVIEW = "UNDER_REVIEW", "Under review"
        APPROVED = "APPROVED", "Approved"
        REFUSED = "REFUSED", "Refused"

    id = IdField("adv", primary_key=True)
    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT, related_name="advances")
    currency = models.CharField(max_length=4)
    state = models.CharField(max_length=16, choices=State, default=State.UNDER_REVIEW)
    gross_amount = models.BigIntegerField()
    fee = models.BigIntegerField()
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True)
    requested_at = models.DateTimeField()
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True)
    decided_at = models.DateTimeField(null=True)
    note = models.CharField(max_length=255, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["requested_at"], name="advances_to_decide", condition=Q(state="UNDER_REVIEW")),
            models.Index(fields=["gross_amount", "requested_at"], name="advances_by_amount"),
            models.Index(fields=["requested_at"], name="advances_by_time"),
        ]
        constraints = [
            models.CheckConstraint(
                name="advances_cost_less_than_they_give", condition=Q(fee__gte=0, fee__lt=models.F("gross_amount"))
            ),
            models.CheckConstraint(
                name="decided_advances_say_when",
                condition=Q(state="UNDER_REVIEW", decided_at=None) | ~Q(state="UNDER_REVIEW") & ~Q(decided_at=None),
            ),
        ]

    def __str__(self) -> str:
        return self.id

    @property
    def net(self) -> int:
        return self.gross_amount - self.fee


class AdvanceItem(models.Model):
    """One receivable of an advance, with its fee."""

    advance = models.ForeignKey(Advance, on_delete=models.PROTECT, related_name="items")
    receivable = models.ForeignKey(Receivable, on_delete=models.PROTECT, related_name="advance_items")
    amount = models.BigIntegerField()
    fee = models.BigIntegerField()
    days = models.IntegerField(help_text="Gained, each begun day counted")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["advance", "receivable"], name="advanced_once_in_an_advance")]

    def __str__(self) -> str:
        return f"{self.receivable_id} in {self.advance_id}"

    @property
    def net(self) -> int:
        return self.amount - self.fee
