"""Labels of forecasts, and of what is still to be decided."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from gateway.forecasts.available import Cause
from gateway.forecasts.uncertain import Outcome

FORECAST: dict[str, Promise] = {
    Cause.ADVANCE: _("Advance"),
    Cause.RELEASES: _("Releases"),
    Cause.RESERVE_ENDS: _("Rolling reserve released"),
    Cause.RESERVE: _("Held as rolling reserve"),
    Cause.OWED: _("Taken for refunds that lack money"),
    Cause.PAYOUTS: _("Scheduled payouts"),
}

UNCERTAIN: dict[str, tuple[Promise, Promise]] = {
    Outcome.DISPUTE: (
        _("Dispute to answer"),
        _("Held. Without your answer before the deadline it goes back to the payer."),
    ),
    Outcome.REVIEW: (_("Dispute under review"), _("Held. It becomes available if you win.")),
    Outcome.APPROVAL: (
        _("Withdrawal to approve"),
        _("Held. It becomes available again if nobody approves it in time."),
    ),
    Outcome.WITHDRAWAL: (_("Withdrawal in progress"), _("Held. It becomes available again only if it fails.")),
    Outcome.HOLD: (_("Held by our staff"), _("Held until staff lift it.")),
    Outcome.ADVANCE: (_("Advance under review"), _("Becomes available if the advance is approved.")),
}
"""What it is, and what may become of the money."""
