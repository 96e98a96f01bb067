"""A demo shop; only on a developer's machine."""

from django.conf import settings
from django.http import HttpRequest


def is_local(request: HttpRequest) -> dict[str, bool]:
    """Adds links that exist only on a developer's machine."""
    return {"is_local": settings.LOCAL}
