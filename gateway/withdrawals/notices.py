"""E-mails about withdrawals: new destinations immediately, the rest in a daily summary."""

import json
from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q
from django.utils.crypto import salted_hmac
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.base.clock import utcnow
from accounts.emails.topics import Topic
from accounts.models import Merchant
from accounts.notices import is_notified, notify
from accounts.roles import Role
from gateway.withdrawals.models import ApprovalState, Status, Withdrawal
from ledger.notation import in_market

READERS = (Role.OWNER, Role.FINANCE)
SUMMED_UP_AT = 10
"""The hour, in UTC, from which a day's summary is sent: the morning in Latin America."""
LISTED = 50
"""More withdrawals of a day are counted, not listed."""


def fingerprint(merchant: Merchant, destination: Mapping[str, str]) -> bytes:
    """The same for the same destination of a merchant; the destination cannot be derived from it."""
    identity = json.dumps([merchant.pk, dict(destination)], sort_keys=True)
    return salted_hmac("gateway.withdrawals.destination", identity, algorithm="sha256").digest()


def is_new(withdrawal: Withdrawal) -> bool:
    """Whether the destination was never used before. Of older withdrawals only the masked destination is known."""
    earlier = Withdrawal.objects.filter(merchant=withdrawal.merchant).exclude(status=Status.FAILED)
    same = Q(fingerprint=withdrawal.fingerprint) | Q(fingerprint=None, destination=withdrawal.destination)
    return not earlier.exclude(pk=withdrawal.pk).filter(same).exists()


def accepted(withdrawal: Withdrawal) -> None:
    """A new destination is reported immediately to everybody who can move money: with the rest of its file if it has
    one, with the question if it waits for approval. Others are in the summary.
    """
    if is_new(withdrawal):
        if not withdrawal.is_told_together and withdrawal.approval is None:
            _notify(withdrawal, _("a withdrawal to a new destination"), "withdrawal_new_destination", None)
    elif is_notified(withdrawal.merchant):
        Withdrawal.objects.filter(pk=withdrawal.pk).update(is_to_sum_up=True)


def came_back(withdrawal: Withdrawal) -> None:
    """Notifies that a withdrawal failed, or that the bank returned it. If it was not approved, that is said instead."""
    is_said = withdrawal.approval in (ApprovalState.REJECTED, ApprovalState.EXPIRED)
    if not is_said:
        _notify(withdrawal, _("a withdrawal did not arrive"), "withdrawal_came_back", Topic.RETURNED)


def _notify(withdrawal: Withdrawal, subject: Promise, template: str, topic: Topic | None) -> None:
    merchant = withdrawal.merchant
    with in_market(merchant.company.country):
        notify(
            merchant.company,
            READERS,
            subject,
            template,
            "withdrawal",
            args=(withdrawal.id,),
            environment=merchant.environment,
            topic=topic,
            withdrawal=withdrawal,
        )


def sum_up(limit: int = 100) -> int:
    """Writes the summaries that are due, each with the withdrawals up to this morning; returns the number of
    companies.
    """
    until = _last_summary_time(utcnow())
    due = Withdrawal.objects.filter(is_to_sum_up=True, created_at__lt=until)
    merchants = due.order_by("merchant").values_list("merchant", flat=True).distinct()[:limit]
    return sum(_summed_up(merchant_id, until) for merchant_id in list(merchants))


def _last_summary_time(now: datetime) -> datetime:
    today = now.replace(hour=SUMMED_UP_AT, minute=0, second=0, microsecond=0)
    return today if today <= now else today - timedelta(days=1)


@transaction.atomic
def _summed_up(merchant_id: int, until: datetime) -> bool:
    held = Withdrawal.objects.select_for_update(no_key=True, skip_locked=True, of=("self",))
    due = held.filter(merchant=merchant_id, is_to_sum_up=True, created_at__lt=until)
    found = list(due.select_related("merchant__company").defer("sealed_destination").order_by("created_at", "id"))
    if not found:
        return False
    Withdrawal.objects.filter(pk__in=[one.pk for one in found]).update(is_to_sum_up=False)
    totals: dict[str, int] = defaultdict(int)
    for one in found:
        totals[one.currency] += one.total
    merchant = found[0].merchant
    with in_market(merchant.company.country):
        notify(
            merchant.company,
            READERS,
            _("the withdrawals of a day"),
            "withdrawals_of_a_day",
            "withdrawals",
            environment=merchant.environment,
            topic=Topic.WITHDRAWALS,
            withdrawals=found[:LISTED],
            count=len(found),
            unlisted=max(0, len(found) - LISTED),
            totals=sorted(totals.items()),
        )
    return True
