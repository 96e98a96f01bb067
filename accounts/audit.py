"""The audit log, read by the company and by staff. Entries are written in the transaction of the action."""

import getpass
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Q, QuerySet
from django.http import HttpRequest

from accounts.base.client_address import client_address
from accounts.base.listing import newest
from accounts.models import AuditEntry, Company, Merchant, User


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts, from which address and in which request: all empty for an operator's command."""

    user: User | None = None
    address: str | None = None
    request_id: str = ""

    @classmethod
    def of(cls, request: HttpRequest) -> "Actor":
        address = client_address(request)
        return cls(
            request.user if isinstance(request.user, User) else None,
            str(address) if address else None,
            getattr(request, "request_id", ""),
        )


ON_HOST = Actor()
NOTE_LENGTH = 500


def note_on_host(note: str, command: str) -> str:
    """The audit note of a host command: it names the command and the OS user who ran it, however long the note is."""
    signature = f" (manage.py {command}, run by {getpass.getuser()})"
    return note[: NOTE_LENGTH - len(signature)] + signature


def record(
    by: Actor | HttpRequest,
    action: str,
    *,
    company: Company | None = None,
    merchant: Merchant | None = None,
    object_id: str = "",
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
    note: str = "",
    by_staff: bool = False,
) -> AuditEntry:
    """Records an action of this actor, or of the person of this request. `before` and `after` are JSON without
    secrets.
    """
    actor = Actor.of(by) if isinstance(by, HttpRequest) else by
    return AuditEntry.objects.create(
        company=company or (merchant.company if merchant else None),
        merchant=merchant,
        actor=actor.user,
        by_staff=by_staff,
        action=action,
        object_id=object_id,
        before=before,
        after=after,
        note=note[:NOTE_LENGTH],
        address=actor.address,
        request_id=actor.request_id,
    )


def entries(
    company: Company,
    *,
    actor_id: int | None = None,
    by_staff: bool = False,
    action: str = "",
    created_from: datetime | None = None,
    created_to: datetime | None = None,
    subjects: Sequence[str] = (),
    object_id: str = "",
) -> QuerySet[AuditEntry]:
    """Actions on a company by its members or by staff, newest first. `created_to` is exclusive.

    `object_id` is that of the object, or of the entry itself. `subjects` limits
    them to actions on these types of object: "refund" for all that begin with "refund.".
    """
    found = AuditEntry.objects.filter(company=company).select_related("actor", "merchant")
    if by_staff:
        found = found.filter(by_staff=True)
    elif actor_id is not None:
        found = found.filter(by_staff=False, actor_id=actor_id)
    if object_id:
        found = found.filter(Q(object_id=object_id) | Q(pk=object_id))
    if subjects:
        found = found.filter(reduce(or_, (Q(action__startswith=f"{subject}.") for subject in subjects)))
    if action:
        found = found.filter(action=action)
    return newest(found, created_from, created_to)
