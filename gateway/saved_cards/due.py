"""Removed cards that are still in an acquirer's vault: the acquirer is asked until it has removed them."""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import structlog

from accounts.base.clock import utcnow
from accounts.due import Due
from gateway.providers.asking import BACK_OFF_S, LEASE
from gateway.providers.errors import CallFailed
from gateway.providers.selectors import provider_of
from gateway.saved_cards.charges import is_being_charged
from gateway.saved_cards.models import AcquirerToken
from gateway.saved_cards.selectors import unsealed
from gateway.saved_cards.services import forgotten

log = structlog.get_logger()
WHILE_CHARGED = timedelta(minutes=5)
ALARM_AT = 12
"""After this many attempts, about six hours, the log line is critical."""


def _begin(token: AcquirerToken, due_at: datetime) -> Callable[[], object] | None:
    """Reserves the call and sets the next one; it is made after the commit. A card that is being charged stays: without
    it the acquirer could neither let its holder confirm nor tell what became of the charge.
    """
    if token.card and is_being_charged(token.card):
        token.ask_at = utcnow() + WHILE_CHARGED
        token.save(update_fields=["ask_at"])
        return None
    token.leased_until = utcnow() + LEASE
    token.asked_times += 1
    token.ask_at = utcnow() + timedelta(seconds=BACK_OFF_S[min(token.asked_times, len(BACK_OFF_S)) - 1])
    token.save(update_fields=["leased_until", "asked_times", "ask_at"])
    return partial(_ask, token)


def _ask(token: AcquirerToken) -> None:
    assert token.sealed is not None, "only what is in a vault waits for its removal"
    try:
        provider_of(token.account).forget_card(unsealed(bytes(token.sealed)))
    except CallFailed as failed:
        if token.asked_times == ALARM_AT:
            log.critical("saved_card.still_in_vault", token=token.pk, account=token.account_id, reason=failed.reason)
        else:
            log.warning("saved_card.not_removed", token=token.pk, times=token.asked_times, reason=failed.reason)
        AcquirerToken.objects.filter(pk=token.pk, leased_until=token.leased_until).update(leased_until=None)
        return
    forgotten(token)


DUE: tuple[Due[Any], ...] = (
    Due(
        kind="saved_card.removed",
        title="Saved cards to remove from vaults",
        model=AcquirerToken,
        column="ask_at",
        condition="(w.leased_until IS NULL OR w.leased_until <= %(now)s)",
        run=_begin,
    ),
)


def run_due(limit: int) -> int:
    """Asks acquirers to remove what is due; returns how many were asked about."""
    return sum(due.sweep(limit) for due in DUE)
