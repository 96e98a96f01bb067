"""Each bank account: its last statement against the books."""

from typing import Any
from urllib.parse import urlencode

from accounts.base.clock import utcnow
from gateway.reconciliation.models import BankAccount, BankStatement
from gateway.reconciliation.standing import Standing, standings
from gateway.staff.kit.columns import address, anchor, link, unbroken
from gateway.staff.overview.panels import BAD, GOOD, NONE, WATCH, Panel, PanelTable, ago, lines
from gateway.suspense.models import SuspenseItem
from ledger.notation import plain_amount

HEADERS = ["Bank account", "Last statement", "Closing balance", "In our books", "Difference", "Lines in suspense"]


def panel() -> Panel:
    """A difference is never right. Lines that wait to be matched are said apart: the worker takes them."""
    found = standings()
    wrong = sum(1 for one in found if one.difference)
    missing = sum(1 for one in found if one.account.missing_since)
    held = sum(one.held for one in found)
    label = f"{wrong} wrong" if wrong else f"{missing} without a statement" if missing else ""
    return Panel(
        "Bank accounts",
        (PanelTable(HEADERS, [_row(one) for one in found]),) if found else (),
        label or (f"{held} {'line' if held == 1 else 'lines'} in suspense" if held else "Equal"),
        BAD if wrong or missing else WATCH if held else GOOD,
        note="" if found else "No bank account is entered.",
        leads=("All bank accounts", address(BankAccount, "changelist")),
    )


def _row(one: Standing) -> list[Any]:
    currency = one.account.currency
    closing = unbroken(plain_amount(one.closing, currency)) if one.statement_id else NONE
    waiting = f"{plain_amount(one.waiting, currency)} waits to be matched"
    return [
        link(one.account),
        _age(one),
        closing,
        lines([unbroken(plain_amount(one.booked, currency)), *([waiting] if one.waiting else [])]),
        unbroken(plain_amount(one.difference, currency)),
        _held(one),
    ]


def _age(one: Standing) -> Any:
    late = [f"missing since {one.account.missing_since:%Y-%m-%d}"] if one.account.missing_since else []
    if one.closed_on is None:
        return lines(["none", *late])
    days = (utcnow().date() - one.closed_on).days
    told = "today" if days <= 0 else "1 day old" if days == 1 else f"{days} days old"
    return lines([anchor(address(BankStatement, "change", one.statement_id), one.closed_on), told, *late])


def _held(one: Standing) -> Any:
    if not one.held:
        return NONE
    assert one.held_since
    where = urlencode({"queue": "lines", "bank_account": one.account.code})
    queue = anchor(f"{address(SuspenseItem, 'changelist')}?{where}", f"{one.held:,}")
    oldest = f"oldest {ago(max(0.0, (utcnow() - one.held_since).total_seconds()))}"
    return lines([queue, unbroken(plain_amount(one.held_sum, one.account.currency)), oldest])
