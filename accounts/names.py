"""Company names, which strangers read in our e-mails: nothing in them can be clicked, or is hidden."""

import re

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from accounts.base.text import HIDDEN, visible
from accounts.errors import InvalidCompanyName
from accounts.models import Company

_ADDRESS = re.compile(r"://|@|\bwww\b|\w\.[^\W\d_]{2,}", re.IGNORECASE)
"""Text that mail programs turn into links. "S.A. de C.V." does not match."""


def plain(name: str) -> None:
    """Form field validator."""
    visible(name)
    if _ADDRESS.search(name):
        raise ValidationError(_("The name must not contain a web or e-mail address."), code="address")


def require_plain(company: Company) -> None:
    """Raises ONP400_COMPANY_NAME."""
    for field in ("trade_name", "legal_name"):
        name = getattr(company, field)
        if _ADDRESS.search(name) or HIDDEN.search(name):
            raise InvalidCompanyName(field=field)


def without_links(name: str) -> str:
    """The name as e-mails show it before the company is verified."""
    return " ".join(re.sub(r"[^\w&,'-]+", " ", name).split())
