"""Files to banks that register boletos, and the lines in which banks say what became of them."""

from django.conf import settings
from django.db import models

from accounts.base.clock import utcnow
from accounts.base.ids import IdField
from gateway.bank_files.shapes import SlipEvent
from gateway.providers.models import ProviderAccount
from gateway.reconciliation.models import ImportedFile
from gateway.slips.models import Slip


class RegistrationFile(models.Model):
    """A file to a bank. It is written once, with the next number of its agreement, and never changes."""

    id = IdField("reg", primary_key=True)
    account = models.ForeignKey(ProviderAccount, on_delete=models.PROTECT, related_name="+")
    agreement = models.CharField(max_length=60, help_text="Bank, branch, account and wallet")
    sequence = models.IntegerField(help_text="1, 2, 3 … of the agreement")
    registered = models.IntegerField(help_text="Boletos to register")
    withdrawn = models.IntegerField(help_text="Boletos to withdraw")
    digest = models.CharField(max_length=64, help_text="SHA-256")
    sealed_content = models.BinaryField(editable=False)
    created_at = models.DateTimeField(default=utcnow, editable=False)
    downloaded_at = models.DateTimeField(null=True, blank=True, help_text="For the first time")
    downloaded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+", db_index=False
    )
    drop_at = models.DateTimeField(null=True, blank=True, help_text="When it is dropped in the bank's folder")
    leased_until = models.DateTimeField(null=True, blank=True)
    renaming_since = models.DateTimeField(null=True, blank=True)
    dropped_at = models.DateTimeField(null=True, blank=True)
    drop_failure = models.CharField(max_length=255, blank=True, default="", db_default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["agreement", "sequence"], name="registration_files_without_gaps"),
        ]
        indexes = [
            models.Index(
                fields=["drop_at"], name="registration_files_to_drop", condition=models.Q(drop_at__isnull=False)
            )
        ]

    def __str__(self) -> str:
        return f"{self.agreement} · {self.sequence}"

    @property
    def name(self) -> str:
        return f"{self.agreement.replace('/', '-')}-{self.sequence:06d}.rem"


class SlipInstruction(models.Model):
    """What a file tells the bank to do with a boleto: each thing once."""

    class Kind(models.TextChoices):
        REGISTER = "REGISTER", "Register"
        WITHDRAW = "WITHDRAW", "Withdraw"

    file = models.ForeignKey(RegistrationFile, on_delete=models.PROTECT, related_name="instructions")
    slip = models.ForeignKey(Slip, on_delete=models.PROTECT, related_name="instructions", db_index=False)
    kind = models.CharField(max_length=10, choices=Kind)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["slip", "kind"], name="one_instruction_of_a_kind")]

    def __str__(self) -> str:
        return f"{self.kind} {self.slip_id}"


class SlipLine(models.Model):
    """What a return says of one boleto. `reference` names the money: the same line in another file is the same money.

    Amounts are minor units of the real. `slip` is empty for boletos that are none of ours.
    """

    id = IdField("sln", primary_key=True)
    file = models.ForeignKey(ImportedFile, on_delete=models.PROTECT, related_name="+", db_index=False)
    account = models.ForeignKey(ProviderAccount, on_delete=models.PROTECT, related_name="+", db_index=False)
    slip = models.ForeignKey(Slip, on_delete=models.PROTECT, null=True, blank=True, related_name="lines")
    position = models.IntegerField(help_text="Line of the file")
    bank_number = models.CharField(max_length=30)
    event = models.CharField(max_length=12, choices=[(event.value, event.value.title()) for event in SlipEvent])
    code = models.CharField(max_length=4, blank=True)
    reasons = models.CharField(max_length=200, blank=True)
    reference = models.CharField(max_length=60)
    paid = models.BigIntegerField(default=0)
    credited = models.BigIntegerField(default=0)
    fee = models.BigIntegerField(default=0)
    paid_on = models.DateField(null=True, blank=True)
    credited_on = models.DateField(null=True, blank=True)
    due_at = models.DateTimeField(null=True, blank=True, help_text="When it is applied")
    applied_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["file", "position"], name="one_slip_line_of_a_position")]
        indexes = [
            models.Index(fields=["due_at"], name="slip_lines_to_apply", condition=models.Q(due_at__isnull=False))
        ]

    def __str__(self) -> str:
        return f"{self.event} {self.bank_number}"
