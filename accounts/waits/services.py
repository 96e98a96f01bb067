"""Starts, queries and lifts waiting periods of production withdrawals."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Max, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from accounts import audit, notices
from accounts.base.clock import utcnow
from accounts.models import Company, Environment, Membership, Merchant, User, WithdrawalWait
from accounts.roles import Role
from accounts.waits.errors import WaitStands, WithdrawalsWait

LASTS = timedelta(hours=24)


def begin(company: Company, why: WithdrawalWait.Why, touched: Iterable[int] = ()) -> WithdrawalWait:
    """Starts a waiting period. Call it before the change, in its transaction; `touched` are the people it adds or
    changes.

    It blocks until withdrawals being accepted are done; later ones see it.
    """
    owners = set(_owners(company).values_list("user_id", flat=True))
    now = utcnow()
    return WithdrawalWait.objects.create(
        company=company, why=why, began_at=now, until=now + LASTS, may_lift=sorted(owners - set(touched))
    )


def running(company_id: str) -> QuerySet[WithdrawalWait]:
    return WithdrawalWait.objects.filter(company=company_id, lifted_at=None, until__gt=utcnow())


def until(company_id: str) -> datetime | None:
    """The end of the company's last waiting period; None if withdrawals are not paused."""
    found: datetime | None = running(company_id).aggregate(last=Max("until"))["last"]
    return found


def require_over(merchant: Merchant) -> None:
    """Raises ONP403_WITHDRAWALS_WAIT. Never in the sandbox."""
    ends = until(merchant.company_id) if merchant.environment == Environment.PRODUCTION else None
    if ends:
        raise WithdrawalsWait(ends)


def may_lift(company: Company, person: User) -> bool:
    """Whether the person is an owner now and was one before each of the changes, which did not affect them."""
    is_owner = _owners(company).filter(user=person).exists()
    return is_owner and all(person.pk in wait.may_lift for wait in running(company.pk))


@transaction.atomic
def lift(request: HttpRequest, company: Company) -> None:
    """Ends the waiting period; owners are notified. Raises ONP403_WAIT_STANDS."""
    assert isinstance(request.user, User)
    held = Company.objects.select_for_update(no_key=True).get(pk=company.pk)
    if not may_lift(held, request.user):
        raise WaitStands
    if not running(held.pk).update(lifted_at=utcnow(), lifted_by=request.user):
        return
    audit.record(request, "withdrawals.wait_lifted", company=held, object_id=held.pk)
    subject = _("withdrawals are no longer delayed")
    notices.notify_owners(held, subject, "wait_lifted", "settings", by=request.user.email)


def in_words(wait: WithdrawalWait | None) -> str:
    """The end as e-mails show it; empty if there is none."""
    return f"{wait.until:%Y-%m-%d %H:%M} UTC" if wait else ""


def _owners(company: Company) -> QuerySet[Membership]:
    return Membership.objects.filter(company=company, role=Role.OWNER, user__is_active=True)
