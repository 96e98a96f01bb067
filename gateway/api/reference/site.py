"""The pages of /docs: which there are, in which order, and in which languages."""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

LANGUAGES = {"en": ("English", "/en"), "pt-br": ("Português", "/pt-br"), "es": ("Español", "/es")}
"""The name of each language, and what its addresses have after /docs."""


@dataclass(frozen=True, slots=True)
class Chapter:
    """Pages that are listed together."""

    title: Promise
    pages: tuple[str, ...]


CHAPTERS = (
    Chapter(_("Get started"), ("quickstart", "libraries", "shop", "keys", "sandbox", "testing", "going-live")),
    Chapter(_("Payments"), ("payments", "cards", "refunds")),
    Chapter(_("A reliable integration"), ("idempotency", "retries", "webhooks", "events", "errors")),
    Chapter(_("Money"), ("balances", "reconciliation", "money-out")),
    Chapter(_("Reference"), ("reference", "methods", "versioning", "changelog")),
)
GENERATED = {
    "events": _("Event types"),
    "errors": _("Errors"),
    "reference": _("API reference"),
    "changelog": _("Changelog"),
    "search": _("Search"),
}
"""Pages that are made from the code alone, and their titles. The others are guides: `templates/docs/<language>/`."""
HOME, SEARCH = "index", "search"
GUIDES = (HOME, *(page for chapter in CHAPTERS for page in chapter.pages if page not in GENERATED))


def address(page: str, language: str | None) -> str:
    """Where a page is in a language: `/docs/es/refunds`; without one, in that of whoever reads it: `/docs/refunds`."""
    place = "" if page == HOME else f"/{page}"
    return f"/docs{LANGUAGES[language][1] if language else ''}{place}"
