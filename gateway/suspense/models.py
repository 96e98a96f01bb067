"""Money in suspense."""

from decimal import Decimal

from django.db import models
from django.db.models import Q

from accounts.base.ids import IdField
from accounts.models import Merchant
from gateway.methods.models import METHODS
from gateway.payments.models import Payment
from gateway.payments.other_money import Cause
from gateway.providers.models import ProviderAccount
from gateway.providers.returning import Returned
from ledger.money import DECIMALS, to_decimal


class State(models.TextChoices):
    """All but the first two are final. RESOLVED is for lines of bank statements only."""

    HELD = "HELD", "Held"
    RETURNING = "RETURNING", "Being returned"
    RETURNED = "RETURNED", "Returned"
    ASSIGNED = "ASSIGNED", "Assigned to its payment"
    RESOLVED = "RESOLVED", "Explained by two people"


class LineCause(models.TextChoices):
    """Why a line of a bank statement is in suspense, besides the causes of money for payments."""

    UNKNOWN = "UNKNOWN", "Nothing of ours explains it"
    AMOUNT_DIFFERS = "AMOUNT_DIFFERS", "Another amount than what it names"
    UNEXPECTED = "UNEXPECTED", "What it names does not await money"
    PAID_AFTER_FAILED = "PAID_AFTER_FAILED", "Paid out after it had failed"
    REVERSED = "REVERSED", "Reversed by the bank"
    MERGED = "MERGED", "May be several transfers in one sum"


CAUSES = [*Cause.choices, *LineCause.choices]
OPEN = (State.HELD, State.RETURNING)
LONGEST_REFERENCE = 64


class SuspenseItem(Returned):
    """Money that belongs to nobody yet. Only real money; all times in real time.

    It arrived at a provider account: while nobody knows which company it is for it has no merchant, and stands in no
    book. Or it is a line of a bank statement that nothing explains, also of money that left: then it has no provider
    account, and stands in the book of the bank account's owner.
    """

    id = IdField("sus", primary_key=True)
    account = models.ForeignKey(
        ProviderAccount, on_delete=models.PROTECT, null=True, blank=True, related_name="+", db_index=False
    )
    bank_account = models.CharField(
        max_length=16, blank=True, default="", db_default="", help_text="The code of the bank account of its line"
    )
    line_id = models.CharField(
        max_length=40, blank=True, default="", db_default="", help_text="The line of a bank statement that it is"
    )
    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    payment = models.ForeignKey(
        Payment, on_delete=models.PROTECT, null=True, blank=True, related_name="+", db_constraint=False
    )
    method = models.CharField(max_length=16, choices=METHODS, blank=True)
    currency = models.CharField(max_length=4, choices=[(code, code) for code in DECIMALS])
    amount = models.BigIntegerField(help_text="Minor units; negative: it left our bank account")
    reference = models.CharField(
        max_length=LONGEST_REFERENCE, blank=True, help_text="The provider's or bank's own id of the money"
    )
    cause = models.CharField(max_length=20, choices=CAUSES)
    state = models.CharField(max_length=10, choices=State)
    received_at = models.DateTimeField(help_text="When we were told")
    return_at = models.DateTimeField(null=True, blank=True, help_text="When it is given back by rule; empty: by staff")
    return_id = models.CharField(max_length=40, blank=True, help_text="Our id of the last order to return it")
    return_reference = models.CharField(max_length=64, blank=True, help_text="The provider's id of the return")
    sent_at = models.DateTimeField(null=True, blank=True, help_text="When the return was sent to the provider last")
    ask_at = models.DateTimeField(null=True, blank=True, help_text="When the provider is to be asked")
    failure_code = models.CharField(max_length=40, blank=True, help_text="Why the provider did not return it")
    failure_message = models.CharField(max_length=255, blank=True)
    note = models.CharField(max_length=255, blank=True, help_text="Of staff")
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        verbose_name = "suspense item"
        verbose_name_plural = "money in suspense"
        indexes = [
            models.Index(fields=["received_at"], name="money_in_suspense", condition=Q(state__in=OPEN)),
            models.Index(fields=["return_at"], name="suspense_to_return", condition=Q(return_at__isnull=False)),
            models.Index(fields=["ask_at"], name="suspense_to_ask_about", condition=Q(ask_at__isnull=False)),
            models.Index(fields=["return_id"], name="suspense_by_return"),
            models.Index(fields=["return_reference"], name="suspense_by_return_reference"),
            models.Index(fields=["amount", "received_at"], name="suspense_by_amount"),
            models.Index(fields=["received_at"], name="suspense_by_time"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["account", "reference"], name="money_is_held_once"),
            models.CheckConstraint(name="suspense_state_is_known", condition=Q(state__in=State.values)),
            models.UniqueConstraint(
                fields=["line_id"], name="a_line_is_held_once", condition=~Q(line_id="") & Q(state="HELD")
            ),
            models.CheckConstraint(
                name="suspense_is_of_one_account",
                condition=Q(account__isnull=False, bank_account="", line_id="", amount__gt=0)
                | (Q(account=None, merchant__isnull=False) & ~Q(bank_account="") & ~Q(line_id="") & ~Q(amount=0)),
            ),
            models.CheckConstraint(
                name="assigned_money_has_a_payment",
                condition=~Q(state=State.ASSIGNED) | Q(payment__isnull=False, merchant__isnull=False),
            ),
            models.CheckConstraint(
                name="only_held_money_waits_to_be_returned", condition=Q(return_at=None) | Q(state=State.HELD)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.id} · {self.get_state_display()}"

    @property
    def is_line(self) -> bool:
        """Whether it is a line of a bank statement."""
        return self.line_id != ""

    @property
    def amount_exact(self) -> Decimal:
        return to_decimal(self.amount, self.currency)
