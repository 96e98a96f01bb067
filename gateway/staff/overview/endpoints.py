"""Companies whose webhooks fail."""

from gateway.staff.kit.columns import address, link
from gateway.staff.overview.panels import BAD, GOOD, WATCH, Panel, Table, instant
from webhooks.models import Endpoint
from webhooks.notices import WARNED_AFTER
from webhooks.selectors import failing

SHOWN = 10


def panel() -> Panel:
    """The longest failing ones; owners were notified after a day."""
    rows = list(failing()[: SHOWN + 1])
    table = Table(
        ["Endpoint", "Company", "Failing since", "Failures in a row", "Left alone until"],
        [
            [link(one), link(one.merchant), instant(one.failing_since), f"{one.failures:,}", instant(one.open_until)]
            for one in rows[:SHOWN]
        ],
    )
    count = f"{SHOWN} or more" if len(rows) > SHOWN else str(len(rows))
    told = any(one.warned_at for one in rows)
    return Panel(
        "Failing endpoints",
        (table,) if rows else (),
        f"{count} failing" if rows else "None",
        (BAD if told else WATCH) if rows else GOOD,
        note=f"Red: one of them has failed for {WARNED_AFTER.days * 24} hours." if told else "",
        leads=("All endpoints", address(Endpoint, "changelist")),
    )
