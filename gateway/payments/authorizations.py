"""What acquirers say about cards that payers confirm in their fields: authorized, priced and captured, or voided."""

from dataclasses import replace
from datetime import datetime

import structlog

from gateway.methods.card.method import CAPTURE_S
from gateway.methods.rail import PaymentAction, PaymentOutcome, PaymentResult
from gateway.methods.registry import CARDS
from gateway.payments import failover
from gateway.payments.models import UNDECIDED, Payment, Status
from gateway.payments.pricing import correct
from gateway.payments.provider import ask_later, capture_if_authorized, finish, is_other_money, save, unclear
from gateway.providers.asking import settle_outcome

log = structlog.get_logger()
NOT_TAKEN = ("ACQUIRER_REFUSED", "The company takes no payments at the moment.")
REFUSED = ("ACQUIRER_REFUSED", "The acquirer refused the payment.")
UNREACHED = ("ACQUIRER_REFUSED", "The acquirer or its card fields could not be reached.")
_SEEN = "seenReference"
_DECLINED = (PaymentResult.DECLINED, PaymentResult.REFUSED)
_NOT_CONFIRMED = (PaymentResult.WAITING, PaymentResult.NOT_RECEIVED)


def is_at_acquirer(payment: Payment) -> bool:
    """Whether it is a card payment with real money."""
    return payment.account_id is not None and payment.method in CARDS


def take(payment: Payment, outcome: PaymentOutcome, at: datetime) -> Payment | None:
    """Applies an answer about the confirmation, of whoever asked. None: it contradicts what is known.

    What the acquirer did not authorize, or what cannot be charged, is voided there before the payment fails: another
    card may be confirmed in the same fields at any moment.
    """
    if outcome.answered == PaymentResult.DONE:
        return _charged(payment, outcome, at)
    if is_captured(payment):
        return _priced(payment, outcome, at)
    if is_withdrawn(payment) or payment.status == Status.AUTHORIZED:
        return None
    if outcome.answered in _DECLINED:
        return _withdraw(payment, replace(outcome, failure=outcome.failure or REFUSED), at)
    if outcome.answered == PaymentResult.AUTHORIZED:
        return _authorized(payment, outcome, at)
    if outcome.answered == PaymentResult.CHALLENGE:
        shown = {name: value for name, value in outcome.details.items() if name != "action"}  # for the browser only
        asks = replace(outcome, details=shown | _seen(outcome), reference=None)
        return finish(payment, PaymentAction.AUTHORIZE, asks, at)
    if outcome.answered in _NOT_CONFIRMED:
        return _not_confirmed(payment, outcome, at)
    return finish(payment, PaymentAction.AUTHORIZE, outcome, at)


def _seen(outcome: PaymentOutcome) -> dict[str, str]:
    """The acquirer's id of what is not authorized, or no more: people search for it once the payment has ended."""
    return {_SEEN: outcome.reference} if outcome.reference else {}


def is_withdrawn(payment: Payment) -> bool:
    """Whether it fails as soon as the acquirer has voided it."""
    return payment.status in UNDECIDED and payment.failure_code is not None


def is_captured(payment: Payment) -> bool:
    """Whether its money was captured, and its price is unknown until the acquirer tells what the card is."""
    return payment.status in UNDECIDED and "captured" in payment.details


def _authorized(payment: Payment, outcome: PaymentOutcome, at: datetime) -> Payment | None:
    """Priced by what the card is, in the same transaction. None: another amount was authorized."""
    if is_other_money(payment, outcome):
        return None
    card = outcome.details.get("card", {})
    failure = correct(payment, card.get("funding", "")) if payment.merchant.is_operational else NOT_TAKEN
    if failure:
        return _withdraw(payment, replace(outcome, failure=failure), at)
    authorized = replace(outcome, expires_after_s=CAPTURE_S)
    return capture_if_authorized(finish(payment, PaymentAction.AUTHORIZE, authorized, at))


def _charged(payment: Payment, outcome: PaymentOutcome, at: datetime) -> Payment | None:
    """Captured by somebody else: it is paid, at the right price if that is still possible."""
    if payment.status != Status.AUTHORIZED:
        known = payment.details.get("card") if is_withdrawn(payment) else None
        card = outcome.details.get("card") or known
        if not card:
            return _captured(payment, outcome, at)
        if failure := correct(payment, card["funding"]):
            log.critical("payment.charged_at_another_price", payment=payment.id, reason=failure[0])
    payment.failure_code = payment.failure_message = None
    return finish(payment, PaymentAction.PAY, outcome, at)


def _captured(payment: Payment, outcome: PaymentOutcome, at: datetime) -> Payment | None:
    """Paid once the acquirer tells what the card is. None: another authorization was captured before."""
    reference = outcome.reference or ""
    if payment.details.get("captured", reference) != reference:
        return None
    payment.failure_code = payment.failure_message = None
    found = PaymentOutcome(PaymentResult.UNKNOWN, {"captured": reference}, reference=outcome.reference)
    if payment.status == Status.ACTION_REQUIRED:
        return finish(payment, PaymentAction.AUTHORIZE, found, at)
    payment.details, payment.rail_reference = payment.details | dict(found.details), found.reference
    return unclear(payment, at)


def _priced(payment: Payment, outcome: PaymentOutcome, at: datetime) -> Payment | None:
    """The card of money that was captured. None for anything else: the money has arrived."""
    is_same = payment.details["captured"] in ("", outcome.reference)
    if outcome.answered != PaymentResult.AUTHORIZED or not is_same or is_other_money(payment, outcome):
        return None
    return _charged(payment, replace(outcome, answered=PaymentResult.DONE), at)


def _withdraw(payment: Payment, outcome: PaymentOutcome, at: datetime) -> Payment:
    """It fails once it is voided; that is due at once. What the acquirer refused, and not the issuer, may move.

    The acquirer's id of it is kept until then.
    """
    mark = {failover.MAY_MOVE: True} if outcome.answered == PaymentResult.REFUSED else {}
    details = {**outcome.details, **mark, **_seen(outcome)}
    refused = replace(outcome, answered=PaymentResult.REFUSED, details=details, reference=None, amount=None)
    payment = finish(payment, PaymentAction.AUTHORIZE, refused, at)
    payment.ask_at = at
    save(payment)
    return payment


def voided(payment: Payment, at: datetime) -> Payment:
    """Nobody can pay it any more: it failed for the reason that is known, or nobody confirmed it in time."""
    seen = payment.rail_reference or payment.details.get(_SEEN)
    if is_withdrawn(payment):
        return finish(payment, PaymentAction.PAY, PaymentOutcome(PaymentResult.DECLINED, reference=seen), at)
    return finish(payment, PaymentAction.EXPIRE, PaymentOutcome(PaymentResult.DONE, reference=seen), at)


def _not_confirmed(payment: Payment, outcome: PaymentOutcome, at: datetime) -> Payment:
    """The payer can still confirm, also after a confirmation that was unclear and had not arrived. What could not reach
    the acquirer at all is taken over by another account, if there is one.
    """
    if outcome.answered == PaymentResult.NOT_RECEIVED and failover.next_account(payment, at):
        return _withdraw(payment, replace(outcome, answered=PaymentResult.REFUSED, failure=UNREACHED), at)
    if payment.status == Status.PENDING:
        waiting = replace(outcome, answered=PaymentResult.WAITING)
        return finish(payment, PaymentAction.AUTHORIZE, waiting, at)
    payment.details = payment.details | dict(outcome.details)
    settle_outcome(payment)
    ask_later(payment, at)
    save(payment)
    return payment
