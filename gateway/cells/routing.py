"""What of a migration is done in a cell."""

from typing import Any

from accounts.base import cells
from gateway.cells.placement import OURS, is_placed_in_cells


class CellRouter:
    """Django's router: in a cell only what is about its tables is migrated. Everything is in `public`."""

    def allow_migrate(self, db: str, app_label: str, model_name: str | None = None, **hints: Any) -> bool | None:
        """Raises ValueError for an operation in SQL or Python that does not say whether cells need it as well."""
        if cells.current() == cells.FIRST:
            return None
        if app_label not in OURS:
            return False
        if model_name:
            return is_placed_in_cells(app_label, model_name)
        if "in_cells" not in hints:
            raise ValueError(f"A migration of {app_label} does not say whether it is done in cells: hints=in_cells")
        return bool(hints["in_cells"])
