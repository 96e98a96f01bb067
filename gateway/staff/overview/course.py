"""Charts of companies' balances over the last days."""

from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal

from django.db.models import Max
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from gateway.staff.kit.names import label_of
from gateway.staff.overview.panels import ENVIRONMENTS, Picture, number
from ledger.chart import BUCKETS
from ledger.closings.models import ClosedBalance, ClosedDay

DAYS = 30
WIDTH, HEIGHT = 300, 80
Course = dict[date, dict[str, int]]


def pictures() -> tuple[Picture, ...]:
    """One per currency and environment, production first: from closed days only, so that rendering is cheap."""
    found: dict[tuple[str, str], Course] = {}
    last = ClosedDay.objects.aggregate(day=Max("day"))["day"] or date.min + timedelta(days=DAYS)
    for one in ClosedBalance.objects.filter(day__gt=last - timedelta(days=DAYS), bucket__in=BUCKETS):
        found.setdefault((one.environment, one.currency), {}).setdefault(one.day, {})[one.bucket] = one.amount
    return tuple(
        _picture(f"{label_of(environment)}, {currency}", currency, course)
        for environment in ENVIRONMENTS
        for (where, currency), course in sorted(found.items())
        if where == environment
    )


def _picture(title: str, currency: str, course: Course) -> Picture:
    days = sorted(course)
    totals = [sum(course[day].values()) for day in days]
    ends = {"first": number(totals[0], currency), "last": number(totals[-1], currency)}
    days_of_ends = {"first_day": days[0], "last_day": days[-1]}
    summary = _("from %(first)s on %(first_day)s to %(last)s on %(last_day)s") % (ends | days_of_ends)
    return Picture(
        title, summary, _svg([[course[day].get(kind, 0) for day in days] for kind in BUCKETS], title, summary)
    )


def _svg(series: Sequence[Sequence[int]], title: str, summary: str) -> SafeString:
    """The buckets as stacked areas."""
    top = max((sum(values) for values in zip(*series, strict=True)), default=0) or 1
    below = [0] * len(series[0])
    areas = []
    for kind, values in zip(BUCKETS, series, strict=True):
        above = [low + value for low, value in zip(below, values, strict=True)]
        edge = [*_points(above, top), *reversed(_points(below, top))]
        areas.append((kind.lower(), " ".join(edge)))
        below = above
    shapes = format_html_join("", '<polygon class="course-{}" points="{}"/>', areas)
    return format_html(
        '<svg class="staff-course" viewBox="0 0 {} {}" preserveAspectRatio="none" role="img" '
        'aria-label="{}: {}">{}</svg>',
        WIDTH, HEIGHT, title, summary, shapes,
    )  # fmt: skip


def _points(values: Sequence[int], top: int) -> list[str]:
    """A single day is drawn as a flat line."""
    held = values if len(values) > 1 else [*values, *values]
    step = Decimal(WIDTH) / (len(held) - 1)
    return [f"{n * step:.1f},{HEIGHT - HEIGHT * Decimal(value) / top:.1f}" for n, value in enumerate(held)]
