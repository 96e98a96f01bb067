"""The books. PostgreSQL keeps them consistent by itself: see the triggers of the ledger."""

from django.contrib.postgres.indexes import BrinIndex
from django.db import models

from accounts.base.clock import utcnow
from accounts.models import Merchant
from ledger.chart import AccountKind
from ledger.money import DECIMALS, to_decimal


class Account(models.Model):
    """One account of a merchant's closed book."""

    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT, related_name="accounts")
    kind = models.CharField(max_length=16, choices=AccountKind)
    method = models.CharField(max_length=16, blank=True, help_text="Of the wallet, or of the provider")
    currency = models.CharField(max_length=4, choices=[(code, code) for code in DECIMALS])

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["merchant", "kind", "method", "currency"], name="one_account_of_a_kind")
        ]

    def __str__(self) -> str:
        return " ".join(filter(None, (self.kind, self.method, self.currency)))


class Balance(models.Model):
    """The balance of an account, in a row of its own because it is updated often. It changes only with an entry."""

    account = models.OneToOneField(Account, on_delete=models.PROTECT, primary_key=True, related_name="balance")
    amount = models.BigIntegerField(default=0, help_text="Minor units; + is credit")
    floor = models.BigIntegerField(null=True, help_text="The amount never goes below; empty for none")
    version = models.BigIntegerField(default=0, help_text="How many entries the account has")
    updated_at = models.DateTimeField(default=utcnow)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="balance_floor", condition=models.Q(floor=None) | models.Q(amount__gte=models.F("floor"))
            )
        ]

    def __str__(self) -> str:
        return f"{self.account}: {to_decimal(self.amount, self.account.currency)}"


class Transfer(models.Model):
    """One posting: two or more entries that sum to zero. Posted once per (kind, reference), never changed."""

    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT, related_name="transfers", db_index=False)
    kind = models.CharField(max_length=40, help_text="payment.paid, …")
    reference = models.CharField(max_length=60, help_text="Id of what was posted")
    entry_count = models.SmallIntegerField(help_text="Seal: exactly this many entries, ever")
    posted_at = models.DateTimeField(help_text="By the merchant's clock")
    created_at = models.DateTimeField(default=utcnow)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["merchant", "kind", "reference"], name="posted_once"),
            models.CheckConstraint(
                name="transfer_has_two_ends", condition=models.Q(entry_count__gte=2, entry_count__lte=200)
            ),
        ]
        indexes = [
            models.Index(fields=["reference"], name="transfer_by_reference"),
            models.Index(fields=["merchant", "created_at"], name="transfers_as_written"),
            BrinIndex(fields=["created_at"], name="transfers_of_a_day"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.reference}"


class Entry(models.Model):
    """One line of a transfer, with the balance after it and its sequence number in the account.

    The keys `entry_stays_in_the_book` and `entry_keeps_book_and_currency` of the database are about two columns of the
    transfer and three of the account; a key for each single column would only be checked once more.
    """

    transfer = models.ForeignKey(
        Transfer, on_delete=models.PROTECT, related_name="entries", db_index=False, db_constraint=False
    )
    line = models.SmallIntegerField()
    merchant = models.ForeignKey(
        Merchant, on_delete=models.PROTECT, related_name="+", db_index=False, db_constraint=False
    )
    account = models.ForeignKey(
        Account, on_delete=models.PROTECT, related_name="entries", db_index=False, db_constraint=False
    )
    currency = models.CharField(max_length=4)
    amount = models.BigIntegerField(help_text="Minor units; + is credit, - is debit")
    balance_after = models.BigIntegerField(default=0)
    sequence = models.BigIntegerField(default=0, help_text="1, 2, 3 … within the account, without gaps")

    class Meta:
        verbose_name_plural = "entries"
        constraints = [
            models.UniqueConstraint(fields=["account", "sequence"], name="entries_without_gaps"),
            models.UniqueConstraint(fields=["transfer", "line"], name="one_entry_per_line"),
            models.CheckConstraint(name="entry_moves_money", condition=~models.Q(amount=0)),
            models.CheckConstraint(name="lines_start_at_one", condition=models.Q(line__gte=1)),
        ]

    def __str__(self) -> str:
        return f"{self.transfer} #{self.line}"
