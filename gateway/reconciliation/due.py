"""Due work on files of banks and lines of statements."""

from typing import Any

from accounts.due import Due
from gateway.reconciliation.files import take
from gateway.reconciliation.models import ImportedFile

TAKE = Due(
    kind="bank_file.taken",
    title="Files of banks to take effect",
    model=ImportedFile,
    column="due_at",
    holds=("account",),
    run=take,
)
DUE: tuple[Due[Any], ...] = (TAKE,)


def run_due(limit: int = 100) -> int:
    """Lets files take effect, at most `limit`; returns how many."""
    return TAKE.sweep(limit)
