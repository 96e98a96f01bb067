"""Endpoints, events and deliveries."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class WebhooksConfig(AppConfig):
    name = "webhooks"
    verbose_name = "Webhooks"

    def ready(self) -> None:
        from webhooks.restored import renumber

        post_migrate.connect(renumber, sender=self)
