"""Bulk files, their lines, and what people decided about all lines that waited for approval."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from accounts.base.ids import IdField
from accounts.models import Merchant
from gateway.withdrawals.approvals.models import Decision
from ledger.money import to_decimal


class Kind(models.TextChoices):
    WITHDRAWALS = "WITHDRAWALS", "Withdrawals"
    REFUNDS = "REFUNDS", "Refunds"


class State(models.TextChoices):
    """The state of a line. Only one that waits can change."""

    WAITING = "WAITING", "Waiting"
    DONE = "DONE", "Done"
    REFUSED = "REFUSED", "Refused"
    STOPPED = "STOPPED", "Stopped"


class BulkFile(models.Model):
    """An uploaded file without faults. Its lines are carried out once it is confirmed.

    `digest` is that of the rows, so that a file is known again whatever program saved it.
    """

    id = IdField("bulk", primary_key=True)
    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT, related_name="+", db_index=False)
    kind = models.CharField(max_length=12, choices=Kind)
    way = models.CharField(max_length=16, help_text="How its withdrawals are paid; of refunds empty", blank=True)
    name = models.CharField(max_length=120)
    digest = models.BinaryField(max_length=32, editable=False)
    warnings = models.JSONField(default=dict, help_text="What somebody has to confirm, with the rows")
    uploaded_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    uploaded_at = models.DateTimeField()
    confirmed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True)
    confirmed_at = models.DateTimeField(null=True)
    stopped_at = models.DateTimeField(null=True)
    told_at = models.DateTimeField(null=True, help_text="When people were told that its lines are carried out")
    tell_at = models.DateTimeField(null=True, help_text="When they are told next what became of its withdrawals")

    class Meta:
        indexes = [
            models.Index(fields=["merchant", "-uploaded_at", "-id"], name="bulk_files_of_a_merchant"),
            models.Index(fields=["tell_at"], name="bulk_files_to_tell_of", condition=Q(tell_at__isnull=False)),
            models.Index(fields=["merchant", "tell_at"], name="next_bulk_file", condition=Q(tell_at__isnull=False)),
        ]
        constraints = [
            models.CheckConstraint(
                name="confirmed_bulk_files_name_a_person",
                condition=Q(confirmed_at=None, confirmed_by=None)
                | Q(confirmed_at__isnull=False, confirmed_by__isnull=False),
            )
        ]

    def __str__(self) -> str:
        return f"{self.id} · {self.name}"


class BulkLine(models.Model):
    """One row of a file: a withdrawal or a refund. The order is sealed; `shown` may be shown. Minor units."""

    id = IdField("bul", primary_key=True)
    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT, related_name="+", db_index=False)
    file = models.ForeignKey(BulkFile, on_delete=models.CASCADE, related_name="lines", db_index=False)
    row = models.IntegerField(help_text="Its number in the file")
    sealed_order = models.BinaryField(editable=False)
    shown = models.JSONField()
    reference = models.CharField(max_length=128)
    amount = models.BigIntegerField()
    fee = models.BigIntegerField(default=0)
    currency = models.CharField(max_length=4)
    state = models.CharField(max_length=8, choices=State, default=State.WAITING)
    due_at = models.DateTimeField(null=True, help_text="When it is carried out, once the file is confirmed")
    tries = models.SmallIntegerField(default=0)
    result_id = models.CharField(max_length=40, blank=True, default="", help_text="The withdrawal or refund")
    code = models.CharField(max_length=60, blank=True, default="", help_text="Why it was refused")
    message = models.CharField(max_length=255, blank=True, default="")
    done_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["due_at"], name="bulk_lines_to_carry_out", condition=Q(due_at__isnull=False)),
            models.Index(fields=["merchant", "due_at"], name="next_bulk_line", condition=Q(due_at__isnull=False)),
            models.Index(fields=["result_id"], name="bulk_lines_by_result", condition=~Q(result_id="")),
        ]
        constraints = [
            models.UniqueConstraint(fields=["file", "row"], name="one_bulk_line_per_row"),
            models.CheckConstraint(name="bulk_line_state_is_known", condition=Q(state__in=State.values)),
            models.CheckConstraint(
                name="bulk_lines_are_due_while_they_wait", condition=Q(state="WAITING") | Q(due_at=None)
            ),
            models.CheckConstraint(
                name="done_bulk_lines_name_their_result",
                condition=Q(state=State.DONE) & ~Q(result_id="") | ~Q(state=State.DONE) & Q(result_id=""),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.file_id} · {self.row}"

    @property
    def amount_exact(self) -> object:
        return to_decimal(self.amount, self.currency)


class FileDecision(models.Model):
    """What one person decided about the withdrawals of a file that waited for approval; carried out line by line.

    `tell_at` is set until the owners have been told.
    """

    id = IdField("bdec", primary_key=True)
    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT, related_name="+", db_index=False)
    file = models.ForeignKey(BulkFile, on_delete=models.PROTECT, related_name="decisions")
    decision = models.CharField(max_length=8, choices=Decision)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    address = models.GenericIPAddressField(null=True)
    decided_at = models.DateTimeField()
    tell_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["tell_at"], name="decisions_to_tell_of", condition=Q(tell_at__isnull=False)),
            models.Index(fields=["merchant", "tell_at"], name="next_decision", condition=Q(tell_at__isnull=False)),
        ]

    def __str__(self) -> str:
        return f"{self.file_id} · {self.get_decision_display()}"


class LineDecision(models.Model):
    """A decision about one withdrawal of a file, with its own outcome."""

    id = IdField("bldc", primary_key=True)
    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT, related_name="+", db_index=False)
    decision = models.ForeignKey(FileDecision, on_delete=models.PROTECT, related_name="lines")
    line = models.ForeignKey(BulkLine, on_delete=models.PROTECT, related_name="decisions")
    state = models.CharField(max_length=8, choices=State, default=State.WAITING)
    due_at = models.DateTimeField(null=True)
    tries = models.SmallIntegerField(default=0)
    code = models.CharField(max_length=60, blank=True, default="", help_text="Why it was refused")
    message = models.CharField(max_length=255, blank=True, default="")
    done_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["due_at"], name="line_decisions_to_carry_out", condition=Q(due_at__isnull=False)),
            models.Index(fields=["merchant", "due_at"], name="next_line_decision", condition=Q(due_at__isnull=False)),
        ]
        constraints = [
            models.UniqueConstraint(fields=["decision", "line"], name="one_decision_per_bulk_line"),
            models.CheckConstraint(
                name="line_decisions_are_due_while_they_wait", condition=Q(state="WAITING") ^ Q(due_at=None)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.decision_id} · {self.line_id}"
