"""Messages of institutions: taken in as they are, and read later; each notice in them leads to a query."""

import re
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from functools import partial
from hashlib import sha256
from typing import Any, NamedTuple

import structlog
from celery.exceptions import SoftTimeLimitExceeded
from django.core.cache import cache
from django.db import IntegrityError, transaction
from django.db.models import F, Q
from redis.exceptions import RedisError

from accounts import audit
from accounts.audit import Actor
from accounts.base.clock import utcnow
from accounts.base.ids import is_well_formed
from accounts.base.sealing import seal, unseal
from gateway.providers import notices
from gateway.providers.errors import MessageUnknown, Unreadable
from gateway.providers.models import ProviderAccount, ProviderMessage
from gateway.providers.provider import Message, Notice
from gateway.providers.selectors import provider_of

log = structlog.get_logger()
REDACTED, NOT_READABLE, UNKNOWN = "[redacted]", "Not readable", "unknown"
LONGEST_VALUE = 500
HOUR_S = 3600
READING = timedelta(minutes=2)
"""How long one process may take to read a message before another one does."""
_SECRET = re.compile(r"auth|cookie|key|secret|signature|token|password", re.IGNORECASE)


class Reply(NamedTuple):
    """What a message that was taken in is answered with; no body: any 200 will do."""

    body: Mapping[str, Any] | None


def take(account_id: str, message: Message) -> Reply | None:
    """Stores a verified message for reading. One that came before is read once more: it may say "look again".

    None: the institution has not sent it, or there is no such account. Nobody can tell which, not by the time it
    takes either: what comes for an unknown account is verified for another one, and refused.
    """
    digest = sha256(message.path.encode() + b"\0" + message.body).hexdigest()
    account = _account_or_another(account_id if is_well_formed(account_id) else "")
    if account is None:
        return None
    is_known = account.pk == account_id
    if not (_is_genuine(account, message) and is_known):
        name = account.pk if is_known else UNKNOWN
        log.warning("callback.refused", account=name, times=_times_refused(name), path=message.path[:100])
        return None
    if not _repeated(account, digest):
        _store(account, message, digest)
    return Reply(provider_of(account).reply(message))


def _account_or_another(account_id: str) -> ProviderAccount | None:
    """The account, or the next one if it is unknown, by the same query; None while there is no account at all."""
    return ProviderAccount.objects.alias(is_before=Q(pk__lt=account_id)).order_by("is_before", "pk").first()


def _is_genuine(account: ProviderAccount, message: Message) -> bool:
    try:
        return provider_of(account).verify(message)
    except Exception:
        log.exception("callback.verification_broke", account=account.pk)
        return False


def _times_refused(name: str) -> int | None:
    """How often within an hour; None while that cannot be counted."""
    key = f"callbacks_refused:{name}"
    try:
        cache.add(key, 0, HOUR_S)
        return cache.incr(key)
    except (RedisError, ValueError):  # it is down, or the hour ended in between
        return None


def _repeated(account: ProviderAccount, digest: str) -> bool:
    known = ProviderMessage.objects.filter(account=account, digest=digest)
    return bool(known.update(repeats=F("repeats") + 1, read_due_at=utcnow()))


def _store(account: ProviderAccount, message: Message, digest: str) -> None:
    now = utcnow()
    stored = ProviderMessage(
        account=account,
        received_at=now,
        path=message.path.replace("\0", "")[:LONGEST_VALUE],
        headers={name: _shown(name, value) for name, value in message.headers.items()},
        certificate=message.certificate or "",
        sealed_body=seal(message.body),
        digest=digest,
        read_due_at=now,
    )
    try:
        with transaction.atomic():
            stored.save(force_insert=True)
    except IntegrityError:  # it came twice at once
        _repeated(account, digest)


def _shown(name: str, value: str) -> str:
    return REDACTED if _SECRET.search(name) else value[:LONGEST_VALUE]


def body_of(stored: ProviderMessage) -> bytes:
    """The body as it arrived."""
    return unseal(bytes(stored.sealed_body))


def begin_reading(stored: ProviderMessage, due_at: datetime) -> partial[None]:
    """Reserves the message for this process; what is returned reads it after the commit."""
    stored.read_due_at = utcnow() + READING
    stored.save(update_fields=["read_due_at"])
    return partial(_read, stored)


def _read(stored: ProviderMessage) -> None:
    reserved_until = stored.read_due_at
    outcome = _outcome(stored)
    mine = ProviderMessage.objects.filter(pk=stored.pk, read_due_at=reserved_until)  # else it came again meanwhile
    mine.update(read_due_at=None)
    ProviderMessage.objects.filter(pk=stored.pk).update(read_at=utcnow(), outcome=outcome[:LONGEST_VALUE])


def _outcome(stored: ProviderMessage) -> str:
    message = Message(stored.path, stored.headers, body_of(stored), stored.certificate or None)
    lines: list[str] = []
    try:
        found = provider_of(stored.account).read(message)
    except Unreadable as unreadable:
        log.warning("callback.unreadable", message=stored.pk, account=stored.account_id, reason=unreadable.reason)
        found, lines = unreadable.others, [f"{NOT_READABLE}: {unreadable.reason}"]
    except Exception as broken:  # it would raise each time: staff have it read again once it is repaired
        log.exception("callback.reading_broke", message=stored.pk, account=stored.account_id)
        return f"{NOT_READABLE}: {type(broken).__name__}"
    once = {_said(notice): notice for notice in found}  # a message may repeat an id 10,000 times
    lines += _handed_on(once.values(), stored.account)
    return "; ".join(lines) or "It concerns nothing of ours"


def _handed_on(found: Iterable[Notice], account: ProviderAccount) -> list[str]:
    """What was done about each. One that raises holds up no other: it raises at the end, and all are read again."""
    lines: list[str] = []
    raised: Exception | None = None
    for one in found:
        try:
            lines.append(f"{one.object_id}: {_done_about(one, account)}")
        except SoftTimeLimitExceeded:
            raise
        except Exception as error:  # noqa: BLE001  (any error of the notice)
            raised = error
    if raised:
        raise raised
    return lines


def _said(notice: Notice) -> tuple[object, ...]:
    answered = notice.outcome and (notice.about, notice.outcome.answered, notice.outcome.reference)
    return notice.object_id, notice.told, answered, notice.dispute


def _done_about(notice: Notice, account: ProviderAccount) -> str:
    if not notices.apply(notice, account):
        return "not ours"
    if notice.dispute:
        return str(notice.dispute.state)
    return f"{notice.about} {notice.outcome.answered}" if notice.outcome else "queried"


@transaction.atomic
def read_again(by: Actor, message_id: str, note: str) -> ProviderMessage:
    """Has the message read once more by the next sweep. Raises ONP404_PROVIDER_MESSAGE."""
    found = ProviderMessage.objects.select_for_update(of=("self",), no_key=True).select_related("account__merchant")
    stored = found.filter(pk=message_id).first()
    if stored is None:
        raise MessageUnknown
    stored.read_due_at = utcnow()
    stored.save(update_fields=["read_due_at"])
    audit.record(
        by,
        "provider_message.read_again",
        merchant=stored.account.merchant,
        object_id=stored.pk,
        note=note,
        by_staff=True,
    )
    return stored
