"""Holds, row by row: status, possible actions, and owner."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from django.db.models import Max
from django.utils import formats, timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from accounts.models import Merchant
from gateway.dashboard.balance.words import REASON
from gateway.payments.models import Payment
from gateway.refunds.models import Refund, Status
from gateway.withdrawals.models import Withdrawal
from ledger.holds.models import Hold, Reason

BY_ORDER = (Reason.COMPLIANCE, Reason.LEGAL_ORDER)


class HoldRow(NamedTuple):
    """`until` None: unknown; `name` is the company's own name of its `owner`, a refund or a withdrawal."""

    hold: Hold
    title: str | Promise
    sentence: str | Promise
    until: datetime | None
    is_by_order: bool
    name: str
    owner: str | None


def hold_rows(merchant: Merchant, holds: Sequence[Hold]) -> list[HoldRow]:
    """In the order of the holds, with a constant number of queries."""
    refunds = Refund.objects.filter(merchant=merchant, pk__in={hold.refund_id for hold in holds if hold.refund_id})
    asked = {
        refund.pk: refund
        for refund in refunds.select_related("payment").annotate(answered=Max("responses__created_at"))
    }
    sent = Withdrawal.objects.filter(
        merchant=merchant, pk__in={hold.withdrawal_id for hold in holds if hold.withdrawal_id}
    )
    reserved = {hold.payment_id for hold in holds if hold.reason == Reason.ROLLING_RESERVE and hold.payment_id}
    paid = Payment.objects.filter(merchant=merchant, pk__in=reserved) if reserved else Payment.objects.none()
    names = (
        dict(sent.values_list("pk", "reference"))
        | dict(paid.values_list("pk", "reference"))
        | {one.pk: one.payment.reference for one in asked.values()}
    )
    return [_block(hold, asked.get(hold.refund_id or ""), names) for hold in holds]


def _block(hold: Hold, refund: Refund | None, names: dict[str, str]) -> HoldRow:
    title: str | Promise
    sentence: str | Promise
    title, sentence = REASON[hold.reason]
    owner, until = hold.refund_id or hold.withdrawal_id or hold.payment_id, hold.expected_release_at
    if refund and refund.status == Status.UNDER_REVIEW:
        sentence, until = _under_review(getattr(refund, "answered", None) or refund.updated_at), None
    return HoldRow(hold, title, sentence, until, hold.reason in BY_ORDER, names.get(owner or "", ""), owner)


def _under_review(since: datetime) -> str:
    when = formats.date_format(timezone.localtime(since), "SHORT_DATETIME_FORMAT")
    return _("Under review since %(when)s: we have your answer, and no action is needed until it is decided.") % {
        "when": when
    }
