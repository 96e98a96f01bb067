"""Messages of institutions that wait to be read."""

from typing import Any

from accounts.due import Due
from gateway.providers.messages import begin_reading
from gateway.providers.models import ProviderMessage

DUE: tuple[Due[Any], ...] = (
    Due(
        kind="provider.message",
        title="Messages of providers",
        model=ProviderMessage,
        column="read_due_at",
        run=begin_reading,
    ),
)


def run_due(limit: int) -> int:
    """Reads what waits; returns how many messages were read."""
    return sum(due.sweep(limit) for due in DUE)
