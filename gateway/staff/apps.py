"""The staff admin as a Django app: `admin.py` is loaded after those of the packages that it changes."""

from django.apps import AppConfig


class StaffConfig(AppConfig):
    name = "gateway.staff"
    verbose_name = "Staff"
