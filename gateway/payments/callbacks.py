"""What an institution tells about a payment: it is queried at once, and the answer counts.

One that cannot be queried is believed: then what it tells is the answer.
"""

from collections.abc import Callable
from datetime import timedelta
from functools import partial

import structlog
from django.db import transaction

from accounts.base import clock
from accounts.base.rows import retry_on_deadlock
from accounts.cells import in_cell_of
from accounts.models import Merchant
from gateway.methods.rail import PaymentAction, PaymentResult
from gateway.payments import saved
from gateway.payments.believed import believe
from gateway.payments.calls import Answer, look, prepare
from gateway.payments.failover import as_before, former_account
from gateway.payments.models import UNDECIDED, Payment
from gateway.payments.provider import lock, rail_of, save
from gateway.payments.questions import ask_and_take, take_and_go_on
from gateway.providers.asking import is_leased
from gateway.providers.errors import Unclear
from gateway.providers.models import ProviderAccount
from gateway.providers.notices import register
from gateway.providers.provider import CARD, Notice
from gateway.saved_cards.updates import look_up

log = structlog.get_logger()
LOOKED_AGAIN_AFTER = timedelta(seconds=15)


@register("pay")
def hear(notice: Notice, account: ProviderAccount) -> bool:
    """Queries the account about the payment, also about one that has ended: its money may have come late or twice."""
    found = Payment.objects.select_related("merchant__company").filter(pk=notice.object_id).first()
    if found is None or account.pk not in (found.account_id, former_account(found)):
        _notice_elsewhere(notice, account)
        return False
    if notice.outcome:
        told = Answer(notice.about, notice.outcome)
        found = retry_on_deadlock(partial(believe, found.merchant, found.pk, account.pk, told))
    if found.account_id != account.pk:
        _hear_former(notice, found)
        return True
    if notice.outcome:
        return True
    ask = retry_on_deadlock(partial(_begin, found.merchant, found.pk))
    if ask is None:
        return True
    payment = ask()
    if notice.told == PaymentResult.DONE and payment.status in UNDECIDED:
        log.warning("payment.contradicted", payment=payment.pk, told=notice.told)
        retry_on_deadlock(partial(_look_again, payment.merchant, payment.pk))
    return True


def _hear_former(notice: Notice, payment: Payment) -> None:
    """Money at the account that the payment has moved away from is released or held, and never the payment's.

    Raises Unclear if it is still authorized there: then the message is read again, and so it is released later.
    """
    before = as_before(payment)
    question = look(before)
    told = Answer(notice.about, rail_of(before).heard(question.order, notice.outcome)) if notice.outcome else None
    answer = told or question.put()
    take_and_go_on(payment.merchant, question, answer)
    if told is None and _is_authorized(answer) and _is_authorized(question.put()):
        raise Unclear("an authorization at the former account is not released")


def _is_authorized(answer: Answer) -> bool:
    return answer.outcome.answered == PaymentResult.AUTHORIZED


def _notice_elsewhere(notice: Notice, account: ProviderAccount) -> None:
    """A payment is asked for elsewhere only after a definite refusal: money of the first account is for people."""
    is_money = notice.outcome and notice.outcome.answered in (PaymentResult.AUTHORIZED, PaymentResult.DONE)
    if is_money and notice.about == PaymentAction.PAY and Payment.objects.filter(pk=notice.object_id).exists():
        log.critical("payment.told_elsewhere", payment=notice.object_id, account=account.pk)


@register(CARD)
def hear_of_card(notice: Notice, account: ProviderAccount) -> bool:
    """Looks a saved card up, or saves that of the payment which the notice names."""
    token = notice.object_id.removeprefix(f"{CARD}_")
    if look_up(account, token, is_new="payment" in notice.details):
        return True
    wanted = Payment.objects.select_related("merchant__company", "account")
    found = wanted.filter(pk=notice.details.get("payment"), account=account).first()
    if found is None:
        return False
    with in_cell_of(found.merchant):
        retry_on_deadlock(partial(_save_card, found.merchant, found.pk, token))
    return True


@transaction.atomic
def _save_card(merchant: Merchant, payment_id: str, token: str) -> None:
    payment = lock(merchant, payment_id)
    saved.told(payment, token, clock.now(merchant))
    save(payment)


@transaction.atomic
def _begin(merchant: Merchant, payment_id: str) -> Callable[[], Payment] | None:
    """What to ask after the commit. None: a process is asking, and it is asked again afterwards."""
    payment, now = lock(merchant, payment_id), clock.now(merchant)
    if payment.status not in UNDECIDED:
        return partial(ask_and_take, merchant, look(payment))
    if is_leased(payment):
        payment.ask_at = now
        save(payment)
        return None
    return partial(ask_and_take, merchant, prepare(payment, now))


@transaction.atomic
def _look_again(merchant: Merchant, payment_id: str) -> None:
    """The institution's own records may lag behind its message."""
    payment, soon = lock(merchant, payment_id), clock.now(merchant) + LOOKED_AGAIN_AFTER
    if payment.status in UNDECIDED and payment.ask_at and payment.ask_at > soon:
        payment.ask_at = soon
        save(payment)
