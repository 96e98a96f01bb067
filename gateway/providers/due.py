"""Messages of institutions that wait to be read, and accounts whose connection is to be checked."""

from typing import Any

from accounts.due import Due
from gateway.providers.health import begin_check
from gateway.providers.messages import begin_reading
from gateway.providers.models import ProviderAccount, ProviderMessage

DUE: tuple[Due[Any], ...] = (
    Due(
        kind="provider.message",
        title="Messages of providers",
        model=ProviderMessage,
        column="read_due_at",
        run=begin_reading,
    ),
    Due(
        kind="provider.check",
        title="Provider accounts to check",
        model=ProviderAccount,
        column="check_at",
        statuses=(ProviderAccount.Status.ACTIVE, ProviderAccount.Status.PAUSED),
        run=begin_check,
    ),
)


def run_due(limit: int) -> int:
    """Reads and checks what waits; returns how many rows."""
    return sum(due.sweep(limit) for due in DUE)
