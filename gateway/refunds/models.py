"""Refunds, companies' answers, and their evidence."""

from decimal import Decimal

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from accounts.base.ids import IdField
from accounts.models import Merchant
from gateway.payments.models import Payment
from gateway.providers.returning import Returned
from gateway.refunds.reasons import DisputeKind, ReasonCode
from ledger.money import to_decimal


class Origin(models.TextChoices):
    MERCHANT = "MERCHANT", "The company"
    PAYER = "PAYER", "The payer"


class Status(models.TextChoices):
    """The status of a refund (contract §7.4). The last four are final."""

    AWAITING_RESPONSE = "AWAITING_RESPONSE", "Awaiting response"
    UNDER_REVIEW = "UNDER_REVIEW", "Under review"
    PROCESSING = "PROCESSING", "Processing"
    COMPLETED = "COMPLETED", "Completed"
    FAILED = "FAILED", "Failed"
    REJECTED = "REJECTED", "Rejected"
    CANCELED = "CANCELED", "Canceled"


OPEN = (Status.AWAITING_RESPONSE, Status.UNDER_REVIEW, Status.PROCESSING)
DISPUTED = (Status.AWAITING_RESPONSE, Status.UNDER_REVIEW)
OWED = (*OPEN, Status.COMPLETED)
"""Statuses in which incoming money covers what a refund lacks: COMPLETED, its institution has taken the money back."""
_SHORT_OF_MONEY = Q(status__in=OWED, wallet_amount__gt=F("from_releasing") + F("from_available"))


class Refund(Returned):
    """Money of a payment to be returned. Minor units; times by the merchant's clock.

    `wallet_amount` is the amount in the wallet's currency, of which `from_releasing` and `from_available` are held. A
    payer's request holds money from everything that the wallet releases, also from other payments (`Taking`).

    A chargeback is a dispute at an acquirer (`gateway.refunds.disputes`), which decides it and takes the money itself:
    nothing is sent. `reversed_at` is when it gave the money of a completed one back.

    A MED claim (`gateway.refunds.med`) is of `claimed_amount`: `amount` is the same until the end of the return window,
    and what was held by then afterwards.

    What lacks when a refund is COMPLETED was taken back by its institution, and the company owes it (DEBT).
    """

    id = IdField("ref", primary_key=True)
    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT, related_name="refunds", db_index=False)
    payment = models.ForeignKey(Payment, on_delete=models.PROTECT, related_name="refunds")
    reference = models.CharField(max_length=128, null=True, blank=True)
    origin = models.CharField(max_length=10, choices=Origin)
    is_full = models.BooleanField(help_text="The whole remaining amount at the request")
    status = models.CharField(max_length=20, choices=Status)
    amount = models.BigIntegerField()
    currency = models.CharField(max_length=4)
    reason = models.CharField(max_length=255, null=True, blank=True)
    reason_code = models.CharField(max_length=20, choices=ReasonCode, null=True, blank=True)
    payer_statement = models.TextField(null=True, blank=True)
    response_due_at = models.DateTimeField(null=True, blank=True)
    remind_at = models.DateTimeField(null=True, blank=True)
    evidence_due_at = models.DateTimeField(
        null=True, blank=True, help_text="When evidence that is handed in by itself is announced, then handed in"
    )
    evidence_alarm_at = models.DateTimeField(
        null=True, blank=True, help_text="When people are told that evidence was not handed in by itself"
    )
    evidence_late_at = models.DateTimeField(null=True, blank=True, help_text="When they were told so")
    dispute_kind = models.CharField(max_length=12, choices=DisputeKind, null=True, blank=True)
    claim_id = models.CharField(
        max_length=64, null=True, blank=True, help_text="Of a MED claim, given by the payer's institution"
    )
    claimed_amount = models.BigIntegerField(null=True, blank=True)
    analysis_due_at = models.DateTimeField(null=True, blank=True)
    return_due_at = models.DateTimeField(null=True, blank=True)
    destination = models.JSONField(null=True, blank=True, help_text="PIX key of a boleto's payer")
    end_to_end_id = models.CharField(max_length=40, null=True, blank=True)
    failure_code = models.CharField(max_length=40, null=True, blank=True)
    failure_message = models.CharField(max_length=255, null=True, blank=True)
    wallet_currency = models.CharField(max_length=4)
    wallet_amount = models.BigIntegerField()
    from_releasing = models.BigIntegerField(default=0)
    from_available = models.BigIntegerField(default=0)
    fills = models.SmallIntegerField(default=0, help_text="How often a shortfall was filled")
    ask_at = models.DateTimeField(null=True, blank=True, help_text="When the provider is to be asked")
    sent_at = models.DateTimeField(null=True, blank=True, help_text="When the order was sent to the provider last")
    note = models.CharField(max_length=255, blank=True, help_text="Of staff")
    opened_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="+",
        null=True,
        blank=True,
        db_index=False,
        help_text="Somebody of the staff, for the payer",
    )
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    completed_at = models.DateTimeField(null=True, blank=True)
    reversed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        permissions = [("settle_refund", "Can propose and confirm what the provider did with a real refund")]
        indexes = [
            models.Index(fields=["merchant", "-created_at", "-id"], name="refunds_of_a_merchant"),
            models.Index(
                fields=["merchant", "status"], name="open_refunds_of_a_merchant", condition=Q(status__in=OPEN)
            ),
            models.Index(
                fields=["end_to_end_id"], name="refunds_by_end_to_end_id", condition=Q(end_to_end_id__isnull=False)
            ),
            models.Index(fields=["reference"], name="refunds_by_reference", condition=Q(reference__isnull=False)),
            models.Index(fields=["amount", "created_at"], name="refunds_by_amount"),
            models.Index(fields=["created_at"], name="refunds_by_time"),
            models.Index(fields=["ask_at"], name="refunds_to_ask_about", condition=Q(ask_at__isnull=False)),
            models.Index(fields=["certain_by"], name="unclear_refunds", condition=Q(certain_by__isnull=False)),
            models.Index(
                fields=["merchant", "ask_at"], name="next_refund_to_ask_about", condition=Q(ask_at__isnull=False)
            ),
            models.Index(
                fields=["response_due_at"], name="refunds_to_answer", condition=Q(status=Status.AWAITING_RESPONSE)
            ),
            models.Index(
                fields=["merchant", "response_due_at"],
                name="refunds_a_merchant_answers",
                condition=Q(status=Status.AWAITING_RESPONSE),
            ),
            models.Index(
                fields=["analysis_due_at"],
                name="claims_to_decide",
                condition=Q(status=Status.UNDER_REVIEW, analysis_due_at__isnull=False),
            ),
            models.Index(
                fields=["merchant", "analysis_due_at"],
                name="next_claim_to_decide",
                condition=Q(status=Status.UNDER_REVIEW, analysis_due_at__isnull=False),
            ),
            models.Index(
                fields=["merchant", "completed_at"], name="completed_refunds", condition=Q(completed_at__isnull=False)
            ),
            models.Index(
                fields=["merchant", "reversed_at"], name="reversed_refunds", condition=Q(reversed_at__isnull=False)
            ),
            models.Index(
                fields=["updated_at"],
                name="refunds_to_decide",
                condition=Q(status__in=(Status.UNDER_REVIEW, Status.PROCESSING)),
            ),
            models.Index(
                fields=["evidence_due_at"],
                name="evidence_to_hand_in",
                condition=Q(status=Status.AWAITING_RESPONSE, evidence_due_at__isnull=False),
            ),
            models.Index(
                fields=["merchant", "evidence_due_at"],
                name="next_evidence_to_hand_in",
                condition=Q(status=Status.AWAITING_RESPONSE, evidence_due_at__isnull=False),
            ),
            models.Index(
                fields=["evidence_alarm_at"],
                name="evidence_to_watch",
                condition=Q(evidence_alarm_at__isnull=False),
            ),
            models.Index(
                fields=["merchant", "evidence_alarm_at"],
                name="next_evidence_to_watch",
                condition=Q(evidence_alarm_at__isnull=False),
            ),
            models.Index(
                fields=["evidence_late_at"], name="late_evidence", condition=Q(evidence_late_at__isnull=False)
            ),
            models.Index(fields=["remind_at"], name="refunds_to_remind_of", condition=Q(remind_at__isnull=False)),
            # In the order of who reads them: PostgreSQL takes every third refund for one of these, and would otherwise
            # look for them in the order of all refunds.
            models.Index(fields=["created_at"], name="short_refunds_by_time", condition=_SHORT_OF_MONEY),
            models.Index(
                fields=["merchant", "-created_at", "-id"], name="short_refunds_of_a_merchant", condition=_SHORT_OF_MONEY
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["merchant", "reference"],
                condition=~Q(status__in=(Status.FAILED, Status.REJECTED, Status.CANCELED)),
                name="one_live_refund_per_reference",
            ),
            models.UniqueConstraint(
                fields=["merchant", "claim_id"], condition=Q(claim_id__isnull=False), name="one_refund_per_claim"
            ),
            models.CheckConstraint(
                name="claims_are_complete",
                condition=Q(dispute_kind__isnull=True)
                | Q(dispute_kind=DisputeKind.CHARGEBACK)
                | Q(
                    claim_id__isnull=False,
                    analysis_due_at__isnull=False,
                    return_due_at__isnull=False,
                    claimed_amount__gte=F("amount"),
                ),
            ),
            models.CheckConstraint(name="refund_status_is_known", condition=Q(status__in=Status.values)),
            models.CheckConstraint(
                name="refund_amounts",
                condition=Q(amount__gt=0, wallet_amount__gt=0, from_releasing__gte=0, from_available__gte=0)
                & Q(wallet_amount__gte=F("from_releasing") + F("from_available")),
            ),
            models.CheckConstraint(
                name="completed_refunds_are_covered",
                condition=~Q(status=Status.COMPLETED)
                | (
                    Q(completed_at__isnull=False)
                    & (
                        Q(wallet_amount=F("from_releasing") + F("from_available"))
                        | Q(dispute_kind__isnull=False)
                        | Q(sent_at__isnull=True)
                    )
                ),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.id} · {self.get_status_display()}"

    @property
    def amount_exact(self) -> Decimal:
        return to_decimal(self.amount, self.currency)

    @property
    def is_med(self) -> bool:
        return self.dispute_kind == DisputeKind.MED

    @property
    def is_chargeback(self) -> bool:
        return self.dispute_kind == DisputeKind.CHARGEBACK

    @property
    def was_found(self) -> bool:
        """Whether its institution took the money back before the company could be asked."""
        return self.dispute_kind is not None and self.response_due_at is None

    @property
    def recovered(self) -> int | None:
        """What a MED claim has returned to the payer; None for other refunds."""
        if not self.is_med:
            return None
        return self.amount if self.status == Status.COMPLETED else 0

    @property
    def blocked(self) -> int:
        """What is currently held for it, in the wallet's currency."""
        return self.from_releasing + self.from_available if self.status in OPEN else 0

    @property
    def owed(self) -> int:
        """What incoming money still has to cover."""
        return self.shortfall if self.status in OWED else 0

    @property
    def shortfall(self) -> int:
        """What its wallet has not covered, whether it is still owed or not."""
        return self.wallet_amount - self.from_releasing - self.from_available


class Response(models.Model):
    """The company's answer to a payer's request.

    SYSTEM: there was none, so the request was accepted, or the evidence pack was handed in for the company.
    """

    class Answer(models.TextChoices):
        ACCEPT = "ACCEPT", "Accept"
        CONTEST = "CONTEST", "Contest"

    class AnsweredBy(models.TextChoices):
        API = "API", "API"
        DASHBOARD = "DASHBOARD", "Dashboard"
        SYSTEM = "SYSTEM", "By itself"

    id = IdField("rsp", primary_key=True)
    refund = models.ForeignKey(Refund, on_delete=models.PROTECT, related_name="responses")
    answer = models.CharField(max_length=10, choices=Answer)
    message = models.CharField(max_length=2000, null=True, blank=True)
    answered_by = models.CharField(max_length=10, choices=AnsweredBy)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.answer} by {self.answered_by}"


class Evidence(models.Model):
    """A piece of evidence: a URL that is not fetched, or a file that is stored in the database only."""

    class Kind(models.TextChoices):
        URL = "URL", "Address"
        FILE = "FILE", "File"

    id = IdField("evd", primary_key=True)
    response = models.ForeignKey(Response, on_delete=models.PROTECT, related_name="evidence")
    kind = models.CharField(max_length=4, choices=Kind)
    description = models.CharField(max_length=255, null=True, blank=True)
    url = models.CharField(max_length=2048, null=True, blank=True)
    file_name = models.CharField(max_length=255, null=True, blank=True)
    content_type = models.CharField(max_length=40, null=True, blank=True)
    size = models.IntegerField(null=True)
    content = models.BinaryField(null=True, editable=False)

    class Meta:
        verbose_name_plural = "evidence"

    def __str__(self) -> str:
        return self.file_name or self.url or self.id


class Draft(models.Model):
    """The draft of a company's answer. It is deleted with the answer, or when the refund ends."""

    refund = models.OneToOneField(Refund, on_delete=models.CASCADE, primary_key=True, related_name="draft")
    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT, related_name="+", db_index=False)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        related_name="+",
        db_index=False,
        help_text="Who changed it last",
    )
    message = models.TextField(default="")
    changed_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"Draft for {self.refund_id}"


class DraftEvidence(models.Model):
    """A piece of evidence of a draft: a URL or a file."""

    draft = models.ForeignKey(Draft, on_delete=models.CASCADE, related_name="evidence")
    description = models.CharField(max_length=255, null=True)
    url = models.CharField(max_length=2048, null=True)
    file_name = models.CharField(max_length=255, null=True)
    content_type = models.CharField(max_length=40, null=True)
    size = models.IntegerField(null=True)
    content = models.BinaryField(null=True, editable=False)

    def __str__(self) -> str:
        return self.file_name or self.url or str(self.pk)
