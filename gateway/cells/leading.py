"""How rows of tables in cells lead to their merchant: by one key, or by those of the rows that they belong to."""

from dataclasses import dataclass
from functools import cache
from typing import Any

from django.db.models import Model

from accounts.base.rows import table
from gateway.cells.placement import is_in_cells, models_in_cells
from ledger.closings.models import ClosedBalance, ClosedDay, Seal
from ledger.proofs.models import Proof, ProvedAccount, ProvedBlock, Round

OF_ALL = frozenset({ClosedBalance, ClosedDay, Proof, ProvedAccount, ProvedBlock, Round, Seal})
"""What the books of a cell keep of all of its merchants together: `ledger.moving` passes on the part of one."""
MERCHANT = "merchant"
OTHERWISE = {
    "gateway.BulkLine": "file",
    "gateway.Draft": "refund",
    "gateway.FileDecision": "file",
    "gateway.LineDecision": "decision",
    "ledger.Entry": "account",
}
"""Tables that have no index of their merchant, and may be large, with the key that is used instead."""


@dataclass(frozen=True, slots=True)
class Lead:
    """The column of a table that leads on, and the table to which it leads; None: it is the merchant itself."""

    model: type[Model]
    column: str
    to: "Lead | None" = None

    def condition(self, schema: str) -> str:
        """On rows of the table, with the parameter `merchants`. The rows on the way are those of this schema."""
        if self.to is None:
            return f'"{self.column}" = ANY(%(merchants)s)'
        parents, key = table(self.to.model), self.to.model._meta.pk
        return f'"{self.column}" IN (SELECT "{key.column}" FROM {schema}.{parents} WHERE {self.to.condition(schema)})'

    @property
    def has_merchant(self) -> bool:
        """Whether each row also says itself whose it is."""
        return any(field.name == MERCHANT for field in self.model._meta.concrete_fields)

    @property
    def length(self) -> int:
        return 0 if self.to is None else 1 + self.to.length


@cache
def leads() -> list[Lead]:
    """Of every table in cells whose rows are each of one merchant, those first by which others lead."""
    found = (lead(model) for model in models_in_cells() if model not in OF_ALL)
    return sorted(found, key=lambda one: (one.length, table(one.model)))


def lead(model: type[Model]) -> Lead:
    """By its merchant, or by the first key that is always set and leads to one. Raises LookupError without one."""
    keys: dict[str, Any] = {field.name: field for field in model._meta.concrete_fields if field.is_relation}
    otherwise = OTHERWISE.get(model._meta.label)
    if MERCHANT in keys and otherwise is None:
        return Lead(model, keys[MERCHANT].column)
    for key in [keys[otherwise]] if otherwise else keys.values():
        if not key.null and is_in_cells(key.related_model):
            return Lead(model, key.column, lead(key.related_model))
    raise LookupError(f"No key of {model._meta.label} leads to its merchant")
