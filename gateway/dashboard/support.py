"""Where people reach support."""

from django.conf import settings


def address() -> str:
    """For a link: of a page or an e-mail; empty where the service has set none."""
    contact = str(settings.SUPPORT)
    if not contact or contact.startswith(("https://", "http://")):
        return contact
    return f"mailto:{contact}"
