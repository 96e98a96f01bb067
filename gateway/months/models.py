"""Closed months, their files, and who is written to."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from accounts.base.ids import IdField
from accounts.models import Merchant


class MonthPlan(models.Model):
    """Whom a company has each month sent to. While there is somebody, months close by themselves at `next_at`."""

    id = IdField("mpl", primary_key=True)
    merchant = models.OneToOneField(Merchant, on_delete=models.PROTECT, related_name="+")
    readers = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="+")
    next_at = models.DateTimeField(null=True, help_text="By the merchant's clock")

    class Meta:
        indexes = [models.Index(fields=["next_at"], name="month_plans_due", condition=Q(next_at__isnull=False))]

    def __str__(self) -> str:
        return f"Months of {self.merchant}"


class Month(models.Model):
    """A month that is closed, or is being closed. Once sealed it never changes.

    It has the transfers that count before `ends` and were written before `cut`, without those of earlier months: what
    counts before `begins` and was written before `opening_cut`. So a transfer that is written late is in the first
    month that was closed after it, and each ending is the opening of the next.
    """

    class State(models.TextChoices):
        CLOSING = "CLOSING", "Being closed"
        SEALED = "SEALED", "Sealed"

    id = IdField("mon", primary_key=True)
    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT, related_name="+", db_index=False)
    first = models.DateField(help_text="Its first day")
    time_zone = models.CharField(max_length=40)
    begins = models.DateTimeField()
    ends = models.DateTimeField(help_text="Exclusive")
    cut = models.DateTimeField()
    opening_cut = models.DateTimeField()
    state = models.CharField(max_length=8, choices=State, default=State.CLOSING)
    due_at = models.DateTimeField(null=True, help_text="When it is worked on next")
    total = models.IntegerField(default=0, help_text="Transfers to read")
    done = models.IntegerField(default=0, help_text="Transfers read")
    progress = models.JSONField(
        null=True, default=None, editable=False, help_text="What was read so far, where reading goes on"
    )
    waits_for = models.CharField(max_length=12, blank=True, default="", help_text="PROOF or BOOKS")
    manifest = models.TextField(blank=True, default="")
    seal = models.CharField(max_length=64, blank=True, default="", help_text="SHA-256 of the manifest")
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True)
    asked_at = models.DateTimeField()
    sealed_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["due_at"], name="months_to_close", condition=Q(due_at__isnull=False))]
        constraints = [
            models.UniqueConstraint(fields=["merchant", "first"], name="a_month_is_closed_once"),
            models.CheckConstraint(
                name="sealed_months_have_a_seal",
                condition=Q(state="SEALED", due_at=None, sealed_at__isnull=False) & ~Q(seal="") & ~Q(manifest="")
                | Q(state="CLOSING", seal="", manifest="", sealed_at=None),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.first:%Y-%m} of {self.merchant}"

    @property
    def percent(self) -> int:
        """How much of it was read."""
        return 100 * self.done // self.total if self.total else 0

    @property
    def label(self) -> str:
        """`2026-10`."""
        return f"{self.first:%Y-%m}"


class MonthFile(models.Model):
    """A file of a sealed month, as it was sealed."""

    month = models.ForeignKey(Month, on_delete=models.PROTECT, related_name="files")
    name = models.CharField(max_length=80)
    sha256 = models.CharField(max_length=64)
    size = models.BigIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["month", "name"], name="one_file_of_a_name_per_month")]

    def __str__(self) -> str:
        return self.name


class MonthPiece(models.Model):
    """Rows of a file of a month that is being closed, compressed. They are deleted when it is sealed."""

    month = models.ForeignKey(Month, on_delete=models.PROTECT, related_name="pieces", db_index=False)
    part_of = models.CharField(max_length=20, help_text="A sheet of the workbook, or a currency")
    number = models.IntegerField(help_text="Of the slice")
    content = models.BinaryField(editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["month", "part_of", "number"], name="pieces_of_a_month")]

    def __str__(self) -> str:
        return f"{self.month_id} {self.part_of} {self.number}"


class MonthFilePart(models.Model):
    """A part of a file: nothing has to hold it in memory as a whole."""

    file = models.ForeignKey(MonthFile, on_delete=models.PROTECT, related_name="parts", db_index=False)
    number = models.IntegerField()
    content = models.BinaryField(editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["file", "number"], name="parts_of_a_month_file")]

    def __str__(self) -> str:
        return f"{self.file_id} {self.number}"
