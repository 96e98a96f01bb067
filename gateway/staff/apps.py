"""The staff admin as a Django app: its `admin.py` is loaded after those of the packages it changes."""

from django.apps import AppConfig


class StaffConfig(AppConfig):
    name = "gateway.staff"
    verbose_name = "Staff"
