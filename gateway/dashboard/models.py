"""Personal settings of the dashboard."""

from django.conf import settings
from django.db import models

from accounts.base.clock import utcnow
from accounts.models import Merchant


class SavedView(models.Model):
    """A filtered list that a person saved, for themselves or for the team."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    merchant = models.ForeignKey(Merchant, on_delete=models.CASCADE, related_name="+", db_index=False)
    page = models.CharField(max_length=40, default="payments", db_default="payments", help_text="URL name of the list")
    name = models.CharField(max_length=60)
    query = models.CharField(max_length=2000, help_text="As it stands in the address")
    is_shared = models.BooleanField(default=False, db_default=False, help_text="The team sees it, too")
    is_default = models.BooleanField(default=False, db_default=False, help_text="The list opens with it")
    created_at = models.DateTimeField(default=utcnow, editable=False)

    class Meta:
        app_label = "gateway"
        constraints = [
            models.UniqueConstraint(fields=["user", "merchant", "page", "name"], name="one_saved_view_by_list"),
        ]

    def __str__(self) -> str:
        return self.name
