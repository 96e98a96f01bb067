"""Brazilian tax documents: CPF of a person, CNPJ of a company (also the alphanumeric one since July 2026)."""

import re
from dataclasses import replace

from stdnum.br import cnpj, cpf

from accounts.base.errors import Fault
from gateway.customers.payer import Payer

_CPF = re.compile(r"[0-9]{11}")
_CNPJ = re.compile(r"[0-9A-Z]{12}[0-9]{2}")


def type_of(tax_id: str) -> str | None:
    """CPF or CNPJ by length and characters; None if it can be neither."""
    if _CPF.fullmatch(tax_id):
        return "CPF"
    if _CNPJ.fullmatch(tax_id):
        return "CNPJ"
    return None


def is_valid(tax_id: str) -> bool:
    """Whether the check digits are right. A digit repeated eleven times is not a CPF."""
    if type_of(tax_id) == "CPF":
        return len(set(tax_id)) > 1 and bool(cpf.is_valid(tax_id))
    return bool(cnpj.is_valid(tax_id))


def completed(payer: Payer) -> Payer:
    """The payer with the document type, which follows from its length."""
    return replace(payer, tax_id_type=payer.tax_id_type or (type_of(payer.tax_id) if payer.tax_id else None))


def faults(tax_id: str | None, tax_id_type: str | None, *, strict: bool) -> list[Fault]:
    """Faults of a payer's CPF or CNPJ. Check digits are verified only if `strict` (contract §4.3)."""
    if not tax_id:
        return [Fault("payer.taxId", "REQUIRED", "This field is required.")]
    kind = type_of(tax_id)
    if kind is None or (strict and not is_valid(tax_id)):
        return [Fault("payer.taxId", "INVALID", "Must be a CPF of 11 digits or a CNPJ of 14 characters.")]
    if tax_id_type not in (None, kind):
        return [Fault("payer.taxIdType", "INVALID", "Does not fit the document.")]
    return []
