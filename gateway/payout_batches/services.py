"""Gathering withdrawals into a batch, releasing it with its file, and canceling it.

A batch is one file for one bank account, so it may have withdrawals of several cells. Whoever changes a batch locks it
first, then its withdrawals, cell after cell, in the order of their ids.
"""

import zlib
from collections.abc import Iterable, Iterator
from datetime import date, datetime
from hashlib import sha256
from typing import Any

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils.translation import gettext

from accounts import audit
from accounts.audit import Actor
from accounts.base.clock import utcnow
from accounts.base.errors import Fault
from accounts.base.ids import ulid
from accounts.base.rows import columns, every, first, load, table
from accounts.base.sealing import seal, unseal
from accounts.cells import each_cell_in_order
from accounts.models import Company, Merchant
from gateway.payout_batches import files
from gateway.payout_batches.errors import BatchChanged, BatchState, BatchUnknown, NothingToGather, NotPaidByFile
from gateway.payout_batches.models import BatchOrder, PayoutBatch
from gateway.payout_batches.selectors import unanswered
from gateway.providers.models import ProviderAccount
from gateway.withdrawals.approvals.asking import is_lapsed
from gateway.withdrawals.approvals.standing import is_still_approved
from gateway.withdrawals.models import Status, Withdrawal
from gateway.withdrawals.provider import put_in_file

State = PayoutBatch.State
_HOLD_ACCOUNT = f"SELECT {columns(ProviderAccount)} FROM {table(ProviderAccount)} WHERE id = %s FOR NO KEY UPDATE"
_QUEUED = f"""
    w.account_id = %(account)s AND w.payout_currency = %(currency)s AND w.status = '{Status.PROCESSING}'
       AND w.queued_at IS NOT NULL AND w.sent_at IS NULL
"""
_WAITING = f"""
    SELECT w.queued_at, w.id, w.merchant_id FROM {table(Withdrawal)} w
     WHERE {_QUEUED} AND (%(before)s::timestamptz IS NULL OR w.queued_at < %(before)s)
"""
_MAY_WITHDRAW = f"""
    SELECT m.id FROM {table(Merchant)} m JOIN {table(Company)} c ON c.id = m.company_id
     WHERE m.id = ANY(%s) AND m.withdrawal_enabled AND c.status = 'ACTIVE'
"""
_IN_BATCHES = f"""
    SELECT o.withdrawal_id FROM {table(BatchOrder)} o JOIN {table(PayoutBatch)} b ON b.id = o.batch_id
     WHERE o.withdrawal_id = ANY(%(ids)s) AND (o.is_live OR b.canceled_at >= %(before)s::timestamptz)
"""
_HOLD = f"""
    SELECT {columns(Withdrawal, "w")} FROM {table(Withdrawal)} w WHERE w.id = ANY(%(ids)s) AND {_QUEUED}
       FOR NO KEY UPDATE SKIP LOCKED
"""
_LAST_SEQUENCE = f"SELECT max(sequence) FROM {table(PayoutBatch)} WHERE account_id = %s"


def hold_account(account_id: str) -> ProviderAccount:
    """Batches of an account are gathered and released one after the other. Raises ONP409_PAYOUT_BATCH_ACCOUNT."""
    row = first(_HOLD_ACCOUNT, [account_id])
    account = load(ProviderAccount, row) if row else None
    if account is None or files.way_of(account) is None:
        raise NotPaidByFile
    is_used = account.status == ProviderAccount.Status.ACTIVE and not account.sends_nothing_new
    if not is_used or account.system != ProviderAccount.System.PRODUCTION:
        raise NotPaidByFile
    return account


def gather(by: Actor, account_id: str, currency: str, pay_on: date, note: str) -> PayoutBatch:
    """Puts the withdrawals that wait for a file of the account into a new batch, the oldest first.

    Nothing is sent; those whose approvals no longer count wait for approval again. Raises
    ONP409_PAYOUT_BATCH_ACCOUNT and ONP409_PAYOUT_BATCH_EMPTY.
    """
    batch = gather_before(None, by, account_id, currency, pay_on, note)
    if batch is None:
        raise NothingToGather
    return batch


@transaction.atomic
def gather_before(
    cut_off: datetime | None, by: Actor, account_id: str, currency: str, pay_on: date, note: str
) -> PayoutBatch | None:
    """The same of what was queued before the cut-off, and was not taken out of a batch since. None: nothing waits.

    What waits for approval again is stored in any case. Raises ONP409_PAYOUT_BATCH_ACCOUNT.
    """
    account = hold_account(account_id)
    way = files.way_of(account)
    assert way is not None
    asked = {"account": account.pk, "currency": currency, "before": cut_off}
    found = sorted(_held(asked, way.most_orders), key=lambda one: (one.queued_at, one.pk))
    if not found or pay_on < way.day(utcnow()):
        return None
    batch = PayoutBatch(
        account=account,
        currency=currency,
        pay_on=pay_on,
        count=len(found),
        total=sum(one.payout_amount for one in found),
    )
    batch.save(force_insert=True)
    BatchOrder.objects.bulk_create(
        [BatchOrder(number=_number(), batch=batch, withdrawal=one, amount=one.payout_amount) for one in found], 1000
    )
    write_down(by, batch, "gathered", note)
    return batch


def _held(asked: dict[str, Any], most: int) -> Iterator[Withdrawal]:
    """The oldest of all cells that are in no batch, locked; without those that wait for approval again."""
    ids = _oldest(asked, most)
    for _ in each_cell_in_order():
        for one in [load(Withdrawal, row) for row in every(_HOLD, asked | {"ids": ids})]:
            if not is_lapsed(one, utcnow()):
                yield one


def _oldest(asked: dict[str, Any], most: int) -> list[str]:
    """What cells say of withdrawals and `public` of their companies and batches is read apart."""
    waiting = sorted(row for _ in each_cell_in_order() for row in every(_WAITING, asked))
    may = {merchant for (merchant,) in every(_MAY_WITHDRAW, [list({merchant for *_, merchant in waiting})])}
    gathered = {one for (one,) in every(_IN_BATCHES, asked | {"ids": [one for _, one, _ in waiting]})}
    return [one for _, one, merchant in waiting if merchant in may and one not in gathered][:most]


def _number() -> str:
    """Of the time and fifty random bits: never given twice, also not after a backup was restored."""
    made = ulid()
    return made[:10] + made[16:]


def hold(batch_id: str) -> PayoutBatch:
    """The batch, locked until the transaction ends. Raises ONP404_PAYOUT_BATCH."""
    held = PayoutBatch.objects.select_for_update(of=("self",), no_key=True).defer("sealed_file")
    found = held.select_related("account__merchant").filter(pk=batch_id).first()
    if found is None:
        raise BatchUnknown
    return found


def require_state(batch: PayoutBatch, *allowed: PayoutBatch.State) -> None:
    """Raises ONP409_PAYOUT_BATCH_STATE."""
    if batch.state not in allowed:
        raise BatchState


def orders_of(batch: PayoutBatch) -> list[BatchOrder]:
    """The orders with their withdrawals, locked until the transaction ends."""
    orders = list(BatchOrder.objects.filter(batch=batch).order_by("number"))
    held = Withdrawal.objects.select_for_update(no_key=True, of=("self",)).order_by("pk")
    theirs = held.select_related("merchant__company", "account").filter(
        pk__in=[order.withdrawal_id for order in orders]
    )
    found = {one.pk: one for _ in each_cell_in_order() for one in theirs.all()}
    for order in orders:
        order.withdrawal = found[order.withdrawal_id]
    return orders


def require_payable(batch: PayoutBatch, orders: Iterable[BatchOrder], *, is_in_file: bool) -> None:
    """Raises ONP409_PAYOUT_BATCH_CHANGED, naming what changed since the withdrawals were gathered.

    A file is neither written nor handed over after the day on which it is to be paid, by the bank's calendar, nor while
    its account is not in use.
    """
    if batch.account.status != ProviderAccount.Status.ACTIVE or batch.account.sends_nothing_new:
        raise BatchChanged(
            faults=[
                Fault(
                    "account", "INVALID", gettext("%(account)s is not in use at present.") % {"account": batch.account}
                )
            ]
        )
    way = files.way_of(batch.account)
    if way and batch.pay_on < way.day(utcnow()):
        raise BatchChanged(
            faults=[
                Fault(
                    "payOn", "INVALID", gettext("The day on which to pay, %(day)s, has passed.") % {"day": batch.pay_on}
                )
            ]
        )
    faults = [Fault(one.number, "INVALID", why) for one in orders if (why := _obstacle(batch, one, is_in_file))]
    if faults:
        raise BatchChanged(faults=faults[:20])


def _obstacle(batch: PayoutBatch, order: BatchOrder, is_in_file: bool) -> str:
    one = order.withdrawal
    merchant = one.merchant
    if one.status != Status.PROCESSING:
        return f"{one.pk} is {one.get_status_display().lower()}."
    if not (merchant.withdrawal_enabled and merchant.is_operational):
        return f"{one.pk}: {merchant.company} may not withdraw at present."
    same = (one.account_id, one.payout_currency, one.payout_amount) == (batch.account_id, batch.currency, order.amount)
    if not same or one.queued_at is None or (one.sent_at is not None) != is_in_file or not order.is_live:
        return f"{one.pk} is not as it was gathered."
    if not is_in_file and not is_still_approved(one, utcnow()):
        return f"{one.pk} is not approved any more, or was changed after it was approved."
    return ""


@transaction.atomic
def release(by: Actor, batch: PayoutBatch, note: str) -> PayoutBatch:
    """Writes the file, once, and marks the withdrawals as sent: from now on only answers end them, or canceling the
    batch before it is handed over. The decision of two people: see `proposals`. Call it with the batch locked.

    Raises ONP409_PAYOUT_BATCH_STATE, _ACCOUNT and _CHANGED, and ONP422_PAYOUT_BATCH_FILE.
    """
    require_state(batch, State.OPEN)
    account = hold_account(batch.account_id)
    orders = orders_of(batch)
    require_payable(batch, orders, is_in_file=False)
    now = utcnow()
    last = first(_LAST_SEQUENCE, [account.pk])
    written = files.write(account, batch, [(one, put_in_file(one.withdrawal, now)) for one in orders], last, now)
    sent = Withdrawal.objects.filter(pk__in=[one.withdrawal_id for one in orders])
    marked = _update(sent, sent_at=now, sent_times=F("sent_times") + 1, ask_at=None)
    assert marked == batch.count, "all of them are marked as sent"
    batch.sequence, batch.format, batch.file_name = written.sequence, written.format, written.name
    batch.digest, batch.size = sha256(written.content).hexdigest(), len(written.content)
    batch.sealed_file = seal(zlib.compress(written.content))
    batch.state, batch.released_at = State.RELEASED, now
    batch.drop_at = now if written.is_dropped else None
    batch.save()
    write_down(by, batch, "released", note)
    return batch


@transaction.atomic
def cancel(by: Actor, batch_id: str, note: str) -> PayoutBatch:
    """Puts the withdrawals back into the queue. Raises ONP409_PAYOUT_BATCH_STATE once anybody may have the file."""
    batch = hold(batch_id)
    require_state(batch, State.OPEN, State.RELEASED, State.DROPPING)
    if batch.renaming_since is not None:
        raise BatchState
    _put_back(batch)
    batch.state, batch.canceled_at, batch.drop_at = State.CANCELED, utcnow(), None
    batch.save(update_fields=["state", "canceled_at", "drop_at"])
    write_down(by, batch, "canceled", note)
    return batch


def put_back(by: Actor, batch: PayoutBatch, note: str) -> PayoutBatch:
    """The institution refused the whole file: what it has said nothing about waits for another batch, under other
    numbers.

    The decision of two people. Call it with the batch locked. Raises ONP409_PAYOUT_BATCH_STATE.
    """
    require_state(batch, State.HANDED_OVER)
    _put_back(batch)
    write_down(by, batch, "file_refused", note)
    return batch


def _put_back(batch: PayoutBatch) -> None:
    """What the institution has said anything about stays as it is."""
    orders_of(batch)
    over = dict(unanswered(batch).values_list("withdrawal", "pk"))
    sent = Withdrawal.objects.filter(pk__in=over, status=Status.PROCESSING, sent_at__isnull=False)
    _update(sent, sent_at=None, sent_times=F("sent_times") - 1)
    BatchOrder.objects.filter(pk__in=over.values()).update(is_live=False)


def _update(these: QuerySet[Withdrawal], **values: object) -> int:
    """Changes them in each cell; returns how many there were. Call it with them locked."""
    return sum(these.update(**values) for _ in each_cell_in_order())


@transaction.atomic
def take_download(by: Actor, batch_id: str, note: str) -> tuple[PayoutBatch, bytes]:
    """Hands the file over to the person who downloads it. It is recorded before anybody gets a byte.

    The first one is free; a further one takes two people beforehand. A file that is dropped in a folder is not
    downloaded. Raises ONP409_PAYOUT_BATCH_STATE and ONP409_PAYOUT_BATCH_CHANGED.
    """
    batch = hold(batch_id)
    is_first = batch.state == State.RELEASED
    require_state(batch, State.RELEASED, State.HANDED_OVER)
    if (is_first and batch.drop_at is not None) or batch.downloads >= batch.downloads_allowed:
        raise BatchState
    if is_first:
        require_payable(batch, orders_of(batch), is_in_file=True)
    batch.downloads += 1
    batch.state, batch.handed_over_at = State.HANDED_OVER, batch.handed_over_at or utcnow()
    batch.save(update_fields=["state", "handed_over_at", "downloads"])
    write_down(by, batch, "downloaded" if is_first else "downloaded_again", note)
    return batch, content_of(batch)


def allow_download(by: Actor, batch: PayoutBatch, note: str) -> PayoutBatch:
    """One more download of a file that was handed over. The decision of two people. Call it with the batch locked."""
    require_state(batch, State.HANDED_OVER)
    batch.downloads_allowed = batch.downloads + 1
    batch.save(update_fields=["downloads_allowed"])
    write_down(by, batch, "download_allowed", note)
    return batch


def content_of(batch: PayoutBatch) -> bytes:
    """The file as it was written."""
    sealed = PayoutBatch.objects.values_list("sealed_file", flat=True).get(pk=batch.pk)
    content = zlib.decompress(unseal(bytes(sealed or b"")))
    assert sha256(content).hexdigest() == batch.digest, "a file is what was released"
    return content


def write_down(by: Actor, batch: PayoutBatch, action: str, note: str) -> None:
    audit.record(
        by,
        f"payout_batch.{action}",
        object_id=batch.pk,
        after={
            "state": batch.state, "account": batch.account_id, "count": batch.count, "total": batch.total,
            "currency": batch.currency, "sequence": batch.sequence, "sha256": batch.digest,
        },
        note=note,
        by_staff=True,
    )  # fmt: skip
