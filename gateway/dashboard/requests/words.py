"""Names of ledger accounts, idempotency key states and refusal codes in the request log."""

from functools import cache

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.base.errors import Refusal, catalogue
from gateway.dashboard.refusals import IN_WORDS
from gateway.methods.registry import codes_of
from ledger.chart import AccountKind

ACCOUNT: dict[str, Promise] = {
    AccountKind.AVAILABLE: _("Available"),
    AccountKind.RELEASING: _("Releasing"),
    AccountKind.BLOCKED: _("Blocked"),
    AccountKind.CLEARING: _("At the provider"),
    AccountKind.SUSPENSE: _("In suspense: not yours"),
    AccountKind.FEE_INCOME: _("Our fee"),
    AccountKind.ADVANCE_INCOME: _("Our fee for the advance"),
    AccountKind.FX_POSITION: _("Exchanged"),
    AccountKind.FX_SPREAD: _("Spread"),
    AccountKind.PAYOUT: _("Outgoing"),
    AccountKind.DEBT: _("Owed to us"),
}


KEY_STATE: dict[str, Promise] = {
    "ANSWERED": _("It was answered: a retry with this key gets the same response and does nothing."),
    "IN_PROGRESS": _("It is in progress: a retry is asked to wait a second."),
    "UNFINISHED": _("It was started but not finished: a retry with this key resumes it."),
    "FREE": _("Nothing was stored under this key: it is safe to use it again."),
}


@cache
def _refusals() -> dict[str, type[Refusal]]:
    return {code: refusal for refusal in catalogue() for code in codes_of(refusal)}


def meaning_of(code: str | None) -> str:
    """The meaning of a refusal code, in the reader's language if available; empty for other codes."""
    refusal = _refusals().get(code or "")
    return str(IN_WORDS.get(refusal.code, refusal.message)) if refusal else ""
