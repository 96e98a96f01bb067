"""What every process of the gateway has loaded when it is forked: importing this loads it."""

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gateway.settings")
django.setup()

# isort: split
import celery.apps.worker  # noqa: E402  (needs the settings, as all that follows)
import celery.bin.celery  # noqa: E402
import celery.concurrency.prefork  # noqa: E402
import granian  # noqa: E402
from django.urls import get_resolver  # noqa: E402

from accounts.base.garbage import spare_what_is_loaded  # noqa: E402
from gateway.celery import app  # noqa: E402

__all__ = ["celery", "granian"]

app.loader.import_default_modules()
assert get_resolver().url_patterns
spare_what_is_loaded()
