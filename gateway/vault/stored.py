"""The sandbox's saved cards (contract §14.2): tokens that an enabled integration already has."""

from dataclasses import dataclass

from django.utils.translation import gettext_noop as _

from gateway.vault.cards import Card, Funding, Plays


@dataclass(frozen=True, slots=True)
class StoredCard:
    """A fixed token. `captured_after_s` None: immediately. `effect` is its documentation."""

    token: str
    card: Card
    effect: str
    captured_after_s: int | None = None

    @property
    def must_be_confirmed(self) -> bool:
        return self.card.plays in (Plays.CHALLENGE, Plays.CHALLENGE_REFUSED)


def _visa(plays: Plays, funding: Funding = Funding.AS_REQUESTED) -> Card:
    return Card("visa", "4242", funding, plays)


STORED_CARDS = (
    StoredCard("pmt_sandbox_approved", _visa(Plays.APPROVED), _("PAID immediately")),
    StoredCard("pmt_sandbox_authorized", _visa(Plays.APPROVED), _("AUTHORIZED, and PAID after 60 seconds"), 60),
    StoredCard("pmt_sandbox_3ds", _visa(Plays.CHALLENGE), _("The cardholder must confirm: 202 with `nextAction`")),
    StoredCard("pmt_sandbox_refused", _visa(Plays.REFUSED), "422 `ONP422_<METHOD>_REJECTED`"),
    StoredCard("pmt_sandbox_insufficient_funds", _visa(Plays.INSUFFICIENT_FUNDS), "422, `INSUFFICIENT_FUNDS`"),
    StoredCard("pmt_sandbox_expired_card", _visa(Plays.EXPIRED), "422, `EXPIRED_CARD`"),
    StoredCard("pmt_sandbox_timeout", _visa(Plays.TIMEOUT), _("Stays PENDING for 24 hours")),
    StoredCard(
        "pmt_sandbox_debit", _visa(Plays.APPROVED, Funding.DEBIT), _("A debit card: corrected if requested as credit")
    ),
)


def stored(token: str) -> StoredCard | None:
    """The saved card of a token. None: unknown, or it belongs to production."""
    return next((one for one in STORED_CARDS if one.token == token), None)
