"""Reads about who is told."""

from django.db.models import QuerySet

from accounts.models import Merchant
from webhooks.models import Endpoint


def endpoints(merchant: Merchant) -> QuerySet[Endpoint]:
    """The merchant's endpoints, newest first."""
    return Endpoint.objects.filter(merchant=merchant).order_by("-created_at", "-id")
