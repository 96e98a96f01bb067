"""E-mails, pending and sent."""

from django.db import models

from accounts.base.clock import utcnow
from accounts.base.ids import IdField


class Email(models.Model):
    """One e-mail to one person, as it is sent. It holds no secret: codes and invitation links are never stored."""

    class Status(models.TextChoices):
        PENDING = "PENDING", "To be sent"
        SENT = "SENT", "Sent"
        FAILED = "FAILED", "Given up"

    id = IdField("eml", primary_key=True)
    company = models.ForeignKey(
        "accounts.Company", on_delete=models.CASCADE, related_name="+", null=True, db_index=False
    )
    kind = models.CharField(max_length=40, help_text="Its template: withdrawal_address, verified, …")
    recipient = models.EmailField()
    subject = models.CharField(max_length=250)
    text = models.TextField()
    status = models.CharField(max_length=8, choices=Status, default=Status.PENDING)
    attempts = models.SmallIntegerField(default=0)
    next_attempt_at = models.DateTimeField(null=True, default=utcnow)
    last_error = models.CharField(max_length=500, blank=True, default="")
    created_at = models.DateTimeField(default=utcnow, editable=False)
    sent_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = "e-mail"
        indexes = [
            models.Index(fields=["next_attempt_at", "id"], name="emails_to_send", condition=models.Q(status="PENDING")),
            models.Index(fields=["created_at"], name="emails_in_trouble", condition=models.Q(status="FAILED")),
            models.Index(fields=["company", "-id"], name="emails_of_a_company"),
        ]

    def __str__(self) -> str:
        return f"{self.subject} · {self.recipient}"
