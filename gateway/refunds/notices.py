"""E-mails about payers' refund requests."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.emails.topics import Topic
from accounts.notices import notify
from accounts.roles import Role
from gateway.refunds.models import Refund
from ledger.notation import in_market

READERS = (Role.OWNER, Role.FINANCE, Role.SUPPORT)
"""Members who can answer."""


def opened(refund: Refund) -> None:
    """A payer requests a refund, and the company must answer by the deadline."""
    _notify(refund, _("a payer asks for money back"), "dispute_opened")


def due_soon(refund: Refund) -> None:
    """Reminds that nobody has answered yet and the deadline is near."""
    _notify(refund, _("an answer to a payer is due"), "dispute_due")


def lapsed(refund: Refund) -> None:
    """The deadline passed and nobody had answered."""
    _notify(refund, _("nobody answered a payer in time"), "dispute_lapsed")


def taken_back(refund: Refund) -> None:
    """The bank has taken money back through MED or a dispute, and nobody could answer."""
    subject = _("a bank took a payment back through MED") if refund.is_med else _("a card's bank took a payment back")
    _notify(refund, subject, "taken_back")


def _notify(refund: Refund, subject: Promise, template: str) -> None:
    merchant = refund.merchant
    with in_market(merchant.company.country):
        notify(
            merchant.company,
            READERS,
            subject,
            template,
            "refund",
            args=(refund.id,),
            environment=merchant.environment,
            topic=Topic.DISPUTES,
            amount=refund.amount,
            currency=refund.currency,
            reason=refund.reason_code,
            reference=refund.payment.reference,
            due_at=refund.response_due_at,
            takes_answer=bool(refund.response_due_at and refund.response_due_at > refund.created_at),
            is_med=refund.is_med,
            analysis_due_at=refund.analysis_due_at,
            return_due_at=refund.return_due_at,
            owed=refund.owed,
        )
