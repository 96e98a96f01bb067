"""A rate of staff in place of the market's: one person enters it, a second confirms it, and it ends by itself."""

from collections.abc import Iterable
from datetime import timedelta
from decimal import Decimal
from typing import Any

from accounts import audit
from accounts.audit import Actor
from accounts.models import User
from accounts.proposals.kinds import Carried, ProposalKind, Values, register
from ledger.rates import services as rates
from ledger.rates.services import compared_with


@register
class StaffRate(ProposalKind):
    """Values: `per_real` and the validity in `minutes`, as text, and `entered_by`. The record is the currency."""

    name = "rate.far"
    title = "Enter a rate"
    permission = "ledger.add_rate"

    def hold(self, object_id: str) -> str:
        return object_id

    def before(self, record: str) -> dict[str, Any]:
        """New rates are fetched all the time and do not invalidate a proposal."""
        return {}

    def company_ids(self, record: str) -> Iterable[str]:
        return ()

    def sentence(self, record: str, values: Values) -> str:
        known = "; ".join(str(rate) for rate in compared_with(record)) or "none"
        far = " It is far from the known rates." if rates.is_far(record, Decimal(values["per_real"])) else ""
        return f"Production conversions use it immediately.{far} Known rates for comparison: {known}."

    def lines(self, record: str, values: Values) -> list[tuple[str, str]]:
        return [("1 BRL is worth", f"{values['per_real']} {record}"), ("Valid for", f"{values['minutes']} minutes")]

    def carry_out(self, record: str, values: Values, *, by: Actor, note: str) -> Carried:
        entered = rates.enter(
            record,
            Decimal(values["per_real"]),
            timedelta(minutes=int(values["minutes"])),
            User.objects.get(pk=values["entered_by"]),
            note,
            confirmed=True,
        )
        after = {"currency": record, "per_real": values["per_real"], "minutes": values["minutes"]}
        audit.record(by, "rate.entered", object_id=str(entered.pk), after=after, note=note, by_staff=True)
        return Carried(entered, f"{entered} is now used.")
