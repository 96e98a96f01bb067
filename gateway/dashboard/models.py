"""Personal settings of the dashboard."""

from django.conf import settings
from django.db import models

from accounts.base.clock import utcnow
from accounts.models import Merchant


class SavedView(models.Model):
    """A filtered list of payments that a person saved for themselves."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    merchant = models.ForeignKey(Merchant, on_delete=models.CASCADE, related_name="+", db_index=False)
    name = models.CharField(max_length=60)
    query = models.CharField(max_length=2000, help_text="As it stands in the address")
    created_at = models.DateTimeField(default=utcnow, editable=False)

    class Meta:
        app_label = "gateway"
        constraints = [
            models.UniqueConstraint(fields=["user", "merchant", "name"], name="one_saved_view_of_a_name"),
        ]

    def __str__(self) -> str:
        return self.name
