"""The staff admin as a Django app: its `admin.py` is loaded after those of the packages it changes."""

from django.apps import AppConfig
from django.contrib.admin import apps as admin


class StaffConfig(AppConfig):
    default = True
    name = "gateway.staff"
    verbose_name = "Staff"

    def ready(self) -> None:
        from gateway.staff.kit.names import translate_declared  # needs the models
        from gateway.staff.overview import page  # noqa: F401  (settings name it only)

        translate_declared()


class StaffSiteConfig(admin.AdminConfig):
    """Django's admin with the site of staff."""

    default = False
    default_site = "gateway.staff.site.StaffSite"
