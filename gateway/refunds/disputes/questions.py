"""Calls to the acquirer of a dispute: made outside any transaction, under a lease, and applied afterwards."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial

import structlog
from celery.exceptions import SoftTimeLimitExceeded
from django.db import transaction
from django.utils.translation import gettext_noop

from accounts.base.clock import utcnow
from accounts.base.rows import retry_on_deadlock
from accounts.cells import where_it_lives_now
from gateway.providers import selectors as providers
from gateway.providers.asking import LEASE, keep_unclear, lease, settle_outcome
from gateway.providers.disputes import FINAL, DisputeState
from gateway.providers.errors import AnswerRefused, CallFailed, Unclear
from gateway.refunds.disputes.answers import answer_of
from gateway.refunds.disputes.hearing import apply, hold, try_again
from gateway.refunds.disputes.models import Dispute
from gateway.refunds.disputes.settling import MARGIN
from gateway.refunds.models import Response

log = structlog.get_logger()
NOT_TAKEN = "The acquirer did not take the company's answer: {reason}"
LATE = gettext_noop("The company's answer has not reached the acquirer, and its deadline is near.")


@dataclass(frozen=True, slots=True)
class Asked:
    """An answer that is being handed on, and the lease during which no other process does so."""

    dispute: Dispute
    leased_until: datetime


def look(dispute: Dispute, _due_at: datetime) -> Callable[[], object] | None:
    """Hands the company's answer on, after the transaction, or applies once more what did not fit.

    A dispute that is over takes no answer.
    """
    dispute.ask_at = utcnow() + LEASE
    if dispute.answer is None or dispute.answered_at or dispute.state in FINAL:
        dispute.save()
        return partial(retry_on_deadlock, partial(try_again, dispute.pk))
    asked = Asked(dispute, lease(dispute))
    dispute.save()
    return partial(_hand_on, asked)


def _hand_on(asked: Asked) -> None:
    failed: CallFailed | None = None
    try:
        _put(asked.dispute)
    except CallFailed as error:
        failed = error
        log.warning("dispute.answer_not_taken", dispute=asked.dispute.pk, reason=error.reason)
    except SoftTimeLimitExceeded:  # its lease runs out, and it is handed on again
        raise
    except Exception:
        log.exception("dispute.answer_broke", dispute=asked.dispute.pk)
        failed = Unclear("an error of ours")
    assert asked.dispute.merchant, "a company has answered it"
    where_it_lives_now(asked.dispute.merchant, partial(_take, asked, failed))


def _put(dispute: Dispute) -> None:
    assert dispute.account and dispute.answer
    at_acquirer = providers.disputes(dispute.account)
    assert at_acquirer
    answer = answer_of(dispute)
    if dispute.answer.answer == Response.Answer.ACCEPT:
        at_acquirer.accept(answer)
    else:
        at_acquirer.contest(answer)


@transaction.atomic
def _take(asked: Asked, failed: CallFailed | None) -> None:
    """A late answer, after a newer call or another answer of the company, changes nothing."""
    dispute = hold(asked.dispute.pk)
    if dispute.leased_until != asked.leased_until or dispute.answer_id != asked.dispute.answer_id:
        return
    dispute.leased_until, now = None, utcnow()
    if failed is None:
        _taken(dispute, now)
    elif isinstance(failed, AnswerRefused):
        _refused(dispute, failed)
    else:
        _unclear(dispute, now)


def _taken(dispute: Dispute, now: datetime) -> None:
    """Given up is lost; contested, the card's bank decides."""
    assert dispute.answer
    settle_outcome(dispute)
    dispute.answered_at, dispute.ask_at = now, None
    accepted = dispute.answer.answer == Response.Answer.ACCEPT
    if dispute.state == DisputeState.OPEN or accepted:
        dispute.state = DisputeState.LOST if accepted else DisputeState.DECIDING
    apply(dispute)


def _refused(dispute: Dispute, failed: CallFailed) -> None:
    """Staff answer it at the acquirer; giving up needs no answer."""
    assert dispute.answer
    settle_outcome(dispute)
    dispute.ask_at = None
    if dispute.answer.answer == Response.Answer.CONTEST:
        dispute.problem = NOT_TAKEN.format(reason=failed.reason)[:255]
        log.critical("dispute.answer_refused", dispute=dispute.pk, reason=failed.reason)
    dispute.save()


def _unclear(dispute: Dispute, now: datetime) -> None:
    """It is handed on again under the same id. In time before the acquirer's deadline people are called."""
    keep_unclear(dispute, now)
    dispute.certain_by = dispute.due_at or dispute.certain_by
    if dispute.due_at and now > dispute.due_at - MARGIN / 2:
        dispute.problem = LATE
        log.critical("dispute.answer_late", dispute=dispute.pk, due_at=dispute.due_at)
    dispute.save()
