"""Terms and privacy notice: accepted at sign-up, and at the first sign-in after their version changed."""

from dataclasses import replace

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _

from accounts import audit
from accounts.audit import Actor
from accounts.base.clock import utcnow
from accounts.models import User

DUE = "terms_due"
"""Session key: this person must accept the current version before they go on."""


def links() -> dict[str, str]:
    """To the texts: the operator's addresses, else plain pages of ours."""
    return {
        "terms_link": _link(settings.TERMS_URL or reverse("dashboard:legal", args=("terms",)), _("terms of use")),
        "privacy_link": _link(
            settings.PRIVACY_URL or reverse("dashboard:legal", args=("privacy",)), _("privacy notice")
        ),
    }


def _link(address: str, title: str) -> str:
    return format_html('<a href="{}" target="_blank" rel="noopener">{}</a>', address, title)


def accept(request: HttpRequest, user: User) -> None:
    """Stores that the person accepts the current version now."""
    user.terms_version, user.terms_accepted_at = settings.TERMS_VERSION, utcnow()
    user.save(update_fields=["terms_version", "terms_accepted_at"])
    by = replace(Actor.of(request), user=user)
    audit.record(by, "terms.accepted", object_id=str(user.pk), after={"version": settings.TERMS_VERSION})
    request.session.pop(DUE, None)


def ask_if_due(request: HttpRequest, user: User) -> None:
    """Call at sign-in: people of companies accept a version that they have not accepted yet."""
    if user.terms_version != settings.TERMS_VERSION and (not user.is_staff or user.memberships.exists()):
        request.session[DUE] = True
