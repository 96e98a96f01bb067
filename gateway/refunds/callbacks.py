"""What an institution tells about a refund, or about money it took back: it is queried, and the answer counts.

One that cannot be queried is believed: then what it tells is the answer.
"""

from functools import partial

import structlog
from django.db import transaction

from accounts.base import clock
from accounts.base.rows import retry_on_deadlock
from accounts.models import Merchant
from gateway.providers.asking import is_leased
from gateway.providers.errors import CallFailed
from gateway.providers.models import ProviderAccount
from gateway.providers.notices import register
from gateway.providers.provider import MONEY, Notice
from gateway.providers.returning import Question
from gateway.refunds import recovery
from gateway.refunds.models import Refund, Status
from gateway.refunds.questions import ask_and_take, believe, look, prepare
from gateway.refunds.services import lock

log = structlog.get_logger()


@register("ref")
def hear(notice: Notice, account: ProviderAccount) -> bool:
    """Queries the account about a refund under way, or completed; one that has ended otherwise, or was not sent there,
    stays as it is.
    """
    found = Refund.objects.select_related("merchant__company").filter(pk=notice.object_id, account=account).first()
    if found and notice.outcome:
        retry_on_deadlock(partial(believe, found.merchant, found.pk, notice.outcome))
        return True
    if found and found.status == Status.COMPLETED:
        look(found)
    if found is None or found.status != Status.PROCESSING or found.sent_at is None:
        return found is not None
    question = retry_on_deadlock(partial(_begin, found.merchant, found.pk))
    if question:
        ask_and_take(found.merchant, question)
    return True


@transaction.atomic
def _begin(merchant: Merchant, refund_id: str) -> Question | None:
    """None: it has ended, or a process is asking; then it is asked again afterwards."""
    refund, now = lock(merchant, refund_id), clock.now(merchant)
    if refund.status != Status.PROCESSING or refund.sent_at is None:
        return None
    if is_leased(refund):
        refund.ask_at = now
        refund.save(update_fields=["ask_at"])
        return None
    return prepare(refund, now)


@register(MONEY)
def hear_of_money(notice: Notice, account: ProviderAccount) -> bool:
    """Queries the account about money that it took back itself. What it does not answer now is found in its list."""
    money = notice.object_id.removeprefix(f"{MONEY}_")
    try:
        return recovery.ask(account, money)
    except CallFailed as failed:
        log.warning("refund.clawbacks_unknown", account=account.pk, money=money, reason=failed.reason)
        return True
