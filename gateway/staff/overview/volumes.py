"""Volumes of payments and payouts, and the acceptance rate."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from accounts.base.clock import utcnow
from accounts.base.rows import quoted, table
from accounts.models import Merchant
from gateway.payments.models import Payment
from gateway.payments.models import Status as PaymentStatus
from gateway.staff.kit.names import label_of
from gateway.staff.overview.panels import ENVIRONMENTS, NONE, Panel, PanelTable, amount, lines, rows_of
from gateway.withdrawals.models import Status as WithdrawalStatus
from gateway.withdrawals.models import Withdrawal

SPANS = {1: gettext_lazy("Today"), 7: gettext_lazy("7 days"), 30: gettext_lazy("30 days")}
# Per merchant, so that an index-only scan answers; OFFSET 0 forces the planner to do so.
_PAID = quoted(PaymentStatus.PAID, PaymentStatus.REFUNDED)
_UNPAID = quoted(PaymentStatus.FAILED, PaymentStatus.EXPIRED)
_PAYMENTS = f"""
    SELECT m.environment, CASE WHEN p.created_at >= %(d1)s THEN 1 WHEN p.created_at >= %(d7)s THEN 7 ELSE 30 END,
           p.currency, count(*), count(*) FILTER (WHERE p.status IN ({_PAID})),
           count(*) FILTER (WHERE p.status IN ({_UNPAID})),
           coalesce(sum(p.amount) FILTER (WHERE p.status IN ({_PAID})), 0)::bigint
      FROM {table(Merchant)} m CROSS JOIN LATERAL (
           SELECT created_at, status, currency, amount FROM {table(Payment)}
            WHERE merchant_id = m.id AND created_at >= %(d30)s OFFSET 0) p
     GROUP BY 1, 2, 3
"""
_WITHDRAWALS = f"""
    SELECT m.environment, CASE WHEN w.created_at >= %(d1)s THEN 1 WHEN w.created_at >= %(d7)s THEN 7 ELSE 30 END,
           w.currency, sum(w.amount)::bigint
      FROM {table(Merchant)} m CROSS JOIN LATERAL (
           SELECT created_at, currency, amount FROM {table(Withdrawal)}
            WHERE merchant_id = m.id AND created_at >= %(d30)s AND status = '{WithdrawalStatus.COMPLETED}' OFFSET 0) w
     GROUP BY 1, 2, 3
"""
HEADERS = (
    gettext_lazy("Period"),
    gettext_lazy("Payments"),
    pgettext_lazy("how many", "Paid"),
    gettext_lazy("Failed or expired"),
    gettext_lazy("Acceptance"),
    gettext_lazy("Paid in"),
    gettext_lazy("Paid out"),
)


@dataclass
class CompanyVolume:
    """Payments created in a period, by their current status. Amounts in minor units by currency."""

    created: int = 0
    paid: int = 0
    lost: int = 0
    taken: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    sent: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    @property
    def acceptance(self) -> str:
        """The acceptance rate of finished payments."""
        over = self.paid + self.lost
        return f"{self.paid / over:.1%}" if over else NONE


def panel() -> Panel:
    """Today and the last days until now, in UTC, with production and sandbox apart."""
    found = _volumes(utcnow())
    tables = [
        PanelTable(
            HEADERS, [_row(title, found[environment, days]) for days, title in SPANS.items()], label_of(environment)
        )
        for environment in ENVIRONMENTS
        if found[environment, 30].created or found[environment, 30].sent
    ]
    note = "" if tables else _("No payments or payouts in the last 30 days.")
    return Panel(_("Volumes"), tuple(tables), note=note)


def _volumes(now: datetime) -> dict[tuple[str, int], CompanyVolume]:
    """By environment and days: longer periods include shorter ones."""
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    begins = {f"d{days}": midnight - timedelta(days=days - 1) for days in SPANS}
    found: dict[tuple[str, int], CompanyVolume] = defaultdict(CompanyVolume)
    for environment, begun, currency, created, paid, lost, taken in rows_of(_PAYMENTS, begins):
        for volume in _spans(found, environment, begun):
            volume.created += created
            volume.paid += paid
            volume.lost += lost
            volume.taken[currency] += taken
    for environment, begun, currency, sent in rows_of(_WITHDRAWALS, begins):
        for volume in _spans(found, environment, begun):
            volume.sent[currency] += sent
    return found


def _spans(found: dict[tuple[str, int], CompanyVolume], environment: str, begun: int) -> Iterable[CompanyVolume]:
    return (found[environment, days] for days in SPANS if days >= begun)


def _row(title: Promise, volume: CompanyVolume) -> list[Any]:
    counts = [f"{count:,}" for count in (volume.created, volume.paid, volume.lost)]
    return [title, *counts, volume.acceptance, _amounts(volume.taken), _amounts(volume.sent)]


def _amounts(of: dict[str, int]) -> Any:
    return lines(amount(minor, currency) for currency, minor in sorted(of.items()) if minor)
