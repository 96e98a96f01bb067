"""Mexican tax documents: RFC of a company (12) or a person (13), CURP of a person."""

import re

from stdnum.mx import curp, rfc

_FORMS = {
    "RFC": re.compile(r"[A-Z&Ñ]{3,4}[0-9]{6}[0-9A-Z]{3}"),
    "CURP": re.compile(r"[A-Z]{4}[0-9]{6}[A-Z]{6}[0-9A-Z][0-9]"),
}


def type_of(tax_id: str) -> str | None:
    """RFC or CURP by length and characters; None if it can be neither."""
    return next((kind for kind, form in _FORMS.items() if form.fullmatch(tax_id)), None)


def is_valid(tax_id: str) -> bool:
    """A CURP by its check digit, an RFC by its date: some issued RFCs have a wrong check digit."""
    if type_of(tax_id) == "CURP":
        return bool(curp.calc_check_digit(tax_id) == tax_id[-1])
    return bool(rfc.is_valid(tax_id))
