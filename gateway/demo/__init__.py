"""A shop to try everything in; only on a developer's machine."""

from django.conf import settings
from django.http import HttpRequest


def is_local(request: HttpRequest) -> dict[str, bool]:
    """Pages of a developer's machine lead to what is only there."""
    return {"is_local": settings.LOCAL}
