"""The books of all companies, and our earnings."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlencode

from django.db.models import BigIntegerField, Sum
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import Environment
from gateway.staff.kit.columns import address, anchor
from gateway.staff.kit.names import label_of
from gateway.staff.overview import course
from gateway.staff.overview.panels import ENVIRONMENTS, NONE, Panel, PanelTable, lines, number
from ledger.chart import BUCKETS, AccountKind
from ledger.models import Balance

EARNED = {
    AccountKind.FEE_INCOME: gettext_lazy("fees"),
    AccountKind.ADVANCE_INCOME: gettext_lazy("advances"),
    AccountKind.FX_SPREAD: gettext_lazy("spread"),
}
HEADERS = (
    gettext_lazy("Currency"),
    gettext_lazy("Available"),
    gettext_lazy("Releasing"),
    gettext_lazy("Blocked"),
    gettext_lazy("Total"),
    gettext_lazy("Our revenue"),
)


def panel() -> Panel:
    """By currency, with production and sandbox apart."""
    sums: dict[str, dict[str, dict[str, int]]] = defaultdict(lambda: defaultdict(dict))
    for environment, currency, kind, minor in _sums():
        sums[environment][currency][kind] = minor
    tables = (
        PanelTable(
            HEADERS,
            [_row(environment, currency, of) for currency, of in sorted(sums[environment].items())],
            _("%(environment)s: company balances") % {"environment": label_of(environment)},
        )
        for environment in ENVIRONMENTS
        if sums[environment]
    )
    pictures = course.pictures()
    return Panel(_("Money"), tuple(tables), note=_note(bool(sums), bool(pictures)), pictures=pictures)


def _sums() -> Iterable[tuple[str, str, str, int]]:
    held = Balance.objects.exclude(amount=0).filter(account__kind__in=[*BUCKETS, *EARNED])
    by = ("account__merchant__environment", "account__currency", "account__kind")
    minor = Sum("amount", output_field=BigIntegerField())
    sums: Iterable[Any] = held.order_by().values(*by).annotate(minor=minor).values_list(*by, "minor")
    return sums


def _note(has_moved: bool, has_course: bool) -> str:
    if not has_moved:
        return _("No money has moved yet.")
    return "" if has_course else _("A chart of the last 30 days appears here as soon as the first day is closed.")


def _row(environment: Environment, currency: str, of: Mapping[str, int]) -> list[object]:
    """Each amount links to the balances it sums up."""
    buckets = [_linked(environment, currency, kind, of.get(kind, 0)) for kind in BUCKETS]
    together = number(sum(of.get(kind, 0) for kind in BUCKETS), currency)
    earned = lines(f"{number(of[kind], currency)} {title}" for kind, title in EARNED.items() if kind in of)
    return [currency, *buckets, together, earned]


def _linked(environment: Environment, currency: str, kind: str, minor: int) -> Any:
    filters = {
        "account__kind__exact": kind,
        "account__currency": currency,
        "account__merchant__environment__exact": environment.value,
    }
    return anchor(f"{address(Balance, 'changelist')}?{urlencode(filters)}", number(minor, currency)) if minor else NONE
