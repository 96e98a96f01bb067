"""The payer of a payment: a snapshot that later changes of the customer do not affect."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Payer:
    """Normalized: documents and phones without punctuation, phones in E.164, e-mail in lower case."""

    name: str
    tax_id: str | None = None
    tax_id_type: str | None = None
    email: str | None = None
    phone: str | None = None
    address: dict[str, Any] | None = None
