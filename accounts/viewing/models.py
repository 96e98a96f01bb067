"""Looks of staff at the pages of companies."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from accounts.base.clock import utcnow


class StaffView(models.Model):
    """One look: it counts in the session that began it, until it ends or its time has passed."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    company = models.ForeignKey("accounts.Company", on_delete=models.PROTECT, related_name="+")
    note = models.CharField(max_length=255)
    begun_at = models.DateTimeField(default=utcnow)
    ends_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user"], condition=Q(ended_at=None), name="one_look_at_a_time"),
        ]

    def __str__(self) -> str:
        return f"{self.user} looks at {self.company}"
