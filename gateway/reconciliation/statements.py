"""Statements: each continues the one before it to the cent, and is stored whole. Its lines are matched afterwards."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from hashlib import sha256
from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _
from psycopg.types.json import Jsonb

from accounts.base.clock import utcnow
from accounts.base.ids import new_id
from accounts.base.rows import copy_into
from gateway.bank_files.shapes import Remark, Statement, StatementLine
from gateway.reconciliation import postings
from gateway.reconciliation.accounts import party_of
from gateway.reconciliation.handlers import DocumentRefused, RefusalCause, register
from gateway.reconciliation.models import BankAccount, BankLine, BankStatement, ImportedFile, LineKind, LinePart
from ledger.chart import AccountKind
from ledger.money import MAX_SIGNIFICANT_DIGITS, to_minor
from ledger.notation import plain_amount

SAME_COUNT = timedelta(days=200)
"""Banks count statements again from 1 each year: until then the same number is the same statement."""
EARLIEST, AHEAD = date(2000, 1, 1), timedelta(days=31)
"""Banks give the statement of an unfinished month with its last day."""
LARGEST = 10**MAX_SIGNIFICANT_DIGITS
_COLUMNS = [field.attname for field in BankLine._meta.concrete_fields]


@dataclass(frozen=True, slots=True)
class Next:
    """A statement that continues the account's, with its balances in minor units."""

    statement: Statement
    opening: int
    closing: int
    digest: str


def last_of(account: BankAccount) -> BankStatement | None:
    """The newest statement of the account."""
    return BankStatement.objects.filter(account=account).order_by("-position").first()


class StatementHandler:
    """Lets statements take effect: see `gateway.reconciliation.handlers.Handler`."""

    def check(self, account: BankAccount, documents: list[Statement]) -> None:
        """Raises DocumentRefused unless they continue the account's statements. Those that are known, and notices, are
        skipped.
        """
        _following(account, documents)

    def lines(self, account: BankAccount, documents: list[Statement]) -> list[tuple[str, str]]:
        notices = [len(one.lines) for one in documents if one.is_notice]
        notice = gettext("%(n)s movements: the account's statement will book them")
        found = [(gettext("Notice"), notice % {"n": moved}) for moved in notices]
        for one in _following(account, documents):
            told = one.statement
            amounts = [_minor(line.amount, told.currency) for line in told.lines]
            received = plain_amount(sum(minor for minor in amounts if minor > 0), told.currency)
            left = plain_amount(-sum(minor for minor in amounts if minor < 0), told.currency)
            balances = {
                "opening": plain_amount(one.opening, told.currency),
                "closing": plain_amount(one.closing, told.currency),
            }
            days = {"first": told.opened_on, "last": told.closed_on}
            moved = {"n": len(amounts), "received": received, "left": left}
            found += [
                (gettext("Statement"), told.number or gettext("without a number")),
                (gettext("Days"), gettext("%(first)s to %(last)s") % days),
                (
                    gettext("Balances"),
                    gettext("%(opening)s to %(closing)s") % balances,
                ),
                (gettext("Lines"), gettext("%(n)s: %(received)s received, %(left)s left") % moved),
            ]
        return found

    def apply(self, file: ImportedFile, documents: list[Statement]) -> None:
        for one in _following(file.account, documents):
            _store(file, one)


def _following(account: BankAccount, documents: Sequence[Statement]) -> list[Next]:
    """Those that are new, in order. Raises DocumentRefused."""
    last = last_of(account)
    ended = (last.closing, last.closed_on) if last else None
    found = []
    statements = [one for one in documents if not one.is_notice]
    for told in sorted(statements, key=lambda one: (one.closed_on, one.opened_on)):
        _require_possible(told)
        digest = _digest(told)
        if BankStatement.objects.filter(account=account, digest=digest).exists():
            continue
        _require_unaltered(account, told)
        one = _next(told, ended[0] if ended else None, digest)
        if ended:
            _require_continuing(account, one, *ended)
        ended = (one.closing, told.closed_on)
        found.append(one)
    if statements and not found:
        raise DocumentRefused(RefusalCause.KNOWN, Remark(_("Its statements were imported before.")))
    return found


def _require_possible(told: Statement) -> None:
    """Raises DocumentRefused for days of no statement of ours. One far ahead would make all that follow too old."""
    days = [told.opened_on, told.closed_on, *(line.booked_on for line in told.lines)]
    wrong = next((day for day in days if not EARLIEST <= day <= utcnow().date() + AHEAD), None)
    if wrong:
        raise DocumentRefused(RefusalCause.UNREADABLE, Remark(_("%(day)s is no day of a statement."), {"day": wrong}))


def _next(told: Statement, before: int | None, digest: str) -> Next:
    """With its balances, also where the file says only one or none of them."""
    total = sum(_minor(line.amount, told.currency) for line in told.lines)
    opening, closing = (None if one is None else _minor(one, told.currency) for one in (told.opening, told.closing))
    if opening is None:
        opening = before if closing is None else closing - total
    if opening is None:
        raise DocumentRefused(
            RefusalCause.NO_BALANCE, Remark(_("The first statement of an account must say its balance."))
        )
    if closing is not None and opening + total != closing:
        raise DocumentRefused(
            RefusalCause.UNREADABLE, Remark(_("Its lines do not lead from one balance to the other."))
        )
    return Next(told, opening, opening + total, digest)


def _require_unaltered(account: BankAccount, told: Statement) -> None:
    near = (told.closed_on - SAME_COUNT, told.closed_on + SAME_COUNT)
    same = BankStatement.objects.filter(account=account, number=told.number[:40], closed_on__range=near)
    if told.number and same.exists():
        other = Remark(_("Statement %(number)s was imported with other content."), {"number": told.number})
        raise DocumentRefused(RefusalCause.ALTERED, other)


def _require_continuing(account: BankAccount, one: Next, closing: int, closed_on: date) -> None:
    """Raises DocumentRefused unless it begins where the one before it ended."""
    told, overlaps = one.statement, one.statement.opened_on <= closed_on
    if told.closed_on < closed_on or (overlaps and (_is_booked(account, told) or _repeats(account, told))):
        raise DocumentRefused(RefusalCause.OLD, Remark(_("The account is booked up to %(day)s."), {"day": closed_on}))
    if one.opening == closing:
        return
    begins, ended = (plain_amount(minor, account.currency) for minor in (one.opening, closing))
    if overlaps:
        days = {"begins": told.opened_on, "booked": closed_on}
        old = Remark(_("It begins on %(begins)s; the account is booked up to %(booked)s."), days)
        raise DocumentRefused(RefusalCause.OLD, old)
    gap = _("It begins with %(begins)s and the statement before it ended with %(ended)s: one is missing.")
    raise DocumentRefused(RefusalCause.GAP, Remark(gap, {"begins": begins, "ended": ended}))


def _is_booked(account: BankAccount, told: Statement) -> bool:
    """Whether some of its lines are booked, by the bank's ids of movements."""
    named = {_reference(line) for line in told.lines if line.reference.strip("0")}
    booked = BankLine.objects.filter(account=account, reference__in=named, booked_on__gte=told.opened_on)
    known = set(booked.values_list("reference", "amount", "booked_on"))
    return any((_reference(line), _minor(line.amount, told.currency), line.booked_on) in known for line in told.lines)


def _repeats(account: BankAccount, told: Statement) -> bool:
    """Whether it may be what is booked since its first day, told again: where that sums up to nothing, as in an account
    that is emptied each night, the balances of a second time fit as well.
    """
    since = BankLine.objects.filter(account=account, booked_on__gte=told.opened_on)
    booked = Counter(since.values_list("booked_on", "amount", "reference"))
    moved = sum(amount * times for (_, amount, _), times in booked.items())
    if moved or not booked:
        return False
    lines = ((line.booked_on, _minor(line.amount, told.currency), _reference(line)) for line in told.lines)
    return booked <= Counter(lines)


def _store(file: ImportedFile, one: Next) -> None:
    """Lines that move no money, such as a tax of 0.00, are left out."""
    account, told = file.account, one.statement
    told = replace(told, lines=[line for line in told.lines if line.amount])
    last = last_of(account)
    statement = BankStatement.objects.create(
        account=account,
        file=file,
        position=last.position + 1 if last else 1,
        number=told.number[:40],
        digest=one.digest,
        opened_on=told.opened_on,
        closed_on=told.closed_on,
        opening=one.opening,
        closing=one.closing,
        lines=len(told.lines),
    )
    copy_into(BankLine, _rows(statement, told))
    if last is None and one.opening:
        _open(account, one.opening)


def _open(account: BankAccount, opening: int) -> None:
    """Posts what the account held before its first statement."""
    part = LinePart(
        account=account,
        merchant=account.owner,
        kind=LineKind.OPENING,
        object_id=account.code,
        amount=opening,
        currency=account.currency,
        other=AccountKind.OWN_FUNDS,
    )
    postings.book([part], utcnow())


def _rows(statement: BankStatement, told: Statement) -> Iterator[tuple[Any, ...]]:
    """Its lines as they are stored, waiting to be matched."""
    shared = {"account_id": statement.account_id, "statement_id": statement.pk, "currency": told.currency}
    waiting = {"state": BankLine.State.WAITING, "kind": "", "due_at": utcnow(), "matched_at": None, "reverses_id": None}
    for position, line in enumerate(told.lines, 1):
        party = party_of(line.counterparty)
        row = {
            **shared,
            **waiting,
            "id": new_id("bln"),
            "position": position,
            "amount": _minor(line.amount, told.currency),
            "booked_on": line.booked_on,
            "reference": _reference(line),
            "order_number": _text(line.order_number, 40),
            "end_to_end_id": _text(line.end_to_end_id, 40),
            "code": _text(line.code, 20),
            "text": _text(line.text, 500),
            "counterparty": Jsonb(party) if party else None,
            "is_reversal": line.is_reversal,
        }
        yield tuple(row[name] for name in _COLUMNS)


def _reference(line: StatementLine) -> str:
    """As it is stored."""
    return _text(line.reference, 80)


def _text(text: str, longest: int) -> str:
    if not text:
        return ""
    return " ".join(text.replace("\0", "").split())[:longest]


def _minor(amount: Decimal, currency: str) -> int:
    try:
        minor = to_minor(amount, currency)
    except ValueError:
        facts = {"amount": amount, "currency": currency}
        raise DocumentRefused(
            RefusalCause.UNREADABLE, Remark(_("%(amount)s is no amount in %(currency)s."), facts)
        ) from None
    if abs(minor) >= LARGEST:
        raise DocumentRefused(RefusalCause.UNREADABLE, Remark(_("%(amount)s is too large."), {"amount": amount}))
    return minor


def _digest(told: Statement) -> str:
    """The same for a statement that was downloaded twice, whatever its file is called."""
    lines = [
        [str(line.amount), str(line.booked_on), line.reference, line.order_number, line.text] for line in told.lines
    ]
    balances = [None if one is None else str(one) for one in (told.opening, told.closing)]
    said = [told.number, str(told.opened_on), str(told.closed_on), told.currency, balances, lines]
    return sha256(json.dumps(said).encode()).hexdigest()


register(Statement, StatementHandler())
