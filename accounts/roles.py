"""What a person may do for a company."""

from django.db import models


class Role(models.TextChoices):
    OWNER = "OWNER", "Owner: everything, and who else may"
    FINANCE = "FINANCE", "Finance: money out, advances, conversions, refunds"
    DEVELOPER = "DEVELOPER", "Developer: keys and webhooks"
    SUPPORT = "SUPPORT", "Support: payments and refunds"
    VIEWER = "VIEWER", "Viewer: reads only"
