"""The WSGI entry."""

import gc
import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gateway.settings")
application = get_wsgi_application()

from gateway.checks import say_who_owns_the_tables, stop_if_unsafe  # noqa: E402  (needs the settings)

stop_if_unsafe()
say_who_owns_the_tables()

# What is loaded now stays; looking at it again and again for garbage takes a tenth of a request's time.
gc.collect()
gc.freeze()
gc.set_threshold(20_000, 20, 50)
