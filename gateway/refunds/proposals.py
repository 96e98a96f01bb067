"""Staff decide the result of a refund at the provider: in production two people."""

from collections.abc import Iterable
from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts import audit
from accounts.audit import Actor
from accounts.base import clock
from accounts.models import Environment
from accounts.proposals.kinds import Carried, ProposalKind, Values, register
from gateway.payments.manual import is_manual
from gateway.providers.asking import is_leased, is_overdue
from gateway.refunds import services as refunds
from gateway.refunds.disputes.models import Dispute
from gateway.refunds.errors import RefundState, RefundUnknown
from gateway.refunds.lifecycle import REFUND_LIFE, RefundAction
from gateway.refunds.models import Refund
from ledger.notation import plain_amount

IN_WORDS = {
    RefundAction.DONE: (
        _("Refunded"),
        _("The provider returned %(amount)s to the payer. %(blocked)s leaves the company's wallet for good."),
    ),
    RefundAction.DECLINED: (
        _("Declined by the provider"),
        _("The provider did not return %(amount)s. The held %(blocked)s goes back to the company."),
    ),
    RefundAction.FOR_PAYER: (
        _("Accepted"),
        _(
            "The MED claim of %(amount)s is accepted: what is held by the end of the return window is "
            "returned to the payer."
        ),
    ),
    RefundAction.FOR_COMPANY: (
        _("Refused"),
        _("The MED claim of %(amount)s is refused. The held %(blocked)s becomes available to the company immediately."),
    ),
    RefundAction.WITHDRAW: (
        _("Withdrawn by the payer's institution"),
        _(
            "The MED claim of %(amount)s is withdrawn. The held %(blocked)s becomes available to the company "
            "immediately."
        ),
    ),
    RefundAction.TAKEN_BACK: (
        _("Lost"),
        _(
            "The acquirer's statement says that it has taken %(amount)s for good. %(blocked)s leaves the company's "
            "wallet, and what it lacks is owed."
        ),
    ),
    RefundAction.WON: (
        _("Won"),
        _("The acquirer's statement says that the company keeps %(amount)s. The held %(blocked)s goes back to it."),
    ),
}
AUDITED_AS = {
    RefundAction.DONE: "carried_out",
    RefundAction.DECLINED: "declined",
    RefundAction.FOR_PAYER: "for_payer",
    RefundAction.FOR_COMPANY: "for_company",
    RefundAction.WITHDRAW: "withdrawn",
    RefundAction.TAKEN_BACK: "taken_back",
    RefundAction.WON: "won",
}


@register
class RefundOutcome(ProposalKind):
    """Values: `asked`, "done" or "declined"; of a chargeback "taken back" or "won"."""

    name = "refund.outcome"
    title = _("Record the outcome of a refund")
    permission = "gateway.settle_refund"

    def hold(self, object_id: str) -> Refund:
        """Raises ONP404_REFUND."""
        known = Refund.objects.select_related("merchant__company").filter(pk=object_id).first()
        if known is None:
            raise RefundUnknown
        return refunds.lock(known.merchant, known.pk)

    def before(self, record: Refund) -> dict[str, Any]:
        return {"status": record.status, "blocked": record.blocked}

    def company_ids(self, record: Refund) -> Iterable[str]:
        return [record.merchant.company_id]

    def people_ids(self, record: Refund) -> Iterable[int]:
        """The person who opened it for the payer."""
        return [record.opened_by_id] if record.opened_by_id else []

    def takes_two(self, record: Refund, values: Values) -> bool:
        """Only in production, where money is real."""
        return record.merchant.environment == Environment.PRODUCTION

    def require(self, record: Refund, values: Values) -> None:
        """Raises ONP409_REFUND_STATE."""
        if not may_be(RefundAction(values["asked"]), record):
            raise RefundState

    def sentence(self, record: Refund, values: Values) -> str:
        text = IN_WORDS[RefundAction(values["asked"])][1] % {
            "amount": plain_amount(record.amount, record.currency),
            "blocked": plain_amount(record.blocked, record.wallet_currency),
        }
        return " ".join((text, gettext("This cannot be undone.")))

    def lines(self, record: Refund, values: Values) -> list[tuple[str, str]]:
        return [(gettext("Outcome"), str(IN_WORDS[RefundAction(values["asked"])][0]))]

    def carry_out(self, record: Refund, values: Values, *, by: Actor, note: str) -> Carried:
        before = self.before(record)
        decided = refunds.decide(record.merchant, record.pk, RefundAction(values["asked"]), by=by.user, note=note)
        audit.record(
            by,
            f"refund.{AUDITED_AS[RefundAction(values['asked'])]}",
            merchant=decided.merchant,
            object_id=decided.pk,
            before=before,
            after=self.before(decided),
            note=note,
            by_staff=True,
        )
        return Carried(
            decided,
            gettext("%(id)s is %(status)s.") % {"id": decided.pk, "status": decided.get_status_display().lower()},
        )


@register
class ClaimDecision(RefundOutcome):
    """Values: `asked`, "for payer", "for company" or "withdraw"."""

    name = "refund.claim"
    title = _("Decide a MED claim")
    permission = "gateway.change_refund"

    def before(self, record: Refund) -> dict[str, Any]:
        """Not what is held: that grows while money comes in."""
        return {"status": record.status}


OUTSIDE = (RefundAction.DONE, RefundAction.DECLINED)
"""The provider's answers. In the sandbox the simulator answers."""
OF_CHARGEBACKS = (RefundAction.TAKEN_BACK, RefundAction.WON)
"""What an acquirer decides. Staff record it from its statement, if it does not tell."""
OF_STAFF = (RefundAction.FOR_PAYER, RefundAction.FOR_COMPANY, RefundAction.WITHDRAW)


def awaits_staff(refund: Refund) -> bool:
    """Whether staff say what became of it: no provider carries it out, or its answer is unclear past its deadline."""
    if refund.account is None or is_manual(refund.account):
        return True
    return is_overdue(refund, clock.now(refund.merchant)) and not is_leased(refund)


def may_be(asked: RefundAction, refund: Refund) -> bool:
    """Whether staff can decide this in the refund's current status."""
    if refund.is_chargeback != (asked in OF_CHARGEBACKS):
        return False
    if asked in OF_STAFF and Dispute.objects.filter(refund=refund).exists():  # an inquiry: the card's bank decides
        return False
    if asked in OUTSIDE and refund.merchant.environment != Environment.PRODUCTION:
        return False
    if asked in OUTSIDE and (not awaits_staff(refund) or (asked == RefundAction.DONE and refund.shortfall)):
        return False
    try:
        REFUND_LIFE.transition(asked, refund.status)
    except RefundState:
        return False
    return True
