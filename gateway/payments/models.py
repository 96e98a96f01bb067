"""Payments."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.fields.json import KT
from django.db.models.functions import Upper

from accounts.base.clock import utcnow
from accounts.base.ids import IdField
from accounts.models import Merchant
from gateway.customers.models import Customer
from gateway.methods.models import CURRENCIES, METHODS
from gateway.providers.asking import Asked
from gateway.providers.models import ProviderAccount


class Status(models.TextChoices):
    """The status of a payment (contract §5.5). FAILED, EXPIRED and REFUNDED are final."""

    ACTION_REQUIRED = "ACTION_REQUIRED", "Action required"
    PENDING = "PENDING", "Pending"
    AUTHORIZED = "AUTHORIZED", "Authorized"
    PAID = "PAID", "Paid"
    FAILED = "FAILED", "Failed"
    EXPIRED = "EXPIRED", "Expired"
    REFUNDED = "REFUNDED", "Refunded"


OPEN = (Status.PENDING, Status.ACTION_REQUIRED)
UNDECIDED = (*OPEN, Status.AUTHORIZED)
"""Statuses that can still expire."""
FORMER = "former"
"""Under this name the details keep what is known of the account that a card session moved away from."""


class Payment(Asked):
    """An order to be paid. Amounts in minor units; times by the merchant's clock."""

    id = IdField("pay", primary_key=True)
    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT, related_name="payments", db_index=False)
    customer = models.ForeignKey(Customer, on_delete=models.PROTECT, related_name="payments")
    reference = models.CharField(max_length=128, help_text="The merchant's own order reference")
    status = models.CharField(max_length=16, choices=Status)
    method = models.CharField(max_length=16, choices=METHODS, help_text="As processed")
    requested_method = models.CharField(max_length=16, choices=METHODS)
    currency = models.CharField(max_length=4, choices=CURRENCIES)
    amount = models.BigIntegerField(help_text="Gross, minor units")
    fee = models.BigIntegerField(help_text="Snapshot at creation, minor units")
    refunded_amount = models.BigIntegerField(default=0, help_text="Completed refunds, minor units")
    settlement_days = models.IntegerField(help_text="Snapshot at creation, calendar days")
    advance_monthly_rate = models.DecimalField(
        max_digits=7, decimal_places=4, null=True, blank=True, help_text="Snapshot at creation; empty: no advances"
    )
    advance_minimum = models.BigIntegerField(default=0, db_default=0, help_text="Snapshot at creation, minor units")
    payer = models.JSONField(help_text="As sent with this payment")
    details = models.JSONField(default=dict, help_text="What belongs to the method")
    rail_reference = models.CharField(
        max_length=64, null=True, blank=True, help_text="The provider's own id of the money"
    )
    return_url = models.CharField(max_length=2048, null=True, blank=True)
    due_date = models.DateField(null=True, blank=True, help_text="Of a boleto, or of a PIX payment that has one")
    payment_link_id = models.CharField(
        max_length=40, null=True, blank=True, db_collation="C", help_text="The link that the payer paid"
    )
    settlement_currency = models.CharField(max_length=3, null=True, blank=True, help_text="Where it is another one")
    settlement_amount = models.BigIntegerField(null=True, blank=True, help_text="Net credited, minor units")
    settlement_rate = models.DecimalField(max_digits=20, decimal_places=10, null=True, blank=True)
    failure_code = models.CharField(max_length=40, null=True, blank=True)
    failure_message = models.CharField(max_length=255, null=True, blank=True)
    moved_from = models.ForeignKey(
        ProviderAccount,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        db_index=False,
        help_text="The account that was asked before, where nothing happened",
    )
    answered = models.BooleanField(
        default=True, db_default=True, help_text="Whether the provider has said how it can be paid"
    )
    asked_times = models.SmallIntegerField(
        default=1, db_default=1, help_text="How often the provider was asked to instruct"
    )
    ask_at = models.DateTimeField(null=True, blank=True, help_text="When it is to be asked what became of it")
    expires_at = models.DateTimeField(null=True)
    paid_at = models.DateTimeField(null=True)
    release_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        permissions = [
            ("query_payment", "Can query the provider of a payment before it is due"),
            ("expire_payment", "Can end the time in which a payment can be paid"),
        ]
        indexes = [
            # Covers every column by which the dashboard filters and counts: no filter has to read the rows.
            models.Index(
                fields=["merchant", "created_at", "id"],
                include=[
                    "status",
                    "method",
                    "requested_method",
                    "currency",
                    "amount",
                    "reference",
                    "customer",
                    "paid_at",
                    "failure_code",
                    "account",
                    "moved_from",
                ],
                name="all_payments_of_a_merchant",
            ),
            models.Index(
                fields=["merchant", "paid_at"],
                include=["currency", "amount", "fee"],
                name="paid_payments_of_a_merchant",
                condition=Q(paid_at__isnull=False),
            ),
            # Counting what was paid leaves them out. Few are, so that few changes of status meet it.
            models.Index(
                fields=["merchant", "method", "currency"],
                name="refunded_payments",
                condition=Q(status=Status.REFUNDED),
            ),
            # Prefix searches use it too, regardless of the database's collation.
            models.Index(
                fields=["merchant", "reference"],
                opclasses=["int8_ops", "varchar_pattern_ops"],
                name="payments_by_reference",
            ),
            models.Index(
                F("merchant"),
                KT("details__card__last4"),
                name="payments_by_card",
                condition=Q(details__has_key="card"),
            ),
            models.Index(
                fields=["rail_reference"], name="payments_by_rail_reference", condition=Q(rail_reference__isnull=False)
            ),
            models.Index(
                Upper("rail_reference"),
                name="payments_by_bank_reference",
                condition=Q(account__isnull=False, rail_reference__isnull=False),
            ),
            models.Index(
                fields=["payment_link_id", "created_at", "id"],
                include=["status", "paid_at"],
                name="payments_by_link",
                condition=Q(payment_link_id__isnull=False),
            ),
            # Staff search all merchants at once.
            models.Index(fields=["amount", "created_at"], name="payments_by_amount"),
            models.Index(fields=["created_at"], name="payments_by_time"),
            models.Index(fields=["paid_at"], name="payments_by_time_of_payment", condition=Q(paid_at__isnull=False)),
            models.Index(fields=["expires_at"], name="open_payments", condition=Q(status__in=UNDECIDED)),
            models.Index(
                fields=["merchant", "expires_at"],
                name="open_payments_of_a_merchant",
                condition=Q(status__in=UNDECIDED),
            ),
            models.Index(fields=["ask_at"], name="payments_to_ask_about", condition=Q(ask_at__isnull=False)),
            models.Index(fields=["certain_by"], name="unclear_payments", condition=Q(certain_by__isnull=False)),
            models.Index(
                fields=["merchant", "ask_at"], name="next_answer_for_a_merchant", condition=Q(ask_at__isnull=False)
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["merchant", "reference"],
                condition=~Q(status__in=(Status.FAILED, Status.EXPIRED)),
                name="one_live_payment_per_reference",
            ),
            models.CheckConstraint(name="payment_status_is_known", condition=Q(status__in=Status.values)),
            models.CheckConstraint(
                name="payment_amounts",
                condition=Q(amount__gt=0, fee__gte=0, fee__lt=models.F("amount"))
                & Q(refunded_amount__gte=0, refunded_amount__lte=models.F("amount")),
            ),
            models.CheckConstraint(
                name="paid_payments_have_a_time",
                condition=Q(status__in=(Status.PAID, Status.REFUNDED), paid_at__isnull=False)
                | (~Q(status__in=(Status.PAID, Status.REFUNDED)) & Q(paid_at=None)),
            ),
            models.CheckConstraint(
                name="failed_payments_say_why",
                condition=~Q(status=Status.FAILED) | Q(failure_code__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.id} · {self.reference}"

    @property
    def is_unanswered(self) -> bool:
        """Whether it was stored, and the provider has not yet returned payment instructions."""
        return self.status == Status.PENDING and not self.answered

    @property
    def is_instructed(self) -> bool:
        """Whether the provider has returned payment instructions."""
        return bool(self.details.keys() - {"card", "token", "saves", "vault", FORMER})

    @property
    def net(self) -> int:
        """The merchant's net, in minor units."""
        return self.amount - self.fee


class SingleApprovalLimit(models.Model):
    """Up to which amount one person of staff records what became of a payment. Without a row it takes two."""

    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT, related_name="+", db_index=False)
    currency = models.CharField(max_length=4, choices=CURRENCIES)
    amount = models.BigIntegerField(help_text="Minor units; 0: none")
    amount_in_a_day = models.BigIntegerField(
        default=0, db_default=0, help_text="Minor units, of all that one person decides alone in 24 hours"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["merchant", "currency"], name="one_single_approval_limit"),
            models.CheckConstraint(
                name="single_approval_limits_are_not_negative", condition=Q(amount__gte=0, amount_in_a_day__gte=0)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.merchant} {self.currency}"


class SingleApproval(models.Model):
    """A decision about money that one person of staff made alone, within the company's limit."""

    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT, related_name="+", db_index=False)
    currency = models.CharField(max_length=4, choices=CURRENCIES)
    amount = models.BigIntegerField(help_text="Minor units")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    object_id = models.CharField(max_length=128, help_text="What it was about")
    decided_at = models.DateTimeField(default=utcnow, editable=False)

    class Meta:
        indexes = [
            models.Index(fields=["merchant", "person", "currency", "decided_at"], name="recent_single_approvals")
        ]

    def __str__(self) -> str:
        return f"{self.person} {self.object_id}"
