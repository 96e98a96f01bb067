"""Keeping, confirming, stopping and carrying out bulk files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import F, Sum

from accounts.base import clock
from accounts.base.ids import is_well_formed, new_id
from accounts.base.rows import execute, table
from accounts.models import Merchant, User
from gateway.bulk import selectors
from gateway.bulk.errors import BulkFileState, BulkFileUnknown, BulkNotReviewed
from gateway.bulk.models import BulkFile, BulkLine, Kind, State
from gateway.bulk.orders import RefundOrder, WithdrawalOrder
from ledger.books.errors import InsufficientBalance
from ledger.wallets.selectors import holdings

GOOD_FOR = timedelta(hours=1)
"""How long a checked file can be confirmed: balances, fees and limits change."""
SAME_FILE = "same_file"
"""The warning of a file whose rows were confirmed before."""
_STEP = timedelta(microseconds=1)
# Citus refuses to add an interval to a time with a time zone here: what that is depends on the session.
_IN_ORDER = f"""
    UPDATE {table(BulkLine)} SET due_at = (%(now)s AT TIME ZONE 'UTC' + row * %(step)s) AT TIME ZONE 'UTC'
     WHERE file_id = %(file)s
"""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a file without faults. `amount` and `fee` in minor units of `currency`."""

    row: int
    order: WithdrawalOrder | RefundOrder
    shown: Mapping[str, Any]
    amount: int
    currency: str
    fee: int = 0


@transaction.atomic
def keep(
    merchant: Merchant,
    kind: str,
    name: str,
    digest: bytes,
    lines: Sequence[Line],
    warnings: Mapping[str, list[int]],
    *,
    by: User,
    way: str = "",
) -> BulkFile:
    """Stores a checked file for its review. Files that nobody confirmed in time are deleted."""
    now = clock.now(merchant)
    BulkFile.objects.filter(merchant=merchant, confirmed_at=None, uploaded_at__lt=now - GOOD_FOR).delete()
    file = BulkFile.objects.create(
        merchant=merchant,
        kind=kind,
        way=way,
        name=name,
        digest=digest,
        warnings=dict(warnings),
        uploaded_by=by,
        uploaded_at=now,
    )
    BulkLine.objects.bulk_create([_stored(file, line) for line in lines], batch_size=1000)
    return file


def _stored(file: BulkFile, line: Line) -> BulkLine:
    """A line without a reference gets one that no other line has."""
    order = line.order if line.order.reference else replace(line.order, reference=f"{file.pk}-{line.row}")
    return BulkLine(
        id=new_id("bul"),
        merchant=file.merchant,
        file=file,
        row=line.row,
        sealed_order=order.seal(),
        shown=dict(line.shown),
        reference=order.reference,
        amount=line.amount,
        fee=line.fee,
        currency=line.currency,
    )


@transaction.atomic
def confirm(merchant: Merchant, file_id: str, *, by: User, reviewed: bool) -> BulkFile:
    """Lets the lines be carried out, in their order.

    Raises ONP404_BULK_FILE, ONP409_BULK_FILE_STATE, ONP409_BULK_FILE_REVIEW (`reviewed` is False and the file has
    warnings, or the same rows were confirmed since it was checked: see `look_again`) and, for withdrawals,
    ONP422_INSUFFICIENT_BALANCE if not all of them are covered.
    """
    file, now = _lock_with_same(merchant, file_id), clock.now(merchant)
    if file.confirmed_at is not None or now > file.uploaded_at + GOOD_FOR:
        raise BulkFileState
    if (file.warnings and not reviewed) or _is_repeated(file):
        raise BulkNotReviewed(field="reviewed")
    if file.kind == Kind.WITHDRAWALS:
        _require_covered(merchant, file)
    file.confirmed_by, file.confirmed_at = by, now
    file.tell_at = now if file.kind == Kind.WITHDRAWALS else None
    file.save(update_fields=["confirmed_by", "confirmed_at", "tell_at"])
    execute(_IN_ORDER, {"now": now, "step": _STEP, "file": file.pk})
    return file


def look_again(file: BulkFile) -> None:
    """Warns of a file that waits if the same rows were confirmed since it was checked, by another tab or person."""
    if file.confirmed_at is None and _is_repeated(file):
        file.warnings = {**file.warnings, SAME_FILE: []}
        file.save(update_fields=["warnings"])


def _is_repeated(file: BulkFile) -> bool:
    """Whether the same rows were confirmed without a warning of that."""
    if SAME_FILE in file.warnings:
        return False
    return selectors.same_before(file.merchant_id, file.kind, bytes(file.digest)) is not None


def _require_covered(merchant: Merchant, file: BulkFile) -> None:
    totals = file.lines.values("currency").annotate(total=Sum(F("amount") + F("fee"))).values_list("currency", "total")
    for currency, total in totals.order_by("currency"):
        if holdings(merchant, currency).currencies[currency].available < total:
            raise InsufficientBalance


@transaction.atomic
def stop(merchant: Merchant, file_id: str) -> int:
    """Stops the lines that still wait, or discards a file that was not confirmed; returns how many lines.

    Raises ONP404_BULK_FILE.
    """
    file, now = lock(merchant, file_id), clock.now(merchant)
    if file.confirmed_at is None:
        count = file.lines.count()
        file.delete()
        return count
    waiting = BulkLine.objects.select_for_update(no_key=True).filter(file=file, state=State.WAITING)
    ids = list(waiting.order_by("row").values_list("pk", flat=True))
    if ids:
        BulkLine.objects.filter(pk__in=ids).update(state=State.STOPPED, due_at=None, done_at=now)
        file.stopped_at = now
        file.save(update_fields=["stopped_at"])
    return len(ids)


def _lock_with_same(merchant: Merchant, file_id: str) -> BulkFile:
    """The file, locked together with all files of the same rows: they are confirmed one after the other."""
    mine = BulkFile.objects.filter(merchant=merchant)
    same = mine.filter(digest__in=mine.filter(pk=file_id).values("digest")) if is_well_formed(file_id) else mine.none()
    list(same.select_for_update(no_key=True).order_by("pk").values_list("pk"))
    return lock(merchant, file_id)


def lock(merchant: Merchant, file_id: str) -> BulkFile:
    """The merchant's file, locked until the transaction ends. Raises ONP404_BULK_FILE."""
    held = BulkFile.objects.select_for_update(no_key=True).filter(merchant=merchant, pk=file_id)
    file = held.first() if is_well_formed(file_id) else None
    if file is None:
        raise BulkFileUnknown
    return file
