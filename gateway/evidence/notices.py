"""E-mails about evidence that is handed in by itself."""

from datetime import datetime
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.emails.topics import Topic
from accounts.notices import notify
from gateway.refunds.models import Refund
from gateway.refunds.notices import READERS
from ledger.notation import in_market


def announced(refund: Refund, at: datetime) -> None:
    """Nobody has answered yet: the pack is handed in at this time."""
    _notify(refund, _("evidence will be handed in for you"), "evidence_announced", at=at)


def handed_in(refund: Refund, *, has_draft: bool) -> None:
    _notify(refund, _("evidence was handed in for you"), "evidence_handed_in", has_draft=has_draft)


def not_handed_in(refund: Refund) -> None:
    """Whoever decides the dispute does not take the pack: people must answer."""
    _notify(refund, _("evidence could not be handed in for you"), "evidence_not_handed_in")


def late(refund: Refund) -> None:
    """Something of ours stands still: people can still answer themselves."""
    _notify(refund, _("answer a dispute now: the evidence was not handed in for you"), "evidence_late")


def missed(refund: Refund) -> None:
    """The deadline passed without it."""
    _notify(refund, _("evidence was not handed in in time"), "evidence_missed")


def _notify(refund: Refund, subject: Promise, template: str, **facts: Any) -> None:
    merchant = refund.merchant
    with in_market(merchant.company.country):
        notify(
            merchant.company,
            READERS,
            subject,
            template,
            "refund",
            args=(refund.pk,),
            environment=merchant.environment,
            topic=Topic.DISPUTES,
            amount=refund.amount,
            currency=refund.currency,
            reference=refund.payment.reference,
            due_at=refund.response_due_at,
            **facts,
        )
