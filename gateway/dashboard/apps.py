"""The dashboard as a Django app: its template tags. Its tables are the gateway's."""

from django.apps import AppConfig


class DashboardConfig(AppConfig):
    name = "gateway.dashboard"
    verbose_name = "Dashboard"
