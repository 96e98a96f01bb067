"""Money that arrived for a payment and does not pay it: another amount, too late, or a second time.

The room that keeps such money registers a holder at startup.
"""

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from django.db import models

from accounts.models import Merchant
from gateway.methods.rail import Money, PaymentOutcome, PaymentResult
from gateway.payments.models import Payment, Status
from gateway.providers.models import ProviderAccount
from ledger.money import to_decimal


class Cause(models.TextChoices):
    """Why received money does not belong to anybody yet."""

    OTHER_AMOUNT = "OTHER_AMOUNT", "Another amount or currency"
    LATE = "LATE", "After the end of the payment"
    PAID_TWICE = "PAID_TWICE", "Paid twice"
    UNKNOWN_CHARGE = "UNKNOWN_CHARGE", "No charge of ours"


class Holder(NamedTuple):
    """A room that keeps such money.

    `hold` holds the money of a payment that is locked, once, however often it is told; False: it cannot hold it.
    `has` says whether it ever held money with this bank reference, at the account or another one of the company; with
    no account: anywhere.
    """

    hold: Callable[[Payment, Money, Cause, datetime], bool]
    has: Callable[[str, ProviderAccount | None, Merchant | None], bool]


_holders: list[Holder] = []
_ENDED = (Status.EXPIRED, Status.FAILED)
_TAKEN = (Status.PAID, Status.REFUNDED)


def held_by(holder: Holder) -> None:
    """Registers `holder` for all money that does not fit."""
    _holders.append(holder)


def hold(payment: Payment, outcome: PaymentOutcome, at: datetime) -> bool:
    """Holds all money of an answer that does not pay this payment; False if a part of it could not be held.

    Call it in a transaction that has locked the payment, after anything else that posts.
    """
    is_held = [
        any(one.hold(payment, money, cause, at) for one in _holders) for money, cause in unfitting(payment, outcome)
    ]
    return all(is_held)


def hold_all(payment: Payment, outcome: PaymentOutcome, at: datetime) -> bool:
    """As `hold`, where none of the money can be the payment's own."""
    told = _told(payment, outcome)
    return all([any(one.hold(payment, money, cause_of(payment, money), at) for one in _holders) for money in told])


def was_held(reference: str, account: ProviderAccount | None, merchant: Merchant | None) -> bool:
    """Whether money with this bank reference does not fit, or did not: it pays nothing by itself. `account` None: at
    any.
    """
    return any(one.has(reference, account, merchant) for one in _holders)


def is_exact(payment: Payment, money: Money) -> bool:
    """Whether it is exactly the amount that was asked for."""
    return (money.amount, money.currency) == (to_decimal(payment.amount, payment.currency), payment.currency)


def is_all(payment: Payment, outcome: PaymentOutcome) -> bool:
    """Whether money has arrived, and none of it is the payment's own."""
    return outcome.answered == PaymentResult.DONE and _own(payment, _told(payment, outcome)) is None


def unfitting(payment: Payment, outcome: PaymentOutcome) -> list[tuple[Money, Cause]]:
    """The money of an answer that is not the payment's own, and why."""
    if outcome.answered != PaymentResult.DONE:
        return []
    told = _told(payment, outcome)
    own = _own(payment, told)
    return [(money, cause_of(payment, money)) for money in told if money is not own]


def _told(payment: Payment, outcome: PaymentOutcome) -> list[Money]:
    """Without an amount it is the payment's; without a reference of its own the payment's id stands for it."""
    asked = to_decimal(payment.amount, payment.currency)
    amount = asked if outcome.amount is None else outcome.amount
    first = Money(outcome.reference or payment.pk, amount, outcome.currency or payment.currency)
    return [first, *outcome.others]


def _own(payment: Payment, told: list[Money]) -> Money | None:
    """What pays or has paid it. A provider that names no money of its own has told of the payment's."""
    if payment.status in _ENDED:
        return None
    if payment.status not in _TAKEN:
        return next((money for money in told if is_exact(payment, money)), None)
    known = payment.rail_reference
    named = (money for money in told if known is None or money.reference in (known, payment.pk))
    return next(named, None)


def cause_of(payment: Payment, money: Money) -> Cause:
    """Why money for a payment does not pay it."""
    if not is_exact(payment, money):
        return Cause.OTHER_AMOUNT
    return Cause.LATE if payment.status in _ENDED else Cause.PAID_TWICE
