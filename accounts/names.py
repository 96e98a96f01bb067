"""Names of companies, which strangers read in e-mails of ours: nothing in them can be clicked."""

import re

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from accounts.errors import InvalidCompanyName
from accounts.models import Company

_ADDRESS = re.compile(r"://|@|\bwww\b|\w\.[^\W\d_]{2,}", re.IGNORECASE)
"""What mail programs make a link of. "S.A. de C.V." is none."""


def plain(name: str) -> None:
    """Validates a field of a form."""
    if _ADDRESS.search(name):
        raise ValidationError(_("The name must not contain a web or e-mail address."), code="address")


def require_plain(company: Company) -> None:
    """Refuses with ONP400_COMPANY_NAME."""
    for field in ("trade_name", "legal_name"):
        if _ADDRESS.search(getattr(company, field)):
            raise InvalidCompanyName(field=field)


def without_links(name: str) -> str:
    """The name as an e-mail may show it before we know the company."""
    return " ".join(re.sub(r"[^\w&,'-]+", " ", name).split())
