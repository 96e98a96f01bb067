"""Another account of the route takes a payment over, after one at which nothing has happened.

A card session moves at most once, and only when nobody can confirm it at the first account any more.
"""

from datetime import datetime, timedelta

import structlog

from gateway.methods.rail import PaymentAction, PaymentOutcome, PaymentResult
from gateway.payments import saved
from gateway.payments.models import FORMER, Payment, Status
from gateway.payments.provider import finish, save, unclear
from gateway.providers.asking import settle_outcome
from gateway.providers.models import ProviderAccount
from gateway.providers.selectors import by_health

log = structlog.get_logger()
REFUSED_BY_ALL = ("PROVIDER_REFUSED", "No provider accepted the payment.")
UNREACHED_FOR = timedelta(minutes=1)
"""Until the providers are asked again if none could be reached."""
MAY_MOVE = "mayMove"
"""The mark of a session that its account has definitely not authorized, while it is being voided there."""
_LEFT_OUT = ("session", "secret", saved.TOKEN, saved.VAULT, MAY_MOVE)


def turn_elsewhere(payment: Payment, outcome: PaymentOutcome, at: datetime) -> Payment:
    """Nothing has happened at this provider: the next one is asked. Without one it has failed, or waits for the first.

    An order that was possibly sent before may still arrive there: then only a refusal is definite.
    """
    is_refused = outcome.answered == PaymentResult.REFUSED
    if not is_refused and (payment.unclear_since or payment.asked_times > 1):
        return unclear(payment, at)
    accounts = _others(payment, former_account(payment))
    settle_outcome(payment)
    if following := _after(payment.account_id, accounts):
        saved.take(payment, following)
        payment.asked_times, payment.ask_at = 0, at
    elif is_refused:
        failure = outcome.failure or REFUSED_BY_ALL
        return finish(payment, PaymentAction.PREPARE, PaymentOutcome(PaymentResult.DECLINED, failure=failure), at)
    else:
        if accounts:
            saved.take(payment, by_health(accounts)[0])
        payment.asked_times, payment.ask_at = 0, at + UNREACHED_FOR
    save(payment)
    return payment


def next_account(payment: Payment, at: datetime) -> ProviderAccount | None:
    """Who would take the card session over. None: nobody, its time is over, or it has moved before."""
    assert payment.expires_at is not None
    if former_account(payment) or payment.expires_at <= at or not payment.merchant.is_operational:
        return None
    return next(iter(by_health(_others(payment, payment.account_id))), None)


def move(payment: Payment, at: datetime) -> Payment | None:
    """The next account takes over a session that was voided: it is asked for fields of its own. None: it may not move,
    or nobody takes over.

    Price and time stay. Of the former account only what it takes to look there is kept.
    """
    may_move = MAY_MOVE in payment.details and payment.failure_code is not None
    following = next_account(payment, at) if may_move else None
    if following is None:
        return None
    log.warning("payment.moved", payment=payment.id, account=payment.account_id, to=following.pk)
    there = {name: value for name, value in payment.details.items() if name not in _LEFT_OUT}
    former = {"account": payment.account_id, "reference": payment.rail_reference, "details": there}
    settle_outcome(payment)
    payment.details = saved.wanted(payment) | {FORMER: former}
    payment.rail_reference = payment.failure_code = payment.failure_message = payment.leased_until = None
    payment.asked_times, payment.ask_at, payment.updated_at = 0, at, at
    saved.take(payment, following)
    save(payment)
    return payment


def play(payment: Payment, session: PaymentOutcome, at: datetime) -> Payment:
    """The same in the sandbox, which has no accounts: `session` is that of the second acquirer."""
    payment = finish(payment, PaymentAction.AUTHORIZE, PaymentOutcome(PaymentResult.REFUSED), at)
    payment.details = saved.wanted(payment) | {FORMER: {}}
    return finish(payment, PaymentAction.PREPARE, session, at)


def has_moved(payment: Payment) -> bool:
    """Whether another account has taken the session over."""
    return FORMER in payment.details


def is_moving(payment: Payment, at: datetime) -> bool:
    """Whether it waits for the former account to void the session, or for the next one to prepare its own."""
    if payment.status != Status.PENDING:
        return False
    if former_account(payment):
        return not payment.is_instructed
    return MAY_MOVE in payment.details and next_account(payment, at) is not None


def former_account(payment: Payment) -> str | None:
    """The account at which nobody can confirm the payment any more. None: it has not moved, or in the sandbox."""
    found: str | None = payment.details.get(FORMER, {}).get("account")
    return found


def details_at(payment: Payment, account_id: str) -> dict[str, object]:
    """What the account has said about the payment, also if that was before it moved."""
    found: dict[str, object] = (
        payment.details[FORMER]["details"] if account_id == former_account(payment) else payment.details
    )
    return found


def as_before(payment: Payment) -> Payment:
    """A payment that has moved as its former account knows it: to look there, never to be saved."""
    columns = {field.attname: getattr(payment, field.attname) for field in Payment._meta.concrete_fields}
    before, former = Payment(**columns), payment.details[FORMER]
    before.merchant, before.account = payment.merchant, ProviderAccount.objects.get(pk=former["account"])
    before.details, before.rail_reference = former["details"], former["reference"]
    return before


def _others(payment: Payment, account_id: str | None) -> list[ProviderAccount]:
    return [account for account in saved.accounts_of(payment) if account.pk != account_id]


def _after(account_id: str | None, accounts: list[ProviderAccount]) -> ProviderAccount | None:
    known = [account.pk for account in accounts]
    if account_id not in known:
        return None
    return next(iter(by_health(accounts[known.index(account_id) + 1 :])), None)
