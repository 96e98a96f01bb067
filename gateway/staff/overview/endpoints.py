"""Companies whose webhooks fail."""

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
        ["Endpoint", "Company", "Failing since", "Consecutive failures", "Paused until"],
        [
            [link(one), link(one.merchant), instant(one.failing_since), f"{one.failures:,}", instant(one.open_until)]
            for one in rows[:SHOWN]
        ],
    )
    count = f"{SHOWN} or more" if len(rows) > SHOWN else str(len(rows))
    is_warned = any(one.warned_at for one in rows)
    return Panel(
        "Failing endpoints",
        (table,) if rows else (),
        f"{count} failing" if rows else "None",
        (BAD if is_warned else WATCH) if rows else GOOD,
        note=f"At least one endpoint has been failing for {WARNED_AFTER.days * 24} hours." if is_warned else "",
        leads=("All endpoints", address(Endpoint, "changelist")),
    )
