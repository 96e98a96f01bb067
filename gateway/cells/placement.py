"""Where each table lives: in `public`, once, or in each cell, with the rows of its merchants.

What is about one merchant and grows with its payments lives in cells. Who is a customer of ours, who may do what and at
what price stays in `public`, and so does what institutions tell of many merchants at once: their messages, files and
lines. Keys lead within a place and from cells to `public`, never from `public` to a cell: such a row only has the id of
what it names.
"""

from collections.abc import Iterator

from django.apps import apps
from django.db.models import Model

from accounts.base import cells
from accounts.cells import each_cell

OURS = ("accounts", "ledger", "gateway", "webhooks")
IN_PUBLIC = frozenset(
    {
        # What institutions tell us of many merchants, and what we tell them.
        "gateway.BankAccount",
        "gateway.BankLine",
        "gateway.BankStatement",
        "gateway.BatchAnswer",
        "gateway.BatchOrder",
        "gateway.CardToken",
        "gateway.CollectionCredit",
        "gateway.ImportedFile",
        "gateway.IssuedNumber",
        "gateway.LinePart",
        "gateway.LostOrder",
        "gateway.PayoutBatch",
        "gateway.ProviderAccount",
        "gateway.ProviderMessage",
        "gateway.ProviderRoute",
        "gateway.RegistrationFile",
        "gateway.SettlementDay",
        "gateway.SettlementDifference",
        "gateway.SettlementLine",
        "gateway.SettlementReport",
        "gateway.Slip",
        "gateway.SlipInstruction",
        "gateway.SlipLine",
        "gateway.SuspenseItem",
        # Rules, which are read before there is anything that they are about.
        "gateway.AutomaticEvidence",
        "gateway.HistoricalMethodRule",
        "gateway.HistoricalPayoutRule",
        "gateway.HistoricalPriceRule",
        "gateway.MethodRule",
        "gateway.PayoutRule",
        "gateway.PriceRule",
        "gateway.SingleApprovalLimit",
        "gateway.WithdrawalRules",
        "ledger.Rate",
        # What seals of cells were, before companies moved.
        "ledger.ReplacedSeal",
        "ledger.Resealing",
        # Who delivers from which cell is no matter.
        "webhooks.Hold",
        # What people keep for their pages.
        "gateway.SavedView",
    }
)
"""Models of these apps that stay in `public`; all of `accounts` does."""
_IN_PUBLIC = frozenset(label.lower() for label in IN_PUBLIC)


def is_in_cells(model: type[Model]) -> bool:
    """Whether each cell has a table of this model, or of the field that made it."""
    made_by = model._meta.auto_created
    owner = made_by if isinstance(made_by, type) else model
    return is_placed_in_cells(owner._meta.app_label, owner._meta.model_name or "")


def is_placed_in_cells(app: str, name: str) -> bool:
    """The same of a model of any time by its names, as migrations know it."""
    return app in OURS and app != "accounts" and f"{app}.{name}".lower() not in _IN_PUBLIC


def each_cell_of(model: type[Model]) -> Iterator[str]:
    """Opens one cell after the other in which there is a table of this model."""
    if is_in_cells(model):
        yield from each_cell()
    else:
        with cells.opened(cells.FIRST):
            yield cells.FIRST


def models_in_cells() -> Iterator[type[Model]]:
    """Of which each cell has a table, those of many-to-many fields included."""
    for model in apps.get_models(include_auto_created=True):
        if model._meta.managed and not model._meta.proxy and is_in_cells(model):
            yield model
