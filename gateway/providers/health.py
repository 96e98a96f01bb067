"""The health of accounts: one that fails is taken out of its routes by itself, and tried again."""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import TypeVar

import structlog
from django.db import transaction

from accounts.audit import Actor
from accounts.base.clock import utcnow
from gateway.providers.accounts import failure_of, hold, require_status, write_down
from gateway.providers.asking import LEASE
from gateway.providers.circuit import CIRCUIT, Circuit
from gateway.providers.errors import AccountWorks, CallFailed, NotSent, ScopeRefused
from gateway.providers.models import ProviderAccount
from gateway.providers.observing import observing

log = structlog.get_logger()
State, Status = Circuit.State, ProviderAccount.Status
T = TypeVar("T")


def observed(account: ProviderAccount | None, merchant_id: int | None, about: str, call: Callable[[], T]) -> T:
    """Makes a call that the institution must carry out, and notes whether it was served, whatever the answer.

    `account` is as it was when the call was prepared: if no call of the kind had failed and it serves, nothing is
    written. Never inside a transaction. Raises what the call raises.
    """
    if account is None:
        return call()
    with observing() as seen:
        try:
            outcome = call()
        except CallFailed as failed:
            is_unsent = isinstance(failed, NotSent) and not isinstance(failed, ScopeRefused)
            if is_unsent or seen.failure:
                _failed(account, merchant_id, about, failed.reason)
            raise
    if seen.failure:
        _failed(account, merchant_id, about, seen.failure)
    elif seen.failure is not None:
        _served(account, about)
    return outcome


def _failed(account: ProviderAccount, merchant_id: int | None, about: str, reason: str) -> None:
    if not account.is_taken_out:
        _change(account.pk, lambda held: held.failed(about, merchant_id, reason, utcnow()))


def _served(account: ProviderAccount, about: str) -> None:
    """A call that began before the account was taken out says nothing about now."""
    if account.failing_at != about:
        return

    def end(held: ProviderAccount) -> None:
        if held.circuit == account.circuit:
            held.served(about)

    _change(account.pk, end)


@transaction.atomic
def _change(account_id: str, change: Callable[[ProviderAccount], None]) -> ProviderAccount:
    account = hold(account_id)
    before = account.circuit
    change(account)
    account.save(update_fields=CIRCUIT)
    if account.circuit != before:
        transaction.on_commit(partial(_tell, account))
    return account


def _tell(account: ProviderAccount) -> None:
    told = {"account": account.pk, "provider": account.provider, "title": account.title}
    if account.circuit == State.OPEN:
        log.critical("provider.taken_out", **told, about=account.failing_at, reason=account.failure_reason)
    elif account.circuit == State.HALF_OPEN:
        log.warning("provider.on_trial", **told)
    else:
        log.warning("provider.works_again", **told)


def begin_check(account: ProviderAccount, due_at: datetime) -> Callable[[], object]:
    """Checks the connection after the transaction; another process does so if this one dies."""
    account.check_at = utcnow() + LEASE
    account.save(update_fields=["check_at"])
    return partial(_check, account)


def _check(account: ProviderAccount) -> None:
    """What was put back in the meantime, or failed once more, is not changed."""
    failure = failure_of(account.provider, bytes(account.sealed_credentials))

    def take(held: ProviderAccount) -> None:
        if held.check_at != account.check_at:
            return
        if held.failures and not held.is_taken_out and not failure:
            _doubt(held)
        held.checked(failure, utcnow())

    _change(account.pk, take)


def _doubt(account: ProviderAccount) -> None:
    """It answers, and yet its calls fail: for what was sent, or in a part of it that no check reaches."""
    told = {"account": account.pk, "title": account.title, "about": account.failing_at}
    if account.fails_for_several:
        log.critical("provider.doubted", **told, reason=account.failure_reason)
    else:
        log.warning("provider.fails_for_one", **told, reason=account.failure_reason)


@transaction.atomic
def put_back(by: Actor, account_id: str, note: str) -> ProviderAccount:
    """Ends the time out, or the trial, by hand. Raises ONP409_PROVIDER_ACCOUNT_STATE, ONP409_PROVIDER_ACCOUNT_WORKS."""
    account = hold(account_id)
    require_status(account, Status.ACTIVE, Status.PAUSED)
    if account.circuit == State.CLOSED:
        raise AccountWorks
    account = _change(account_id, ProviderAccount.put_back)
    write_down(by, "put_back", account, note, None)
    return account
