"""Boletos that banks register by file."""

from django.db import models

from accounts.base.clock import utcnow


class Slip(models.Model):
    """A boleto of an agreement: its number is used once. `agreement` names bank, branch, account and wallet."""

    class State(models.TextChoices):
        NEW = "NEW", "Not sent to the bank yet"
        SENT = "SENT", "Sent to be registered"
        REGISTERED = "REGISTERED", "Registered: it can be paid"
        REFUSED = "REFUSED", "Refused by the bank"
        WITHDRAWN = "WITHDRAWN", "Withdrawn: it cannot be paid any more"
        PAID = "PAID", "Paid"

    payment_id = models.CharField(primary_key=True, max_length=40)
    agreement = models.CharField(max_length=60)
    number = models.BigIntegerField(help_text="Nosso número, without its check digit")
    state = models.CharField(max_length=12, choices=State, default=State.NEW)
    is_withdrawal_asked = models.BooleanField(default=False, help_text="The bank is to withdraw it")
    created_at = models.DateTimeField(default=utcnow, editable=False)
    updated_at = models.DateTimeField(default=utcnow, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["agreement", "number"], name="one_boleto_of_a_number"),
        ]
        indexes = [
            models.Index(fields=["agreement", "number"], name="slips_to_register", condition=models.Q(state="NEW")),
            models.Index(
                fields=["agreement", "number"],
                name="slips_to_withdraw",
                condition=models.Q(is_withdrawal_asked=True, state__in=["SENT", "REGISTERED"]),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.agreement}/{self.number}"
