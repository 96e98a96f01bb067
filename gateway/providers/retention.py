"""Retention: messages are kept as long as the request log, and at least a day."""

from datetime import timedelta

from django.conf import settings

from accounts.base.clock import utcnow
from gateway.providers.models import ProviderMessage

BATCH = 1000


def forget_old_messages() -> int:
    """Deletes messages that were read and are older, a batch a transaction; returns how many."""
    before = utcnow() - timedelta(days=max(1, settings.REQUEST_LOG_DAYS))
    forgotten = 0
    while True:
        old = ProviderMessage.objects.filter(received_at__lt=before, read_due_at=None).values("pk")[:BATCH]
        deleted, _ = ProviderMessage.objects.filter(pk__in=old).delete()
        forgotten += deleted
        if deleted < BATCH:
            return forgotten
