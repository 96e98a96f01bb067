"""Lines of statements are matched and booked, many in one transaction; what changes something else follows singly."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from operator import attrgetter

import structlog
from django.db import transaction
from django.db.models import prefetch_related_objects

from accounts.base.clock import utcnow
from accounts.base.ids import new_id
from accounts.base.lookups import AnyOf
from accounts.batches import Later
from gateway.reconciliation import effects, postings, reversals, suspense, transfers
from gateway.reconciliation.leftovers import Leftovers
from gateway.reconciliation.matching import Effect, Part, Verdict, verdict
from gateway.reconciliation.models import BankAccount, BankLine, LinePart
from gateway.reconciliation.records import records_of
from gateway.suspense.models import LineCause

AGAIN, PATIENCE = timedelta(hours=1), timedelta(days=1)
"""When a line is looked at again whose payment its provider has not told of yet, and for how long."""
OFTEN = timedelta(days=7)
"""How long a line in suspense is looked at every hour; then every day, and by what it names only."""
FOUND_LATER = "What explains it was recorded later."
State = BankLine.State

log = structlog.get_logger()
_DECIDED = ("state", "kind", "due_at", "matched_at", "reverses_id")
_decided = attrgetter(*_DECIDED)


@dataclass(slots=True)
class Decided:
    """What was found out about lines: parts to be booked, lines to be held, and what follows after the commit."""

    parts: list[LinePart] = field(default_factory=list)
    held: list[tuple[BankLine, Verdict]] = field(default_factory=list)
    later: Later = field(default_factory=list)


def take(line: BankLine, _at: datetime) -> Callable[[], object] | None:
    """Like `take_all`, for one line."""
    return next((act for _, act in take_all([line])), None)


def take_all(lines: Sequence[BankLine]) -> Later:
    """Matches lines that are locked by what they name, and books them. What is returned is called after the commit.

    Lines that name nothing are left for `take_rest`. The ledger is locked last.
    """
    now = utcnow()
    prefetch_related_objects(lines, "account__owner")
    done = Decided()
    for account, same in _by_account(lines).items():
        records = records_of(account, same)
        moves = transfers.of(account, same)
        for line in same:
            line.account = account
            if line.is_reversal:
                done.later.append((line.pk, partial(_reverse, line.pk)))
                line.due_at = now + AGAIN
                continue
            found = moves.get(line.pk) or verdict(line, records)
            if found.is_nothing:
                line.state = State.UNNAMED
            else:
                _decide(line, found, done, now)
                records.explained.update((part.kind, part.object_id) for part in found.parts)
    _finish(lines, done, now)
    return done.later


def take_rest(lines: Sequence[BankLine]) -> Later:
    """Matches lines that name nothing with what all other lines have left, by exact amounts that fit only once."""
    now = utcnow()
    prefetch_related_objects(lines, "account__owner")
    done = Decided()
    for account, same in _by_account(lines).items():
        left = Leftovers(account, same)
        for line in same:
            line.account = account
            found = left.explain(line)
            _decide(line, Verdict(cause=LineCause.UNKNOWN) if found.is_nothing else found, done, now)
    _finish(lines, done, now)
    return done.later


def take_left(line: BankLine, _at: datetime) -> Callable[[], object] | None:
    """Like `take_rest`, for one line."""
    return next((act for _, act in take_rest([line])), None)


def take_again(lines: Sequence[BankLine]) -> Later:
    """Matches lines in suspense with what was recorded since then. Those that nothing explains stay as they are."""
    now = utcnow()
    prefetch_related_objects(lines, "account__owner")
    done = Decided()
    for account, same in _by_account(lines).items():
        records, moves = records_of(account, same), transfers.of(account, same)
        left = Leftovers(account, [line for line in same if _is_new(line, now)])
        for line in same:
            line.account, line.due_at = account, _next_look(line, now)
            found = moves.get(line.pk) or verdict(line, records)
            if found.is_nothing and _is_new(line, now):
                found = left.explain(line)
            if found.effect:
                if found.effect != Effect.ASK:
                    done.later.append((line.pk, partial(_follow_held, line.pk)))
            elif found.parts and (item := suspense.held_for(line)):
                suspense.let_go(item, FOUND_LATER, now)
                done.parts += explained(line, found.parts, now)
                records.explained.update((part.kind, part.object_id) for part in found.parts)
    _finish(lines, done, now)
    return done.later


def take_held(line: BankLine, _at: datetime) -> Callable[[], object] | None:
    """Like `take_again`, for one line."""
    return next((act for _, act in take_again([line])), None)


def _is_new(line: BankLine, now: datetime) -> bool:
    return line.matched_at is not None and now < line.matched_at + OFTEN


def _next_look(line: BankLine, now: datetime) -> datetime | None:
    """What a reversal takes back is known at once or never."""
    if line.is_reversal:
        return None
    return now + (AGAIN if _is_new(line, now) else PATIENCE)


def _by_account(lines: Sequence[BankLine]) -> dict[BankAccount, list[BankLine]]:
    found: defaultdict[BankAccount, list[BankLine]] = defaultdict(list)
    for line in sorted(lines, key=lambda one: one.pk):
        found[line.account].append(line)
    return found


def _decide(line: BankLine, found: Verdict, done: Decided, now: datetime) -> None:
    if found.effect:
        line.due_at = now + AGAIN
        done.later.append((line.pk, partial(_follow, line.pk)))
    elif found.parts:
        done.parts += explained(line, found.parts, now)
    else:
        line.state, line.matched_at = State.SUSPENSE, now
        line.due_at = _next_look(line, now)
        done.held.append((line, found))


def explained(line: BankLine, parts: Sequence[Part], now: datetime) -> list[LinePart]:
    """The line is these, which are not booked yet."""
    assert sum(part.amount for part in parts) == line.amount, "a line posts exactly its amount"
    line.state, line.kind, line.due_at, line.matched_at = State.EXPLAINED, parts[0].kind, None, now
    return [
        LinePart(
            id=new_id("bpt"),
            account=line.account,
            line_id=line.pk,
            merchant_id=part.merchant_id or line.account.owner_id,
            kind=part.kind,
            object_id=part.object_id,
            amount=part.amount,
            currency=line.currency,
            other=part.other,
            other_method=part.other_method,
            created_at=now,
        )
        for part in parts
    ]


def _finish(lines: Sequence[BankLine], done: Decided, now: datetime) -> None:
    write(lines)
    for line, found in done.held:
        suspense.hold(line, found, now)
    postings.book(done.parts, now)


def write(lines: Sequence[BankLine]) -> None:
    """Saves what was decided about lines."""
    alike: defaultdict[tuple[object, ...], list[str]] = defaultdict(list)
    for line in lines:
        alike[_decided(line)].append(line.pk)
    for decided, ids in alike.items():
        BankLine.objects.filter(AnyOf("pk", ids)).update(**dict(zip(_DECIDED, decided, strict=True)))


def hold(line_id: str) -> BankLine:
    """The line with its account, locked until the transaction ends."""
    locked = BankLine.objects.select_for_update(no_key=True, of=("self",))
    return locked.select_related("account__owner__company", "statement").get(pk=line_id)


@transaction.atomic
def _follow(line_id: str) -> None:
    """Changes what the line names, if it still waits for that, and books it then."""
    line, now = hold(line_id), utcnow()
    if line.state not in (State.WAITING, State.UNNAMED):
        return
    found = verdict(line, records_of(line.account, [line]))
    if found.effect == Effect.ASK and now < line.statement.created_at + PATIENCE:
        transaction.on_commit(partial(effects.ask, found))
        return
    if found.effect == Effect.ASK:
        found = Verdict(cause=LineCause.UNEXPECTED, about=found.about, note=found.note)
    elif found.effect:
        found = effects.carry_out(line, found)
        if found.cause:
            log.error("bank_line.not_taken", line=line.pk, about=found.about and found.about.pk, note=found.note)
    settle(line, found, now)


@transaction.atomic
def _follow_held(line_id: str) -> None:
    """Changes what a line in suspense names by now, and books the line as that."""
    line, now = hold(line_id), utcnow()
    item = suspense.held_for(line)
    if line.state != State.SUSPENSE or item is None:
        return
    found = verdict(line, records_of(line.account, [line]))
    if found.effect in (None, Effect.ASK):
        return
    found = effects.carry_out(line, found)
    if found.parts:
        suspense.let_go(item, FOUND_LATER, now)
        settle(line, found, now)


@transaction.atomic
def _reverse(line_id: str) -> None:
    """Takes back the line that this one reverses, once there is one."""
    line, now = hold(line_id), utcnow()
    if line.state == State.WAITING:
        cause = reversals.take_back(line, now)
        if cause:
            settle(line, cause, now)
        else:
            write([line])


def settle(line: BankLine, found: Verdict, now: datetime) -> None:
    """Books one line as what it was found to be, or holds it."""
    done = Decided()
    assert found.effect is None, "its effect was carried out"
    _decide(line, found, done, now)
    _finish([line], done, now)
