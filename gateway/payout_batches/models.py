"""Batches of withdrawals that an account pays by one file. Only real money; all times in real time."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext as _

from accounts.base.clock import utcnow
from accounts.base.ids import IdField
from gateway.providers.models import ProviderAccount
from gateway.withdrawals.models import Withdrawal
from ledger.money import DECIMALS


class PayoutBatch(models.Model):
    """Withdrawals that one file tells an account to pay. The file is written once, when two people release it."""

    class State(models.TextChoices):
        OPEN = "OPEN", "Waits to be released"
        RELEASED = "RELEASED", "Waits to be handed over"
        DROPPING = "DROPPING", "Being dropped in the folder"
        UNCERTAIN = "UNCERTAIN", "Possibly dropped: people must look"
        HANDED_OVER = "HANDED_OVER", "Handed over"
        CANCELED = "CANCELED", "Canceled before it was handed over"

    id = IdField("bat", primary_key=True)
    account = models.ForeignKey(ProviderAccount, on_delete=models.PROTECT, related_name="+", db_index=False)
    currency = models.CharField(max_length=4, choices=[(code, code) for code in DECIMALS])
    pay_on = models.DateField(help_text="When the institution is to pay")
    state = models.CharField(max_length=12, choices=State, default=State.OPEN)
    count = models.IntegerField(help_text="Orders")
    total = models.BigIntegerField(help_text="Minor units")
    sequence = models.IntegerField(null=True, blank=True, help_text="Number of the file, counted for the account")
    format = models.CharField(max_length=40, blank=True)
    file_name = models.CharField(max_length=80, blank=True)
    digest = models.CharField(max_length=64, blank=True, help_text="SHA-256 of the file")
    size = models.IntegerField(null=True, blank=True, help_text="Bytes")
    sealed_file = models.BinaryField(null=True, editable=False)
    downloads = models.SmallIntegerField(default=0)
    downloads_allowed = models.SmallIntegerField(default=1, help_text="Each further one takes two people")
    drop_at = models.DateTimeField(null=True, blank=True, help_text="When it is dropped in the folder, or tried again")
    leased_until = models.DateTimeField(null=True, blank=True, help_text="A process drops it until then")
    renaming_since = models.DateTimeField(null=True, blank=True, help_text="From then on it may have been dropped")
    drop_failure = models.CharField(max_length=255, blank=True, default="")
    created_at = models.DateTimeField(default=utcnow, editable=False)
    released_at = models.DateTimeField(null=True, blank=True)
    handed_over_at = models.DateTimeField(null=True, blank=True)
    canceled_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "payout batches"
        constraints = [
            models.UniqueConstraint(fields=["account", "sequence"], name="one_file_of_a_sequence"),
            models.CheckConstraint(
                name="released_batches_have_a_file",
                condition=Q(state__in=("OPEN", "CANCELED"))
                | Q(sequence__isnull=False, sealed_file__isnull=False, size__gt=0, released_at__isnull=False),
            ),
            models.CheckConstraint(
                name="handed_over_batches_have_a_time",
                condition=Q(state="HANDED_OVER", handed_over_at__isnull=False)
                | (~Q(state="HANDED_OVER") & Q(handed_over_at=None)),
            ),
            models.CheckConstraint(
                name="nothing_of_a_canceled_batch_left",
                condition=~Q(state="CANCELED") | Q(downloads=0, renaming_since=None),
            ),
            models.CheckConstraint(name="batches_have_orders", condition=Q(count__gt=0, total__gt=0)),
            models.CheckConstraint(
                name="downloads_of_batches", condition=Q(downloads__lte=models.F("downloads_allowed"), downloads__gte=0)
            ),
        ]
        indexes = [
            models.Index(fields=["account", "-created_at"], name="batches_of_an_account"),
            models.Index(fields=["drop_at"], name="batches_to_drop", condition=Q(drop_at__isnull=False)),
        ]

    def __str__(self) -> str:
        return self.file_name or self.pk


class BatchOrder(models.Model):
    """One withdrawal in a batch. `number` stands in the file, and answers and statements name it; it is never given
    again.

    A withdrawal has at most one live order: that of a canceled batch, or one that the institution refused, is not.
    """

    class Outcome(models.TextChoices):
        ACCEPTED = "ACCEPTED", "Accepted"
        PAID = "PAID", "Paid"
        REJECTED = "REJECTED", "Rejected"
        RETURNED = "RETURNED", "Returned"
        UNCERTAIN = "UNCERTAIN", "Uncertain"

    number = models.CharField(max_length=20, primary_key=True)
    batch = models.ForeignKey(PayoutBatch, on_delete=models.PROTECT, related_name="orders", db_index=False)
    withdrawal = models.ForeignKey(
        Withdrawal, on_delete=models.PROTECT, related_name="+", db_index=False, db_constraint=False
    )
    amount = models.BigIntegerField(help_text="Minor units")
    is_live = models.BooleanField(default=True, db_default=True)
    outcome = models.CharField(max_length=10, choices=Outcome, blank=True, default="")
    codes = models.CharField(max_length=80, blank=True, default="", help_text="The institution's own")
    reference = models.CharField(max_length=80, blank=True, default="", help_text="The institution's id")
    answered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["batch", "withdrawal"], name="one_order_a_withdrawal"),
            models.UniqueConstraint(
                fields=["withdrawal"], condition=Q(is_live=True), name="one_live_order_a_withdrawal"
            ),
            models.CheckConstraint(name="orders_have_an_amount", condition=Q(amount__gt=0)),
        ]
        indexes = [models.Index(fields=["withdrawal"], name="orders_of_a_withdrawal")]

    def __str__(self) -> str:
        return self.number


class BatchAnswer(models.Model):
    """What a file of an institution said about an order and what became of that. What nobody expected awaits staff."""

    class Found(models.TextChoices):
        APPLIED = "APPLIED", "Applied"
        NOTED = "NOTED", "Noted: nothing to change"
        REPEATED = "REPEATED", "Said before"
        UNKNOWN_ORDER = "UNKNOWN_ORDER", "No such order"
        OTHER_ACCOUNT = "OTHER_ACCOUNT", "Order of another account"
        OTHER_AMOUNT = "OTHER_AMOUNT", "Other amount than ordered"
        NOT_HANDED_OVER = "NOT_HANDED_OVER", "Its file was never handed over"
        CONTRADICTS = "CONTRADICTS", "Contradicts what is known"

    id = IdField("ban", primary_key=True)
    source = models.CharField(max_length=80, help_text="The file")
    number = models.CharField(max_length=40, blank=True, help_text="The order as the file names it")
    order = models.ForeignKey(BatchOrder, on_delete=models.PROTECT, null=True, blank=True, related_name="answers")
    accounts = models.JSONField(default=list, help_text="The provider accounts that the file can be about")
    outcome = models.CharField(max_length=10, choices=BatchOrder.Outcome)
    amount = models.CharField(max_length=40, blank=True)
    codes = models.CharField(max_length=80, blank=True)
    text = models.CharField(max_length=255, blank=True)
    reference = models.CharField(max_length=80, blank=True)
    found = models.CharField(max_length=16, choices=Found, blank=True, default="", help_text="Empty: not applied yet")
    due_at = models.DateTimeField(null=True, blank=True, help_text="When it is applied")
    waits_since = models.DateTimeField(null=True, blank=True, help_text="For staff to look")
    note = models.CharField(max_length=255, blank=True, default="", help_text="Of staff")
    created_at = models.DateTimeField(default=utcnow, editable=False)

    class Meta:
        indexes = [
            models.Index(fields=["due_at"], name="answers_to_apply", condition=Q(due_at__isnull=False)),
            models.Index(fields=["waits_since"], name="answers_for_staff", condition=Q(waits_since__isnull=False)),
            models.Index(fields=["source"], name="answers_of_a_file"),
        ]

    def __str__(self) -> str:
        where = self.number or _("a file")
        return f"{where} · {self.get_outcome_display()}"
