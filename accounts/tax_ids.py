"""Validation of company tax ids by their check digits."""

import re

from django.utils.translation import gettext_lazy as _
from stdnum.ar import cuit
from stdnum.br import cnpj
from stdnum.co import nit
from stdnum.exceptions import ValidationError
from stdnum.mx import rfc
from stdnum.pt import nif

COUNTRIES = [
    ("BR", _("Brazil")),
    ("MX", _("Mexico")),
    ("AR", _("Argentina")),
    ("CO", _("Colombia")),
    ("PT", _("Portugal")),
]
_KINDS = {"BR": ("CNPJ", cnpj), "MX": ("RFC", rfc), "AR": ("CUIT", cuit), "CO": ("NIT", nit), "PT": ("NIF", nif)}


_EXAMPLES = {
    "BR": "12.345.678/0001-95",
    "MX": "ABC010203AB9",
    "AR": "30-12345678-1",
    "CO": "900.123.456-8",
    "PT": "500 100 144",
}


class TaxIdInvalid(ValueError):
    """The tax id is not valid in that country."""


def proved_tax_id(country: str, text: str) -> tuple[str, str]:
    """Returns the type and the digits without punctuation. Raises TaxIdInvalid."""
    kind, rules = _KINDS[country]
    try:
        return kind, str(rules.validate(text))
    except ValidationError as error:
        raise TaxIdInvalid from error


def tax_id_hint(country: str) -> tuple[str, str]:
    """What a company's tax id is called in that country, and what one looks like."""
    return _KINDS[country][0], _EXAMPLES[country]


def compact(term: str) -> str:
    """A tax id as it is stored: without punctuation."""
    return re.sub(r"[\s./-]", "", term).upper()
