"""Withdrawals: what left a wallet, for whom, and the result."""

from decimal import Decimal

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q

from accounts.base.ids import IdField
from accounts.models import Merchant
from gateway.payouts.rail import FailureCode
from gateway.payouts.registry import RailName
from gateway.providers.asking import Asked
from ledger.money import to_decimal


class Status(models.TextChoices):
    """The status of a withdrawal (contract §11.1). Only completed ones can be returned."""

    PROCESSING = "PROCESSING", "Processing"
    COMPLETED = "COMPLETED", "Completed"
    FAILED = "FAILED", "Failed"
    RETURNED = "RETURNED", "Returned"


class ApprovalState(models.TextChoices):
    """What a company's own rules ask of a withdrawal, and whether it was given (contract §11.7)."""

    PENDING = "PENDING", "Waits for approval"
    APPROVED = "APPROVED", "Approved"
    REJECTED = "REJECTED", "Rejected"
    EXPIRED = "EXPIRED", "Nobody approved it in time"
    CANCELED = "CANCELED", "Failed before it was approved"


class Withdrawal(Asked):
    """Money for a beneficiary. Minor units; times by the merchant's clock.

    `amount` and `fee` are debited from the wallet of `currency`; the beneficiary receives `payout_amount` of
    `payout_currency`, which is the same for all rails but crypto. There `gross_amount` is the converted amount,
    from which `network_fee` was taken. The full destination is sealed; `destination` is the part that may be
    shown.
    """

    id = IdField("wdr", primary_key=True)
    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT, related_name="withdrawals", db_index=False)
    rail = models.CharField(max_length=16, choices=RailName)
    reference = models.CharField(max_length=128)
    status = models.CharField(max_length=12, choices=Status)
    amount = models.BigIntegerField()
    fee = models.BigIntegerField()
    currency = models.CharField(max_length=4)
    payout_amount = models.BigIntegerField()
    payout_currency = models.CharField(max_length=4)
    network_fee = models.BigIntegerField(default=0)
    market_amount = models.BigIntegerField(null=True, blank=True, help_text="What the market would have given")
    gross_amount = models.BigIntegerField(null=True, blank=True, help_text="What we gave, before the network fee")
    market_rate = models.DecimalField(max_digits=20, decimal_places=10, null=True, blank=True)
    applied_rate = models.DecimalField(max_digits=20, decimal_places=10, null=True, blank=True)
    spread_percentage = models.DecimalField(max_digits=6, decimal_places=4, null=True, blank=True)
    destination = models.JSONField(help_text="Masked")
    sealed_destination = models.BinaryField(editable=False)
    fingerprint = models.BinaryField(
        max_length=32, null=True, editable=False, help_text="The same for the same destination of a merchant"
    )
    account_fingerprint = models.BinaryField(
        max_length=32,
        null=True,
        editable=False,
        help_text="The same for the same account, whatever else the order says",
    )
    asked_by = ArrayField(
        models.CharField(max_length=48),
        default=list,
        db_default=models.Value([], output_field=ArrayField(models.CharField(max_length=48))),
        editable=False,
        help_text="Person and keys that asked for it: none of them may approve it",
    )
    approval = models.CharField(max_length=8, choices=ApprovalState, null=True, blank=True)
    approvals_required = models.SmallIntegerField(default=0, db_default=0)
    approvals_given = models.SmallIntegerField(default=0, db_default=0)
    approval_expires_at = models.DateTimeField(null=True, blank=True)
    approval_digest = models.BinaryField(
        max_length=32, null=True, editable=False, help_text="Of what is approved: amount, rail and destination"
    )
    is_to_sum_up = models.BooleanField(
        default=False, db_default=False, editable=False, help_text="People are told of it in the next daily summary"
    )
    is_told_together = models.BooleanField(
        default=False, db_default=False, editable=False, help_text="People are told of it with the rest of its file"
    )
    details = models.JSONField(default=dict, help_text="What of the request is shown as it was sent")
    origin = models.GenericIPAddressField(null=True, blank=True, help_text="Where the request came from")
    rail_reference = models.CharField(max_length=80, null=True, blank=True, help_text="The provider's own id")
    failure_code = models.CharField(max_length=40, choices=FailureCode, null=True, blank=True)
    failure_message = models.CharField(max_length=255, null=True, blank=True)
    queued_at = models.DateTimeField(
        null=True, blank=True, help_text="When it was queued for a file, or for people: its account is not called"
    )
    sent_at = models.DateTimeField(null=True, blank=True, help_text="When the order was handed over last")
    sent_times = models.SmallIntegerField(default=0)
    asked_times = models.SmallIntegerField(default=0, help_text="Since it was handed over last")
    ask_at = models.DateTimeField(null=True, blank=True, help_text="When the provider is to be spoken to next")
    note = models.CharField(max_length=255, blank=True, help_text="Of staff")
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    completed_at = models.DateTimeField(null=True, blank=True)
    returned_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["merchant", "-created_at", "-id"], name="withdrawals_of_a_merchant"),
            models.Index(
                fields=["merchant", "updated_at"],
                name="withdrawals_that_came_back",
                condition=Q(status__in=("FAILED", "RETURNED")),
            ),
            models.Index(fields=["amount", "created_at"], name="withdrawals_by_amount"),
            models.Index(fields=["created_at"], name="withdrawals_by_time"),
            models.Index(fields=["ask_at"], name="withdrawals_to_ask_about", condition=Q(ask_at__isnull=False)),
            models.Index(
                fields=["account", "queued_at"],
                name="withdrawals_queued_for_a_file",
                condition=Q(status=Status.PROCESSING, queued_at__isnull=False),
            ),
            models.Index(
                fields=["account", "completed_at"],
                name="withdrawals_paid_by_an_account",
                condition=Q(completed_at__isnull=False),
            ),
            models.Index(fields=["certain_by"], name="unclear_withdrawals", condition=Q(certain_by__isnull=False)),
            models.Index(
                fields=["merchant", "ask_at"], name="next_withdrawal_to_ask_about", condition=Q(ask_at__isnull=False)
            ),
            models.Index(fields=["created_at"], name="withdrawals_on_their_way", condition=Q(status=Status.PROCESSING)),
            models.Index(fields=["merchant", "fingerprint"], name="withdrawals_by_destination"),
            models.Index(fields=["merchant", "account_fingerprint", "created_at"], name="withdrawals_by_account_paid"),
            models.Index(
                fields=["approval_expires_at"],
                name="withdrawals_to_approve",
                condition=Q(approval="PENDING"),
            ),
            models.Index(
                fields=["merchant", "approval_expires_at"],
                name="next_withdrawal_to_approve",
                condition=Q(approval="PENDING"),
            ),
            models.Index(fields=["created_at"], name="withdrawals_to_sum_up", condition=Q(is_to_sum_up=True)),
            models.Index(
                fields=["rail_reference"],
                name="withdrawals_by_rail_reference",
                condition=Q(rail_reference__isnull=False),
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["merchant", "reference"],
                condition=~Q(status="FAILED"),
                name="one_live_withdrawal_per_reference",
            ),
            models.CheckConstraint(name="withdrawal_status_is_known", condition=Q(status__in=Status.values)),
            models.CheckConstraint(
                name="withdrawal_amounts",
                condition=Q(amount__gt=0, fee__gte=0, payout_amount__gt=0, network_fee__gte=0),
            ),
            models.CheckConstraint(
                name="withdrawal_of_fiat_or_crypto",
                condition=Q(
                    Q(payout_currency=F("currency"), payout_amount=F("amount"), gross_amount=None, market_amount=None)
                    | Q(
                        gross_amount=F("payout_amount") + F("network_fee"),
                        market_amount__gte=F("gross_amount"),
                        rail=RailName.CRYPTO,
                    )
                ),
            ),
            models.CheckConstraint(
                name="withdrawal_leaves_only_approved",
                condition=Q(approval=None)
                | Q(approval="APPROVED")
                | Q(sent_at=None, ask_at=None, queued_at=None, status__in=("PROCESSING", "FAILED")),
            ),
            models.CheckConstraint(
                name="withdrawal_approved_by_enough",
                condition=Q(approval=None, approvals_required=0, approvals_given=0)
                | Q(approval="APPROVED", approvals_required__gt=0, approvals_given__gte=F("approvals_required"))
                | Q(approval__in=("PENDING", "REJECTED", "EXPIRED", "CANCELED"), approvals_required__gt=0),
            ),
            models.CheckConstraint(
                name="withdrawal_waits_for_approval_until_then",
                condition=Q(approval=None, approval_expires_at=None, approval_digest=None)
                | Q(approval__isnull=False, approval_expires_at__isnull=False, approval_digest__isnull=False),
            ),
            models.CheckConstraint(
                name="withdrawal_waits_while_processing", condition=~Q(approval="PENDING") | Q(status="PROCESSING")
            ),
            models.CheckConstraint(
                name="withdrawal_ends_with_a_time",
                condition=Q(status__in=("PROCESSING", "FAILED"), completed_at=None, returned_at=None)
                | Q(status="COMPLETED", completed_at__isnull=False, returned_at=None)
                | Q(status="RETURNED", completed_at__isnull=False, returned_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.id} · {self.get_status_display()}"

    @property
    def total(self) -> int:
        """The total debit of the wallet, in its minor units."""
        return self.amount + self.fee

    @property
    def is_converted(self) -> bool:
        """Whether the beneficiary receives another currency than the wallet's."""
        return self.gross_amount is not None

    @property
    def amount_exact(self) -> Decimal:
        return to_decimal(self.amount, self.currency)
