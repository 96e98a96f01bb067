"""Due work on boletos: files to drop at banks, and lines of returns to apply."""

from typing import Any

from accounts.batches import DueInBatches
from accounts.due import Due
from gateway.boletos.drops import begin
from gateway.boletos.models import RegistrationFile, SlipLine
from gateway.boletos.returns import apply_all, apply_line

APPLY = DueInBatches(
    kind="boleto.told",
    title="What banks say of boletos",
    model=SlipLine,
    column="due_at",
    run=apply_line,
    run_many=apply_all,
    size=20,
)
DROP = Due(
    kind="registration_file.dropped",
    title="Registration files to drop",
    model=RegistrationFile,
    column="drop_at",
    condition="(w.leased_until IS NULL OR w.leased_until <= %(now)s)",
    run=begin,
)
DUE: tuple[Due[Any], ...] = (DROP, APPLY)


def run_due(limit: int = 100) -> int:
    """Drops files, and applies what returns say; returns how many."""
    return sum(due.sweep(limit) for due in DUE)
