"""The project and the product as one Django app."""

from django.apps import AppConfig


class GatewayConfig(AppConfig):
    name = "gateway"
    verbose_name = "Gateway"

    def ready(self) -> None:
        from gateway import checks, seeds  # noqa: F401  (they register themselves)
        from gateway.payments import invariants  # noqa: F401
