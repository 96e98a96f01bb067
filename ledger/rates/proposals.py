"""A rate of staff in place of the market's: one person enters it, a second confirms it, and it ends by itself."""

from collections.abc import Iterable
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from accounts import audit
from accounts.audit import Actor
from accounts.models import User
from accounts.proposals.kinds import Carried, ProposalKind, Values, register
from ledger.rates import services as rates
from ledger.rates.models import BASE
from ledger.rates.services import compared_with


@register
class StaffRate(ProposalKind):
    """Values: `per_real` and the validity in `minutes`, as text, and `entered_by`. The record is the currency."""

    name = "rate.far"
    title = _("Enter a rate")
    permission = "ledger.add_rate"

    def hold(self, object_id: str) -> str:
        return object_id

    def before(self, record: str) -> dict[str, Any]:
        """New rates are fetched all the time and do not invalidate a proposal."""
        return {}

    def company_ids(self, record: str) -> Iterable[str]:
        return ()

    def sentence(self, record: str, values: Values) -> str:
        known = "; ".join(str(rate) for rate in compared_with(record)) or gettext("none")
        is_far = rates.is_far(record, Decimal(values["per_real"]))
        return " ".join(
            (
                gettext("Production conversions use it immediately."),
                *([gettext("It is far from the known rates.")] if is_far else []),
                gettext("Known rates for comparison: %(rates)s.") % {"rates": known},
            )
        )

    def lines(self, record: str, values: Values) -> list[tuple[str, str]]:
        minutes = int(values["minutes"])
        valid_for = ngettext("%(n)s minute", "%(n)s minutes", minutes) % {"n": minutes}
        return [
            (gettext("1 %(currency)s is worth") % {"currency": BASE}, f"{values['per_real']} {record}"),
            (gettext("Valid for"), valid_for),
        ]

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
        return Carried(entered, gettext("%(rate)s is now used.") % {"rate": entered})
