"""Staff decisions about a company's standing: suspend, reinstate, close permanently."""

from collections.abc import Callable
from typing import Any

from django.db import transaction
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts import audit, notices
from accounts.audit import Actor
from accounts.errors import CompanyState
from accounts.models import Company

Status = Company.Status


@transaction.atomic
def suspend(by: Actor, company: Company, reason: str) -> None:
    """The company can no longer take or move money; its owners read the reason. Raises ONP409_COMPANY_STATE."""
    held = hold(company.pk)
    require(held, Status.ACTIVE, Status.PENDING_VERIFICATION)
    texts = {"note": reason, "reason": reason}
    _turn(by, held, Status.SUSPENDED, "company.suspended", _("your company is suspended"), "suspended", **texts)


@transaction.atomic
def lift_suspension(by: Actor, company: Company, note: str) -> None:
    """Restores the status before the suspension. Raises ONP409_COMPANY_STATE."""
    held = hold(company.pk)
    require(held, Status.SUSPENDED)
    before = Status.ACTIVE if held.verified_at else Status.PENDING_VERIFICATION
    subject = _("your company is no longer suspended")
    _turn(by, held, before, "company.suspension_lifted", subject, "lifted", note=note)


@transaction.atomic
def close(by: Actor, company: Company, note: str, *, require_empty: Callable[[Company], None]) -> None:
    """Permanent; requires that `require_empty` finds no money. Raises ONP409_COMPANY_STATE and what `require_empty`
    raises.
    """
    held = hold(company.pk)
    require(held, *set(Status) - {Status.CLOSED})
    require_empty(held)
    _turn(by, held, Status.CLOSED, "company.closed", _("your company is closed"), "closed", note=note)


def hold(company_id: str) -> Company:
    """The company, locked until the transaction ends."""
    return Company.objects.select_for_update(no_key=True).get(pk=company_id)


def require(company: Company, *statuses: Company.Status) -> None:
    """Raises ONP409_COMPANY_STATE if the status is none of these."""
    if company.status not in statuses:
        raise CompanyState


def _turn(
    by: Actor,
    company: Company,
    status: Company.Status,
    audit_action: str,
    subject: str | Promise,
    what: str,
    *,
    note: str,
    **facts: Any,
) -> None:
    before, company.status = company.status, status
    company.save()
    changes: dict[str, Any] = {"before": {"status": before}, "after": {"status": status}}
    audit.record(by, audit_action, company=company, object_id=company.pk, note=note, by_staff=True, **changes)
    notices.notify_owners(company, subject, "by_support", "settings", what=what, **facts)
