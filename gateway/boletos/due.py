"""Due work on boletos: lines of returns to apply."""

from typing import Any

from accounts.due import Due
from gateway.boletos.models import SlipLine
from gateway.boletos.returns import apply_line

APPLY = Due(
    kind="boleto.told",
    title="What banks say of boletos",
    model=SlipLine,
    column="due_at",
    run=apply_line,
)
DUE: tuple[Due[Any], ...] = (APPLY,)


def run_due(limit: int = 100) -> int:
    """Applies what returns say, at most `limit` lines; returns how many."""
    return APPLY.sweep(limit)
