"""Provider accounts: entering, checking, activating, pausing and closing them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import structlog
from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext

from accounts import audit
from accounts.audit import Actor
from accounts.base.clock import utcnow
from accounts.base.errors import Fault
from accounts.errors import OwnRequest
from accounts.models import Environment, Merchant, User
from accounts.proposals.services import require_uninvolved
from gateway.providers.credentials import Given, SealedCredentials, sealed_of, without_secrets
from gateway.providers.errors import (
    AccountInUse,
    AccountNeeded,
    AccountState,
    AccountUnchecked,
    AccountUnknown,
    CallFailed,
    InvalidAccount,
)
from gateway.providers.models import ProviderAccount
from gateway.providers.needs import needs_of
from gateway.providers.owners import require_one_owner
from gateway.providers.provider import Provider
from gateway.providers.registry import declared
from gateway.providers.selectors import opened

log = structlog.get_logger()
Status, System = ProviderAccount.Status, ProviderAccount.System
REASON_LENGTH, NO_REASON = 255, gettext("No reason was given.")


@dataclass(frozen=True, slots=True)
class NewAccount:
    """An account as it is entered. `merchant` None: of the platform."""

    provider: str
    title: str
    system: str
    merchant: Merchant | None = None


@transaction.atomic
def enter(by: Actor, new: NewAccount, given: Given, note: str) -> ProviderAccount:
    """Stores an account that is used only after a second person has confirmed it.

    Raises ONP400_PROVIDER_ACCOUNT, ONP403_OWN_COMPANY and ONP409_PROVIDER_ACCOUNT_OWNER.
    """
    assert by.user is not None
    if new.provider not in declared():
        raise InvalidAccount(faults=[Fault("provider", "INVALID", gettext("There is no such provider."))])
    if new.merchant and new.merchant.environment != Environment.PRODUCTION:
        raise InvalidAccount(faults=[Fault("merchant", "INVALID", gettext("The sandbox has no provider accounts."))])
    require_uninvolved(by.user, [new.merchant.company_id] if new.merchant else [])
    account = ProviderAccount(
        provider=new.provider, title=new.title, merchant=new.merchant, system=new.system, entered_by=by.user
    )
    _seal_in(account, sealed_of(declared()[new.provider], given, new.system))
    require_one_owner(account)
    account.save(force_insert=True)
    write_down(by, "entered", account, note, before=None)
    return account


def hold(account_id: str) -> ProviderAccount:
    """The account, locked until the transaction ends. Raises ONP404_PROVIDER_ACCOUNT."""
    held = ProviderAccount.objects.select_for_update(of=("self",), no_key=True)
    found = held.select_related("merchant__company").filter(pk=account_id).first()
    if found is None:
        raise AccountUnknown
    return found


def failure_of(provider: str, sealed_credentials: bytes) -> str:
    """Why a connection with the credentials fails, without their secrets; "" if it succeeds.

    Connects to the institution: never call it inside a transaction.
    """
    try:
        return _failure_of(opened(provider, sealed_credentials))
    except Exception as broken:
        log.exception("provider.check_broke", provider=provider)
        return f"The check itself failed: {type(broken).__name__}."


def _failure_of(provider: Provider[Any]) -> str:
    try:
        provider.check()
    except CallFailed as failed:
        return without_secrets(failed.reason, provider.credentials)[:REASON_LENGTH] or NO_REASON
    return ""


def check(by: Actor, account: ProviderAccount) -> ProviderAccount:
    """Connects with the stored credentials, and stores the result with its time. Never inside a transaction."""
    sealed = bytes(account.sealed_credentials)
    failure = failure_of(account.provider, sealed)
    return _take_check(by, account.pk, sealed, failure)


@transaction.atomic(durable=True)
def _take_check(by: Actor, account_id: str, sealed: bytes, failure: str) -> ProviderAccount:
    account = hold(account_id)
    if bytes(account.sealed_credentials) == sealed:  # else they were replaced in the meantime
        account.checked_at, account.check_failure = utcnow(), failure
        account.save(update_fields=["checked_at", "check_failure"])
        write_down(by, "checked", account, failure, before=None)
    return account


def callback_address(account: ProviderAccount) -> str:
    """Where the institution sends its messages about the account."""
    return f"{settings.CALLBACKS_URL}/callbacks/{account.pk}"


def register_callbacks(by: Actor, account: ProviderAccount) -> str:
    """Tells the institution the address of callbacks; why that failed, without secrets, or "".

    Never inside a transaction. Raises ONP409_PROVIDER_ACCOUNT_STATE.
    """
    require_status(account, Status.ENTERED, Status.ACTIVE, Status.PAUSED)
    provider = opened(account.provider, bytes(account.sealed_credentials))
    try:
        provider.register_webhook(callback_address(account))
    except CallFailed as failed:
        return without_secrets(failed.reason, provider.credentials)[:REASON_LENGTH] or NO_REASON
    write_down(by, "callbacks_registered", account, "", before=None)
    return ""


def require_ready(account: ProviderAccount) -> None:
    """Raises ONP409_PROVIDER_ACCOUNT_STATE, ONP409_PROVIDER_UNCHECKED and ONP409_PROVIDER_ACCOUNT_OWNER if the account
    cannot become active.
    """
    require_status(account, Status.ENTERED, Status.PAUSED)
    if not account.passed_check:
        raise AccountUnchecked
    require_one_owner(account)


def activate(by: Actor, account: ProviderAccount, note: str) -> None:
    """The second person's decision. Raises ONP403_OWN_REQUEST for whoever entered the credentials."""
    require_ready(account)
    if account.status == Status.ENTERED:
        _confirm(by, account)
    _moved(by, account, Status.ACTIVE, "activated", note)


def require_replaceable(account: ProviderAccount, shown: dict[str, Any]) -> None:
    """Raises ONP409_PROVIDER_ACCOUNT_STATE for a closed account, and ONP409_PROVIDER_ACCOUNT_OWNER."""
    require_status(account, Status.ENTERED, Status.ACTIVE, Status.PAUSED)
    require_one_owner(account, shown)


def replace(
    by: Actor, account: ProviderAccount, entered: SealedCredentials, checked_at: datetime, entered_by: User, note: str
) -> None:
    """Credentials that another person has entered, and that passed the connection check, take the others' place.

    Raises what `require_replaceable` does, and ONP403_OWN_REQUEST.
    """
    require_replaceable(account, entered.shown)
    before = _facts(account)
    account.entered_by = entered_by
    if account.status != Status.ENTERED:
        _confirm(by, account)
    _seal_in(account, entered)
    account.checked_at, account.check_failure = checked_at, ""
    account.check_at = utcnow() if account.check_at else None  # they may have been the reason why it failed
    _save(
        account,
        "check_at",
        "sealed_credentials",
        "shown",
        "certificate_expires_at",
        "entered_by",
        "checked_at",
        "check_failure",
    )
    write_down(by, "credentials_replaced", account, note, before)


@transaction.atomic
def pause(by: Actor, account_id: str, note: str) -> ProviderAccount:
    """No new payments go there; what was begun there is still asked about. Raises ONP409_PROVIDER_ACCOUNT_STATE."""
    account = hold(account_id)
    require_status(account, Status.ACTIVE)
    return _moved(by, account, Status.PAUSED, "paused", note)


@transaction.atomic
def close(by: Actor, account_id: str, note: str) -> ProviderAccount:
    """Ends an account permanently. Payments that were paid there can still be refunded.

    Raises ONP409_PROVIDER_ACCOUNT_STATE, ONP409_PROVIDER_ACCOUNT_IN_USE, and ONP409_PROVIDER_ACCOUNT_NEEDED while
    payments, refunds, withdrawals or money in suspense are under way there.
    """
    account = hold(account_id)
    require_status(account, Status.ENTERED, Status.ACTIVE, Status.PAUSED)
    if account.routes.exists():
        raise AccountInUse
    if needs := needs_of(account):
        counted = [f"{what.capitalize()}: {number}." for what, number in needs.items()]
        raise AccountNeeded(faults=[Fault("account", "INVALID", sentence) for sentence in counted])
    return _moved(by, account, Status.CLOSED, "closed", note)


def require_status(account: ProviderAccount, *allowed: ProviderAccount.Status) -> None:
    """Raises ONP409_PROVIDER_ACCOUNT_STATE."""
    if account.status not in allowed:
        raise AccountState


def _moved(
    by: Actor, account: ProviderAccount, status: ProviderAccount.Status, done: str, note: str
) -> ProviderAccount:
    before = _facts(account)
    account.status = status
    _save(account, "status")
    write_down(by, done, account, note, before)
    return account


def _confirm(by: Actor, account: ProviderAccount) -> None:
    """Raises ONP403_OWN_REQUEST if nobody else has seen the credentials."""
    if by.user is not None and by.user == account.entered_by:
        raise OwnRequest
    account.confirmed_by, account.confirmed_on_host = by.user, by.user is None


def _seal_in(account: ProviderAccount, entered: SealedCredentials) -> None:
    account.sealed_credentials, account.shown = entered.sealed, entered.shown
    account.certificate_expires_at = entered.certificate_expires_at


def _save(account: ProviderAccount, *changed: str) -> None:
    account.updated_at = utcnow()
    account.save(update_fields=[*changed, "confirmed_by", "confirmed_on_host", "updated_at"])


def _facts(account: ProviderAccount) -> dict[str, Any]:
    """What the audit keeps. A company reads that of its own accounts."""
    return {"provider": account.provider, "title": account.title, "system": account.system, "status": account.status}


def write_down(by: Actor, action: str, account: ProviderAccount, note: str, before: dict[str, Any] | None) -> None:
    """Records what was done with the account; its company reads that."""
    audit.record(
        by,
        f"provider_account.{action}",
        merchant=account.merchant,
        object_id=account.pk,
        before=before,
        after=_facts(account),
        note=note,
        by_staff=True,
    )
