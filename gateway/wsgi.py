"""What the web server serves."""

import gc
import os

from django.core.checks import Tags, run_checks
from django.core.exceptions import ImproperlyConfigured
from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gateway.settings")
application = get_wsgi_application()

if troubles := [message for message in run_checks(tags=[Tags.security]) if message.is_serious()]:
    raise ImproperlyConfigured("\n".join(str(message) for message in troubles))

# What is loaded now stays; looking at it again and again for garbage takes a tenth of a request's time.
gc.collect()
gc.freeze()
gc.set_threshold(20_000, 20, 50)
