"""What two people decide about settlements."""

from collections.abc import Iterable
from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts import audit
from accounts.audit import Actor
from accounts.proposals.kinds import Carried, ProposalKind, Values, register
from gateway.settlements import differences
from gateway.settlements.errors import DifferenceEnded, DifferenceUnknown
from gateway.settlements.models import SettlementDifference
from ledger.notation import plain_amount

State = SettlementDifference.State


@register
class AcceptDifference(ProposalKind):
    """No values. Nothing is booked: the note says what it was."""

    name = "settlement.accept"
    title = _("Accept the difference")
    permission = "gateway.change_settlementdifference"

    def hold(self, object_id: str) -> SettlementDifference:
        """Raises ONP404_SETTLEMENT_DIFFERENCE."""
        locked = SettlementDifference.objects.select_for_update(no_key=True, of=("self",))
        found = locked.select_related("account", "merchant__company", "line").filter(pk=object_id).first()
        if found is None:
            raise DifferenceUnknown
        return found

    def before(self, record: SettlementDifference) -> dict[str, Any]:
        return {"state": record.state}

    def company_ids(self, record: SettlementDifference) -> Iterable[str]:
        return [record.merchant.company_id] if record.merchant else []

    def require(self, record: SettlementDifference, values: Values) -> None:
        """Raises ONP409_SETTLEMENT_DIFFERENCE."""
        if record.state != State.OPEN:
            raise DifferenceEnded

    def sentence(self, record: SettlementDifference, values: Values) -> str:
        return gettext(
            "It leaves the queue with the note. Nothing is booked, and no company sees it. This cannot be undone."
        )

    def lines(self, record: SettlementDifference, values: Values) -> list[tuple[str, str]]:
        return [
            (gettext("Cause"), record.get_cause_display()),
            (gettext("Amount"), plain_amount(record.amount, record.currency)),
            (gettext("Account"), str(record.account)),
            (gettext("About"), record.object_id or str(record.line)),
        ]

    def carry_out(self, record: SettlementDifference, values: Values, *, by: Actor, note: str) -> Carried:
        before = self.before(record)
        ended = differences.accept(record, note)
        audit.record(
            by,
            self.name,
            object_id=ended.pk,
            before=before,
            after=self.before(ended),
            note=note,
            by_staff=True,
        )
        return Carried(ended, gettext("%(id)s is accepted.") % {"id": ended.pk})
