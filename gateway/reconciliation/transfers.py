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
    return Part(LineKind.TRANSFER, line.amount, AccountKind.TRANSIT, object_id="", merchant_id=operator().pk)


def awaited(account: BankAccount, lines: Sequence[BankLine]) -> list[LinePart]:
    """Transfers of these amounts that lines of other accounts name this one for, and that no line answers yet."""
    amounts = {sign * line.amount for line in lines for sign in (1, -1)}
    parts = LinePart.objects.filter(
        kind=LineKind.TRANSFER, undone_by="", merchant=operator(), currency=account.currency, amount__in=amounts
    )
    found = list(parts.select_related("line", "account").order_by("pk"))
    theirs = [one for one in found if one.account_id != account.pk and _names(one, account)]
    for mine in (one for one in found if one.account_id == account.pk):
        pair = next((one for one in theirs if _answer(mine, one)), None)
        if pair:
            theirs.remove(pair)
    return theirs


def answer_to(awaited: list[LinePart], line: BankLine) -> Verdict | None:
    """The line is the other side of a transfer, if one only is awaited: then it is awaited no more."""
    found = [one for one in awaited if one.line and _are_sides(one.line, line)]
    if len(found) != 1:
        return None
    awaited.remove(found[0])
    return Verdict((part_of(line),))


def _names(part: LinePart, account: BankAccount) -> bool:
    return part.line is not None and same_account(account.numbers, part.line.counterparty or {})


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
    return one.line is not None and other.line is not None and _are_sides(one.line, other.line)


def _are_sides(one: BankLine, other: BankLine) -> bool:
    return one.amount == -other.amount and abs(one.booked_on - other.booked_on) <= WITHIN
