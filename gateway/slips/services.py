"""Numbering boletos, and withdrawing those that nobody shall pay any more."""

from django.db import transaction
from django.db.models import Max

from accounts.base.clock import utcnow
from accounts.base.ids import new_id
from accounts.base.rows import execute
from gateway.slips.agreements import Agreement
from gateway.slips.models import Slip

State = Slip.State


class NumbersUsedUp(Exception):
    """The range of numbers that the bank gave has no number left."""


@transaction.atomic
def issue(agreement: Agreement, payment_id: str) -> Slip:
    """The boleto of a payment: the same one whenever it is asked for. Numbers go up. Raises NumbersUsedUp."""
    take_turns(agreement)
    if known := of_payment(payment_id):
        return known
    ours = Slip.objects.filter(agreement=agreement.series, number__range=(agreement.first, agreement.last))
    used = ours.aggregate(Max("number"))["number__max"]
    number = agreement.first if used is None else used + 1
    if number > agreement.last:
        raise NumbersUsedUp
    return Slip.objects.create(payment_id=payment_id, agreement=agreement.series, number=number)


@transaction.atomic
def skip(agreement: Agreement, count: int) -> None:
    """Leaves the next numbers out: after a restore they may be those of boletos that are not known any more."""
    take_turns(agreement)
    ours = Slip.objects.filter(agreement=agreement.series, number__range=(agreement.first, agreement.last))
    last = min((ours.aggregate(Max("number"))["number__max"] or agreement.first) + count, agreement.last)
    Slip.objects.create(payment_id=new_id("skip"), agreement=agreement.series, number=last, state=State.WITHDRAWN)


def take_turns(agreement: Agreement) -> None:
    """Lets what counts for the agreement wait for each other, until the transaction ends."""
    execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"boletos of {agreement.series}"])


def of_payment(payment_id: str) -> Slip | None:
    return Slip.objects.filter(payment_id=payment_id).first()


@transaction.atomic
def withdraw(payment_id: str) -> bool:
    """Makes sure that nobody can pay it. True: so it is; False: the bank is told with the next file.

    A boleto that was paid, with whatever money, cannot be paid again.
    """
    slip = Slip.objects.select_for_update(no_key=True).filter(payment_id=payment_id).first()
    if slip is None or slip.state in (State.REFUSED, State.WITHDRAWN, State.PAID):
        return True
    if slip.state == State.NEW:
        turn(slip, State.WITHDRAWN)  # the bank never heard of it
        return True
    if not slip.is_withdrawal_asked:
        slip.is_withdrawal_asked, slip.updated_at = True, utcnow()
        slip.save(update_fields=["is_withdrawal_asked", "updated_at"])
    return False


def turn(slip: Slip, state: Slip.State) -> None:
    """Call it in a transaction that has locked the slip."""
    slip.state, slip.updated_at = state, utcnow()
    slip.save(update_fields=["state", "updated_at"])
