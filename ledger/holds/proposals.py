"""Staff set a company's rolling reserve, or release what is held of it: two people."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from accounts import audit
from accounts.audit import Actor
from accounts.base import clock
from accounts.models import Merchant
from accounts.notices import is_notified, notify_owners
from accounts.proposals.kinds import Carried, ProposalKind, Values, register
from ledger.holds import reserves


class _OfReserve(ProposalKind):
    """The record is the company's merchant."""

    permission = "ledger.change_hold"

    def hold(self, object_id: str) -> Merchant:
        return Merchant.objects.select_for_update(of=("self",), no_key=True).select_related("company").get(pk=object_id)

    def name_of(self, object_id: str) -> str:
        return Merchant.objects.get(pk=object_id).company_id

    def before(self, record: Merchant) -> dict[str, Any]:
        return {"percentage": str(record.reserve_percentage), "days": record.reserve_days}

    def company_ids(self, record: Merchant) -> Iterable[str]:
        return [record.company_id]


@register
class ReserveChange(_OfReserve):
    """Values: `percentage` as text ("0": no reserve) and `days`."""

    name = "reserve.change"
    title = _("Change the rolling reserve")

    def sentence(self, record: Merchant, values: Values) -> str:
        return gettext(
            "This share of the net of each payment is held for these days from the moment it is available. "
            "What is held already keeps its end."
        )

    def lines(self, record: Merchant, values: Values) -> list[tuple[str, str]]:
        if not Decimal(values["percentage"]):
            return [(gettext("Reserve"), gettext("None for payments from now on"))]
        days = int(values["days"])
        return [
            (gettext("Share of the net"), f"{values['percentage']} %"),
            (gettext("Held for"), ngettext("%(n)s day", "%(n)s days", days) % {"n": days}),
        ]

    def carry_out(self, record: Merchant, values: Values, *, by: Actor, note: str) -> Carried:
        before = self.before(record)
        record.reserve_percentage, record.reserve_days = Decimal(values["percentage"]), int(values["days"])
        record.save(update_fields=["reserve_percentage", "reserve_days"])
        after = self.before(record)
        audit.record(by, "reserve.changed", merchant=record, before=before, after=after, note=note, by_staff=True)
        if is_notified(record):
            about = f"{record}: {values['percentage']} %, {values['days']} d"
            subject = _("support changed the rolling reserve")
            notify_owners(record.company, subject, "by_support", "settings", what="settings", about=about)
        return Carried(record, gettext("The rolling reserve was changed."))


@register
class ReserveRelease(_OfReserve):
    """No values: everything that is held of the reserve."""

    name = "reserve.release"
    title = _("Release the rolling reserve")

    def sentence(self, record: Merchant, values: Values) -> str:
        return gettext(
            "All that is held as a rolling reserve becomes available within a minute. The terms stay as they are."
        )

    def carry_out(self, record: Merchant, values: Values, *, by: Actor, note: str) -> Carried:
        count = reserves.release_all(record, clock.now(record))
        audit.record(by, "reserve.released", merchant=record, after={"holds": count}, note=note, by_staff=True)
        return Carried(record, gettext("Holds released: %(n)s.") % {"n": count})
