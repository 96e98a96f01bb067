"""The file of a batch is dropped in the folder of its bank."""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial

import structlog
from django.db import transaction

from accounts.audit import Actor
from accounts.base.clock import utcnow
from gateway.payout_batches import files, services
from gateway.payout_batches.errors import BatchChanged
from gateway.payout_batches.models import PayoutBatch
from gateway.providers.asking import LEASE
from gateway.providers.by_file import Folder
from gateway.providers.dropping import drop
from gateway.providers.errors import CallFailed

log = structlog.get_logger()
State = PayoutBatch.State
AGAIN_AFTER = timedelta(minutes=2)


def begin(batch: PayoutBatch, _due_at: datetime) -> Callable[[], object] | None:
    """Reserves the batch for this process; what is returned drops its file after the commit.

    One that cannot be paid any more waits for people, unless the bank may have its file already.
    """
    if batch.renaming_since is None and (told := _changed(batch)):
        log.critical("payout_batch.changed_before_drop", batch=batch.pk, told=told)
        batch.state, batch.drop_at, batch.leased_until, batch.drop_failure = State.RELEASED, None, None, told[:255]
        batch.save(update_fields=["state", "drop_at", "leased_until", "drop_failure"])
        return None
    batch.state, batch.drop_at, batch.leased_until = State.DROPPING, utcnow() + LEASE, utcnow() + LEASE
    batch.save(update_fields=["state", "drop_at", "leased_until"])
    return partial(_drop, batch)


def _changed(batch: PayoutBatch) -> str:
    """Why its orders cannot be paid any more."""
    try:
        services.require_payable(batch, services.orders_of(batch), is_in_file=True)
    except BatchChanged as changed:
        return " ".join(fault.message for fault in changed.faults)
    return ""


def _drop(batch: PayoutBatch) -> None:
    way = files.way_of(batch.account)
    folder = way.folder if way else None
    try:
        if folder is None:
            raise CallFailed("the account has no folder any more")
        is_dropped = _dropped(batch, folder)
    except CallFailed as failed:
        log.warning("payout_batch.not_dropped", batch=batch.pk, reason=failed.reason)
        _store(batch, drop_at=utcnow() + AGAIN_AFTER, leased_until=None, drop_failure=failed.reason[:255])
        return
    if is_dropped:
        now = utcnow()
        _store(batch, state=State.HANDED_OVER, handed_over_at=now, drop_at=None, leased_until=None, drop_failure="")
    else:
        log.critical("payout_batch.possibly_dropped", batch=batch.pk, file=batch.file_name)
        _store(batch, state=State.UNCERTAIN, drop_at=None, leased_until=None)


def _dropped(batch: PayoutBatch, folder: Folder) -> bool:
    """False: nobody can tell from here. Raises CallFailed."""
    return drop(
        folder,
        batch.file_name,
        services.content_of(batch),
        is_renaming=batch.renaming_since is not None,
        renaming_begins=lambda: _begin_renaming(batch),
    )


@transaction.atomic
def _begin_renaming(batch: PayoutBatch) -> None:
    """From now on the bank may have the file. Raises CallFailed if it must not get it any more."""
    _store(batch, renaming_since=utcnow())
    if told := _changed(batch):
        raise CallFailed(told)


@transaction.atomic
def _store(batch: PayoutBatch, **values: object) -> None:
    """Only the process that reserved the batch changes it."""
    held = services.hold(batch.pk)
    if (held.state, held.leased_until) != (State.DROPPING, batch.leased_until):
        raise CallFailed("another process took over")
    for name, value in values.items():
        setattr(held, name, value)
        setattr(batch, name, value)
    held.save(update_fields=list(values))


def clear(by: Actor, batch: PayoutBatch, note: str, *, was_dropped: bool) -> PayoutBatch:
    """What people found out at the bank. The decision of two. Call it with the batch locked.

    Raises ONP409_PAYOUT_BATCH_STATE.
    """
    services.require_state(batch, State.UNCERTAIN)
    if was_dropped:
        batch.state, batch.handed_over_at = State.HANDED_OVER, utcnow()
    else:
        batch.state, batch.drop_at, batch.renaming_since = State.DROPPING, utcnow(), None
    batch.save(update_fields=["state", "handed_over_at", "drop_at", "renaming_since"])
    services.write_down(by, batch, "found_dropped" if was_dropped else "found_missing", note)
    return batch
