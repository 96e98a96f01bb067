"""Holds: money that is held, with its reason, its owner and the expected end."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Upper

from accounts.base.ids import IdField
from accounts.models import Merchant


class Reason(models.TextChoices):
    """Why money is held (contract §3)."""

    REFUND_DISPUTE = "REFUND_DISPUTE", "A payer requested a refund"
    REFUND_PROCESSING = "REFUND_PROCESSING", "Being returned to a payer"
    MED = "MED", "Claimed back through PIX MED"
    WITHDRAWAL_PROCESSING = "WITHDRAWAL_PROCESSING", "Being paid to a beneficiary"
    COMPLIANCE = "COMPLIANCE", "Compliance"
    LEGAL_ORDER = "LEGAL_ORDER", "Legal order"
    ROLLING_RESERVE = "ROLLING_RESERVE", "Rolling reserve"


BY_STAFF = (Reason.COMPLIANCE, Reason.LEGAL_ORDER)


class Hold(models.Model):
    """Money of a wallet that is held until `ended_at`. Minor units.

    `missing` could not be held yet: money that comes into the wallet goes here first (see `ledger.holds.shortfalls`).
    """

    id = IdField("blk", primary_key=True)
    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT, related_name="holds")
    reason = models.CharField(max_length=24, choices=Reason)
    currency = models.CharField(max_length=4)
    amount = models.BigIntegerField()
    missing = models.BigIntegerField(default=0, help_text="What is still to be blocked")
    payment_id = models.CharField(max_length=40, null=True, blank=True)
    refund_id = models.CharField(max_length=40, null=True, blank=True)
    withdrawal_id = models.CharField(max_length=40, null=True, blank=True)
    note = models.CharField(max_length=255, blank=True)
    case_number = models.CharField(
        max_length=64,
        blank=True,
        default="",
        db_default="",
        help_text="Required for a legal order. The company sees it",
    )
    placed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True, blank=True
    )
    lifted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True, blank=True
    )
    expected_release_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["amount", "created_at"], name="holds_by_amount"),
            models.Index(fields=["created_at"], name="holds_by_time"),
            models.Index(Upper("case_number"), name="holds_by_case_number", condition=~Q(case_number="")),
            models.Index(fields=["merchant", "currency", "-created_at"], name="open_holds", condition=Q(ended_at=None)),
            models.Index(fields=["payment_id"], name="holds_of_payments", condition=Q(payment_id__isnull=False)),
            models.Index(fields=["refund_id"], name="holds_of_refunds", condition=Q(refund_id__isnull=False)),
            models.Index(
                fields=["withdrawal_id"], name="holds_of_withdrawals", condition=Q(withdrawal_id__isnull=False)
            ),
            models.Index(
                fields=["expected_release_at"],
                name="reserves_to_release",
                condition=Q(reason="ROLLING_RESERVE", ended_at=None),
            ),
            models.Index(
                fields=["merchant", "expected_release_at"],
                name="next_reserve_of_a_merchant",
                condition=Q(reason="ROLLING_RESERVE", ended_at=None),
            ),
            models.Index(
                fields=["merchant", "currency"], name="uncovered_holds", condition=Q(ended_at=None, missing__gt=0)
            ),
        ]
        constraints = [
            models.CheckConstraint(
                name="holds_hold_something",
                condition=Q(amount__gte=0, missing__gte=0) & (Q(amount__gt=0) | Q(missing__gt=0)),
            ),
            models.CheckConstraint(name="hold_reason_is_known", condition=Q(reason__in=Reason.values)),
        ]

    def __str__(self) -> str:
        return f"{self.id} · {self.get_reason_display()}"
