"""Companies whose webhooks fail."""

from django.utils.translation import gettext as _

from gateway.staff.kit.columns import address, link
from gateway.staff.overview.panels import BAD, GOOD, WATCH, Panel, PanelTable, instant
from webhooks.models import Endpoint
from webhooks.notices import WARNED_AFTER
from webhooks.selectors import failing

SHOWN = 10


def panel() -> Panel:
    """The longest failing ones; owners were notified after a day."""
    rows = list(failing()[: SHOWN + 1])
    table = PanelTable(
        [_("Endpoint"), _("Company"), _("Failing since"), _("Consecutive failures"), _("Paused until")],
        [
            [link(one), link(one.merchant), instant(one.failing_since), f"{one.failures:,}", instant(one.open_until)]
            for one in rows[:SHOWN]
        ],
    )
    count = _("%(n)s or more") % {"n": SHOWN} if len(rows) > SHOWN else str(len(rows))
    is_warned = any(one.warned_at for one in rows)
    return Panel(
        _("Failing endpoints"),
        (table,) if rows else (),
        _("%(n)s failing") % {"n": count} if rows else _("None"),
        (BAD if is_warned else WATCH) if rows else GOOD,
        note=_note() if is_warned else "",
        leads=(_("All endpoints"), address(Endpoint, "changelist")),
    )


def _note() -> str:
    return _("At least one endpoint has been failing for %(n)s hours.") % {"n": WARNED_AFTER.days * 24}
