"""The cards of the sandbox (contract §14.2): test cards, and saved cards that an enabled integration already has."""

from dataclasses import dataclass

from django.utils.translation import gettext_noop as _

from gateway.methods.card.cards import Card, Funding, Plays, StoredCard


@dataclass(frozen=True, slots=True)
class TestCard:
    """A number that plays a scenario. `effect` is its documentation."""

    number: str
    plays: Plays
    effect: str


TEST_CARDS = (
    TestCard("4242424242424242", Plays.APPROVED, _("Approved")),
    TestCard("4000000000003220", Plays.CHALLENGE, _("Approved with 3DS challenge")),
    TestCard("4000000000000002", Plays.REFUSED, _("Card refused")),
    TestCard("4000000000009995", Plays.INSUFFICIENT_FUNDS, _("Insufficient funds")),
    TestCard("4000000000000069", Plays.EXPIRED, _("Expired card")),
    TestCard("4000000000000127", Plays.INVALID_CVV, _("Invalid CVV")),
    TestCard("4000000000003063", Plays.CHALLENGE_REFUSED, _("3DS challenge refused")),
    TestCard("4000000000000119", Plays.TIMEOUT, _("Timeout: the payment stays pending")),
)
FUNDING_OF_CVC = {"901": Funding.CREDIT, "902": Funding.DEBIT, "903": Funding.PREPAID, "904": Funding.UNKNOWN}
"""With an approved card the CVC can select the card type; otherwise it is the requested type."""


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
