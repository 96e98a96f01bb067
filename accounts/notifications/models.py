"""What people were told."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models

from accounts.base.clock import utcnow
from accounts.base.ids import IdField


class Notification(models.Model):
    """One person was told of one thing. Shown to them as long as their role is one of `roles`."""

    id = IdField("ntf", primary_key=True)
    merchant = models.ForeignKey("accounts.Merchant", on_delete=models.CASCADE, related_name="+", db_index=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    kind = models.CharField(max_length=40, help_text="As of the e-mail: withdrawal_address, verified, …")
    wording = models.JSONField(help_text="In each language: the title, then the lines of the text")
    page = models.CharField(max_length=60, help_text="The dashboard page it is about")
    args = ArrayField(models.CharField(max_length=40), default=list, help_text="They complete its address")
    query = models.CharField(max_length=2000, blank=True, default="")
    roles = ArrayField(models.CharField(max_length=10))
    created_at = models.DateTimeField(default=utcnow, editable=False, help_text="By the merchant's clock")
    read_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["user", "merchant", "-id"], name="notifications_of_a_person"),
            models.Index(
                fields=["user", "merchant"], name="notifications_unread", condition=models.Q(read_at__isnull=True)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} · {self.user_id}"
