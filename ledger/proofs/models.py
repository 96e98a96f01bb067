"""Results of the proofs of the books, and up to where they were proved."""

from datetime import timedelta

from django.db import models
from django.utils.translation import gettext

from ledger.books.models import Account


class Scope(models.TextChoices):
    """What a proof reads."""

    RECENT = "RECENT", "Totals, and what is new"
    WHOLE = "WHOLE", "Everything"


LONGEST = {Scope.RECENT: timedelta(minutes=15), Scope.WHOLE: timedelta(hours=6)}
"""A run that has not finished by then was interrupted: the tasks have a time limit."""


class Proof(models.Model):
    """One run over all invariants. Without `finished_at` it is running or was interrupted."""

    scope = models.CharField(max_length=8, choices=Scope, default=Scope.RECENT, db_default=Scope.RECENT)
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)
    invariants = models.SmallIntegerField(default=0, help_text="How many were checked")
    violations = models.JSONField(default=list, help_text="Number, claim and counterexamples of what does not hold")
    sealed_day = models.DateField(null=True, help_text="The last sealed day by then")
    seal = models.CharField(max_length=64, default="", db_default="", help_text="Its seal")

    def __str__(self) -> str:
        return gettext("Proof of %(time)s") % {"time": f"{self.started_at:%Y-%m-%d %H:%M:%S}Z"}

    @property
    def holds(self) -> bool | None:
        """Whether the books were right; None if the run did not finish."""
        return None if self.finished_at is None else not self.violations


class ProvedAccount(models.Model):
    """Up to which entry an account was proved, and its balance then.

    Whoever posts to an account holds its balance until the commit, so the entries of an account are committed in the
    order of their numbers: none can appear below this one, however late it is written.
    """

    account = models.OneToOneField(Account, on_delete=models.PROTECT, primary_key=True, related_name="+")
    sequence = models.BigIntegerField()
    balance = models.BigIntegerField(help_text="Minor units; + is credit")

    def __str__(self) -> str:
        return f"{self.account_id} #{self.sequence}"


class ProvedBlock(models.Model):
    """The digest of the proved entries of some transfers of a UTC day, with all that they and these transfers say.

    Blocks are cut by the ids of transfers (`ledger.proofs.blocks`), so one grows until all of its transfers are proved.
    """

    day = models.DateField(help_text="On which they were written")
    number = models.BigIntegerField(help_text="First bits of their ids")
    transfers = models.BigIntegerField()
    entries = models.BigIntegerField(help_text="How many of theirs are proved")
    digest = models.CharField(max_length=64, help_text="SHA-256")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["day", "number"], name="one_digest_per_block")]

    def __str__(self) -> str:
        return f"{self.day} #{self.number} {self.digest}"


class Round(models.Model):
    """Everything once more, by as many proofs of what is new as it takes: each goes on where the last one stopped.

    It stops at what is wrong until it is right.
    """

    began_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    table = models.CharField(max_length=63, blank=True, default="", help_text="Proved so far, with those before it")
    key = models.CharField(max_length=64, blank=True, default="", help_text="Of its last row that was proved")

    def __str__(self) -> str:
        return f"#{self.pk} {self.table} {self.key}"
