"""The support contact."""

from django.conf import settings


def address() -> str:
    """For links in pages and e-mails; empty if none is configured."""
    contact = str(settings.SUPPORT)
    if not contact or contact.startswith(("https://", "http://")):
        return contact
    return f"mailto:{contact}"
