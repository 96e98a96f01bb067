"""Open decisions about money: advances by age, and refund answers by deadline."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.contrib import admin
from django.db.models import F, Model
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.base.clock import utcnow
from accounts.models import Environment
from gateway.refunds.models import Refund, Status
from gateway.staff.kit.columns import anchor, link
from gateway.staff.kit.names import label_of
from gateway.staff.kit.queues import Queue
from gateway.staff.overview.panels import ENVIRONMENTS, GOOD, WATCH, Panel, PanelTable, ago, amount, lines
from ledger.models import Advance

SHOWN = 10
DEADLINES = {"day": timedelta(days=1), "three_days": timedelta(days=3), "later": timedelta.max}
REVIEW = "review"
GROUPS = {
    "day": gettext_lazy("Within a day"),
    "three_days": gettext_lazy("Within three days"),
    "later": gettext_lazy("Later"),
    REVIEW: gettext_lazy("Answered, awaiting our decision"),
}


def advances() -> Panel:
    """Advances under review, oldest first."""
    waiting = Advance.objects.filter(state=Advance.State.UNDER_REVIEW).order_by("requested_at", "pk")
    rows = list(waiting.select_related("merchant__company").annotate(ahead=F("merchant__clock_offset"))[: SHOWN + 1])
    table = PanelTable(
        [_("Advance"), _("Company"), _("Requested"), _("Our fee"), _("Waiting")],
        [
            [link(one), link(one.merchant), amount(one.gross_amount, one.currency), amount(one.fee, one.currency),
             ago((utcnow() + one.ahead - one.requested_at).total_seconds())]
            for one in rows[:SHOWN]
        ],
    )  # fmt: skip
    count = _("%(n)s or more") % {"n": SHOWN} if len(rows) > SHOWN else str(len(rows))
    return Panel(
        _("Advances to review"),
        (table,) if rows else (),
        count if rows else _("None"),
        WATCH if rows else GOOD,
        leads=(_("All advances to review"), _queue(Advance, "decide").address(Advance)),
    )


def answers() -> Panel:
    """Refunds awaiting their company's answer, by deadline, and those awaiting ours, with amounts."""
    found: dict[tuple[str, str], list[tuple[str, int]]] = defaultdict(list)
    waiting = Refund.objects.filter(status__in=(Status.AWAITING_RESPONSE, Status.UNDER_REVIEW))
    real = waiting.annotate(due=F("response_due_at") - F("merchant__clock_offset"))
    for environment, status, due, currency, minor in real.values_list(
        "merchant__environment", "status", "due", "currency", "amount"
    ):
        found[environment, _group(status, due)].append((currency, minor))
    tables = tuple(
        PanelTable([_("Answer due"), _("Refunds"), _("Money")], list(_rows(environment, found)), label_of(environment))
        for environment in ENVIRONMENTS
        if any(where == environment for where, _ in found)
    )
    urgent = any(group == "day" for where, group in found if where == Environment.PRODUCTION)
    label = (_("Due within a day") if urgent else _("Open")) if found else _("None")
    return Panel(
        _("Refund answers"),
        tables,
        label,
        WATCH if found else GOOD,
        leads=(_("All refunds awaiting an answer"), _queue(Refund, "answer").address(Refund)),
    )


def _group(status: str, due: datetime | None) -> str:
    if status == Status.UNDER_REVIEW or due is None:
        return REVIEW
    left = due - utcnow()
    return next(group for group, most in DEADLINES.items() if left <= most)


def _rows(environment: Environment, found: dict[tuple[str, str], list[tuple[str, int]]]) -> Iterable[list[Any]]:
    for group, title in GROUPS.items():
        if refunds := found.get((environment, group)):
            sums: dict[str, int] = defaultdict(int)
            for currency, minor in refunds:
                sums[currency] += minor
            where = _queue(Refund, "decide" if group == REVIEW else "answer").address(Refund)
            count = anchor(f"{where}&merchant__environment__exact={environment}", f"{len(refunds):,}")
            yield [title, count, lines(amount(minor, currency) for currency, minor in sorted(sums.items()))]


def _queue(model: type[Model], name: str) -> Queue:
    queues: Iterable[Queue] = admin.site._registry[model].queues  # type: ignore[attr-defined]
    return next(queue for queue in queues if queue.name == name)
