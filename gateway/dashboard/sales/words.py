"""What the numbers of declines say, in sentences."""

from collections.abc import Iterator
from decimal import Decimal

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from gateway.dashboard.sales.tables import Outcome, Reason
from gateway.dashboard.words import METHOD
from ledger.notation import counted, per_cent

NOTICEABLE = Decimal(3)
"""A change by as many percentage points is mentioned."""
ENOUGH = 20
"""Only if as many payments were decided in both periods."""


def sentences(cards: list[Outcome], reasons: list[Reason]) -> Iterator[str]:
    """How many card payments were declined and why, and where acceptance changed noticeably."""
    declined, decided = sum(one.now.declined for one in cards), sum(one.now.decided for one in cards)
    most = next((one for one in reasons if one.method in {card.method for card in cards}), None)
    if declined and most:
        yield ngettext(
            "%(declined)s of %(decided)s card payments was declined. The most frequent reason (%(count)s): %(reason)s",
            "%(declined)s of %(decided)s card payments were declined. The most frequent reason (%(count)s): %(reason)s",
            declined,
        ) % {
            "declined": counted(declined),
            "decided": counted(decided),
            "count": counted(most.count),
            "reason": most.sentence,
        }
    for one in cards:
        yield from _changed(one)


def _changed(one: Outcome) -> Iterator[str]:
    points, now, before = one.points, one.now.rate, one.before.rate
    if points is None or now is None or before is None or abs(points) < NOTICEABLE:
        return
    if min(one.now.decided, one.before.decided) < ENOUGH:
        return
    text = (
        _("%(method)s: acceptance rose from %(before)s to %(now)s.")
        if points > 0
        else _("%(method)s: acceptance fell from %(before)s to %(now)s.")
    )
    yield text % {"method": METHOD[one.method], "before": per_cent(before), "now": per_cent(now)}
