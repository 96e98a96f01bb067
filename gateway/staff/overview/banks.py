"""Each bank account: its last statement against the books."""

from typing import Any
from urllib.parse import urlencode

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy

from accounts.base.clock import utcnow
from gateway.reconciliation.models import BankAccount, BankStatement
from gateway.reconciliation.standing import Standing, standings
from gateway.staff.kit.columns import address, anchor, link, unbroken
from gateway.staff.overview.panels import BAD, GOOD, NONE, WATCH, Panel, PanelTable, ago, lines
from gateway.suspense.models import SuspenseItem
from ledger.notation import plain_amount

HEADERS = (
    gettext_lazy("Bank account"),
    gettext_lazy("Last statement"),
    gettext_lazy("Closing balance"),
    gettext_lazy("In our books"),
    pgettext_lazy("of money", "Difference"),
    gettext_lazy("Lines in suspense"),
)


def panel() -> Panel:
    """A difference is never right. Lines that wait to be matched are said apart: the worker takes them."""
    found = standings()
    wrong = sum(1 for one in found if one.difference)
    missing = sum(1 for one in found if one.account.missing_since)
    held = sum(one.held for one in found)
    label = _label(wrong, missing, held)
    return Panel(
        _("Bank accounts"),
        (PanelTable(HEADERS, [_row(one) for one in found]),) if found else (),
        label,
        BAD if wrong or missing else WATCH if held else GOOD,
        note="" if found else _("No bank account is entered."),
        leads=(_("All bank accounts"), address(BankAccount, "changelist")),
    )


def _label(wrong: int, missing: int, held: int) -> str:
    if wrong:
        return _("%(n)s wrong") % {"n": wrong}
    if missing:
        return _("%(n)s without a statement") % {"n": missing}
    if held:
        return ngettext("%(n)s line in suspense", "%(n)s lines in suspense", held) % {"n": held}
    return _("Equal")


def _row(one: Standing) -> list[Any]:
    currency = one.account.currency
    closing = unbroken(plain_amount(one.closing, currency)) if one.statement_id else NONE
    waiting = _("%(amount)s waits to be matched") % {"amount": plain_amount(one.waiting, currency)}
    return [
        link(one.account),
        _age(one),
        closing,
        lines([unbroken(plain_amount(one.booked, currency)), *([waiting] if one.waiting else [])]),
        unbroken(plain_amount(one.difference, currency)),
        _held(one),
    ]


def _age(one: Standing) -> Any:
    missing = one.account.missing_since
    late = [_("missing since %(day)s") % {"day": f"{missing:%Y-%m-%d}"}] if missing else []
    if one.closed_on is None:
        return lines([_("None"), *late])
    days = (utcnow().date() - one.closed_on).days
    told = _("today") if days <= 0 else ngettext("%(n)s day old", "%(n)s days old", days) % {"n": days}
    return lines([anchor(address(BankStatement, "change", one.statement_id), one.closed_on), told, *late])


def _held(one: Standing) -> Any:
    if not one.held:
        return NONE
    assert one.held_since
    where = urlencode({"queue": "lines", "bank_account": one.account.code})
    queue = anchor(f"{address(SuspenseItem, 'changelist')}?{where}", f"{one.held:,}")
    oldest = _("oldest %(time)s") % {"time": ago(max(0.0, (utcnow() - one.held_since).total_seconds()))}
    return lines([queue, unbroken(plain_amount(one.held_sum, one.account.currency)), oldest])
