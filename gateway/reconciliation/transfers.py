"""Transfers between two bank accounts of ours: two lines, in either order."""

from collections.abc import Sequence
from datetime import timedelta

from accounts.operator import operator
from gateway.reconciliation.accounts import NUMBERS, same_account
from gateway.reconciliation.matching import Part, Verdict
from gateway.reconciliation.models import BankAccount, BankLine, LineKind, LinePart
from ledger.chart import AccountKind

WITHIN = timedelta(days=7)
"""How far the days of both lines are apart at most."""


def of(account: BankAccount, lines: Sequence[BankLine]) -> dict[str, Verdict]:
    """The lines whose other side is a bank account of ours, by their ids."""
    found = {}
    others = BankAccount.objects.filter(currency=account.currency).exclude(pk=account.pk)
    for other in others:
        for line in lines:
            party = line.counterparty or {}
            if any(party.get(name) for name in NUMBERS) and same_account(other.numbers, party):
                found[line.pk] = Verdict((part_of(line),))
    return found


def part_of(line: BankLine) -> Part:
    """Money between our bank accounts is the operator's while it is on its way."""
    return Part(LineKind.TRANSFER, line.amount, AccountKind.TRANSIT, object_id="", merchant=operator())


def on_their_way(account: BankAccount) -> list[LinePart]:
    """Transfers that left or reached this account, and that no line of another account of ours answers yet."""
    parts = LinePart.objects.filter(kind=LineKind.TRANSFER, undone_by="").select_related("line", "account")
    mine = list(parts.filter(account=account).order_by("pk"))
    theirs = list(parts.exclude(account=account).filter(currency=account.currency).order_by("pk"))
    open_ones = []
    for part in mine:
        pair = next((one for one in theirs if _answer(part, one)), None)
        if pair:
            theirs.remove(pair)
        else:
            open_ones.append(part)
    return open_ones


def _answer(one: LinePart, other: LinePart) -> bool:
    if one.line is None or other.line is None or one.amount != -other.amount:
        return False
    return abs(one.line.booked_on - other.line.booked_on) <= WITHIN
