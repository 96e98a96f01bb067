"""The WSGI entry."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gateway.settings")
application = get_wsgi_application()

from accounts.base.garbage import spare_what_is_loaded  # noqa: E402
from gateway.checks import stop_if_unsafe, warn_about_table_owner  # noqa: E402  (needs the settings)
from gateway.database.protections import stop_if_unprotected  # noqa: E402

stop_if_unsafe()
stop_if_unprotected()
warn_about_table_owner()
spare_what_is_loaded()
