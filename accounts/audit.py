"""What people did, to be read by their company and by staff. Written in the transaction of what was done."""

from datetime import datetime
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet
from django.http import HttpRequest

from accounts.base.client_address import client_address
from accounts.base.listing import newest
from accounts.models import AuditEntry, Company, Merchant, User


def record(
    request: HttpRequest,
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
    """Adds what the person of this request did. `before` and `after` are JSON and hold no secret."""
    address = client_address(request)
    return AuditEntry.objects.create(
        company=company or (merchant.company if merchant else None),
        merchant=merchant,
        actor=request.user if isinstance(request.user, User) else None,
        by_staff=by_staff,
        action=action,
        object_id=object_id,
        before=before,
        after=after,
        note=note,
        address=str(address) if address else None,
        request_id=getattr(request, "request_id", ""),
    )


def on_the_host() -> HttpRequest:
    """Stands for what an operator does with a command: it has no person, and its note names who ran it."""
    request = HttpRequest()
    request.user = AnonymousUser()
    request.META |= {"REMOTE_ADDR": "127.0.0.1", "SERVER_NAME": "localhost", "SERVER_PORT": "443"}
    return request


def entries(
    company: Company,
    *,
    actor_id: int | None = None,
    by_staff: bool = False,
    action: str = "",
    created_from: datetime | None = None,
    created_to: datetime | None = None,
) -> QuerySet[AuditEntry]:
    """What was done to a company, newest first: by one of its people, or by our staff. `created_to` is exclusive."""
    found = AuditEntry.objects.filter(company=company).select_related("actor", "merchant")
    if by_staff:
        found = found.filter(by_staff=True)
    elif actor_id is not None:
        found = found.filter(by_staff=False, actor_id=actor_id)
    if action:
        found = found.filter(action=action)
    return newest(found, created_from, created_to)
