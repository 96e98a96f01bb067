"""Cards in the sandbox: a recognized test card plays its scenario; the issuer may require a confirmation."""

import secrets
from collections.abc import Sequence

from accounts.models import Environment
from gateway.methods.card.cards import Card, Plays, StoredCard
from gateway.methods.card.method import CAPTURE_S, RESULT_S, CardMethod, CreditCard, DebitCard
from gateway.methods.card.sandbox_cards import STORED_CARDS
from gateway.methods.rail import PaymentAction, PaymentOrder, PaymentOutcome, PaymentResult, Rail
from gateway.methods.sandbox import SandboxRail
from gateway.methods.scenarios import scenario_of

HOSTED_TAIL, MOVED_TAIL = 916, 918
_REFUSED = {
    Plays.REFUSED: ("CARD_REFUSED", "The card's bank refused the payment."),
    Plays.INSUFFICIENT_FUNDS: ("INSUFFICIENT_FUNDS", "The card does not have enough funds."),
    Plays.EXPIRED: ("EXPIRED_CARD", "The card has expired."),
    Plays.INVALID_CVV: ("INVALID_CVV", "The security code is wrong."),
    Plays.UNKNOWN: ("TEST_CARD_UNKNOWN", "The sandbox takes its own test cards only."),
}
THREE_DS_REFUSED = ("THREE_DS_REFUSED", "The holder's confirmation was refused.")


class SandboxCard(SandboxRail, CardMethod):
    """The deterministic simulator: a card plays its scenario, and no acquirer is called."""

    def stored_card(self, token: str) -> StoredCard | None:
        return next((one for one in STORED_CARDS if one.token == token), None)

    def instructions(self, order: PaymentOrder) -> PaymentOutcome:
        """A session for the browser; a saved card is charged directly, and needs a session only for a challenge."""
        mode = "HOSTED" if _plays(order, HOSTED_TAIL) else order.integration_mode
        session = {"session": {"integrationMode": mode}}
        if order.stored_card is None:
            return PaymentOutcome(PaymentResult.SESSION, session)
        outcome = self.authorize(order, order.stored_card.card, confirmed=False)
        if outcome.answered == PaymentResult.CHALLENGE:
            return PaymentOutcome(PaymentResult.SESSION, session | dict(outcome.details))
        return outcome

    def authorize(self, order: PaymentOrder, card: Card, *, confirmed: bool) -> PaymentOutcome:
        """AUTHORIZED, DECLINED, UNKNOWN, or CHALLENGE until the cardholder has `confirmed`."""
        if card.plays in (Plays.CHALLENGE, Plays.CHALLENGE_REFUSED) and not confirmed:
            return PaymentOutcome(PaymentResult.CHALLENGE, {"challenge": secrets.token_urlsafe(24)})
        if card.plays == Plays.CHALLENGE_REFUSED:
            return PaymentOutcome(PaymentResult.DECLINED, failure=THREE_DS_REFUSED)
        if card.plays == Plays.TIMEOUT:
            return PaymentOutcome(PaymentResult.UNKNOWN, {"unanswered": True}, expires_after_s=RESULT_S)
        if failure := _REFUSED.get(card.plays):
            return PaymentOutcome(PaymentResult.DECLINED, failure=failure)
        code = f"{secrets.randbelow(10**6):06}"
        later = order.stored_card.captured_after_s if order.stored_card else None
        return PaymentOutcome(
            PaymentResult.AUTHORIZED,
            {"authorizationCode": code},
            reference=code,
            ask_after_s=later,
            expires_after_s=CAPTURE_S,
        )

    def refuses_first(self, order: PaymentOrder) -> bool:
        """Whether the first of two acquirers does not process the card that is typed there."""
        return _plays(order, MOVED_TAIL)

    def capture(self, order: PaymentOrder) -> PaymentOutcome:
        return PaymentOutcome(PaymentResult.DONE)

    def ask(self, order: PaymentOrder, about: PaymentAction) -> PaymentOutcome:
        """Captures an authorized payment when due; a reviewed payment gets its session then."""
        if about == PaymentAction.CAPTURE:
            return self.capture(order)
        if about == PaymentAction.REVIEW:
            return PaymentOutcome(PaymentResult.CLEARED, ask_after_s=0)
        return self.instructions(order)


class SandboxCreditCard(SandboxCard, CreditCard):
    """The simulator of credit cards."""


class SandboxDebitCard(SandboxCard, DebitCard):
    """The simulator of debit cards."""


def _plays(order: PaymentOrder, tail: int) -> bool:
    scenario = scenario_of(order.method, order.amount, order.currency)
    return scenario is not None and scenario.tail == tail


RAILS: dict[Environment, Sequence[Rail]] = {Environment.SANDBOX: [SandboxCreditCard(), SandboxDebitCard()]}
