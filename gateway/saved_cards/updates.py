"""What an acquirer tells of a card in its vault: it is asked, and what it answers counts."""

import structlog

from accounts.cells import in_cell_of
from gateway.providers.errors import CallFailed
from gateway.providers.models import ProviderAccount
from gateway.providers.selectors import provider_of
from gateway.saved_cards.models import AcquirerToken
from gateway.saved_cards.selectors import unsealed
from gateway.saved_cards.services import digest_of, lost, updated

log = structlog.get_logger()


def look_up(account: ProviderAccount, token: str, *, is_new: bool = False) -> bool:
    """Asks the account about the card that it knows by this id, and brings it up to date.

    `is_new`: the acquirer has just told that it saved the card, so that a vault without it lags behind. False: no saved
    card of ours has it there. Never call it inside a transaction.
    """
    found = AcquirerToken.objects.filter(account=account, digest=digest_of(account, token), ask_at=None)
    held = found.select_related("card__merchant").first()
    if held is None or held.card is None or held.sealed is None:
        return False
    try:
        facts = provider_of(account).look_up_card(unsealed(bytes(held.sealed)))
    except CallFailed as failed:
        log.warning("saved_card.not_looked_up", card=held.card_id, reason=failed.reason)
        return True
    with in_cell_of(held.card.merchant):
        if facts is not None:
            updated(held.card, facts)
        elif not is_new:
            lost(held)
    return True
