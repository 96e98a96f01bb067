"""The WSGI entry."""

import gc
import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gateway.settings")
application = get_wsgi_application()

from gateway.checks import stop_if_unsafe, warn_about_table_owner  # noqa: E402  (needs the settings)

stop_if_unsafe()
warn_about_table_owner()

# Objects loaded so far stay: collecting them again and again takes a tenth of a request's time.
gc.collect()
gc.freeze()
gc.set_threshold(20_000, 20, 50)
