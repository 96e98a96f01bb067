"""Beginning, asking about and lifting the wait of a company's production withdrawals."""

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
    """To be called before the change, in its transaction: `touched` are the people whom it adds or changes.

    It waits for the withdrawals that are being accepted; those that come next see it.
    """
    owners = set(_owners(company).values_list("user_id", flat=True))
    now = utcnow()
    return WithdrawalWait.objects.create(
        company=company, why=why, began_at=now, until=now + LASTS, may_lift=sorted(owners - set(touched))
    )


def running(company_id: str) -> QuerySet[WithdrawalWait]:
    return WithdrawalWait.objects.filter(company=company_id, lifted_at=None, until__gt=utcnow())


def until(company_id: str) -> datetime | None:
    """When the last of the company's waits ends; None where withdrawals do not wait."""
    found: datetime | None = running(company_id).aggregate(last=Max("until"))["last"]
    return found


def require_over(merchant: Merchant) -> None:
    """Refuses with ONP403_WITHDRAWALS_WAIT. The sandbox never waits."""
    ends = until(merchant.company_id) if merchant.environment == Environment.PRODUCTION else None
    if ends:
        raise WithdrawalsWait(ends)


def may_lift(company: Company, person: User) -> bool:
    """Whether the person is an owner now, and was one before each of the changes, untouched by it."""
    is_owner = _owners(company).filter(user=person).exists()
    return is_owner and all(person.pk in wait.may_lift for wait in running(company.pk))


@transaction.atomic
def lift(request: HttpRequest, company: Company) -> None:
    """Lets withdrawals go on at once; owners are told. Refuses with ONP403_WAIT_STANDS."""
    assert isinstance(request.user, User)
    held = Company.objects.select_for_update(no_key=True).get(pk=company.pk)
    if not may_lift(held, request.user):
        raise WaitStands
    if not running(held.pk).update(lifted_at=utcnow(), lifted_by=request.user):
        return
    audit.record(request, "withdrawals.wait_lifted", company=held, object_id=held.pk)
    subject = _("withdrawals are no longer delayed")
    notices.tell_owners(held, subject, "wait_lifted", "settings", by=request.user.email)


def in_words(wait: WithdrawalWait | None) -> str:
    """When it ends, as e-mails say it; empty for none."""
    return f"{wait.until:%Y-%m-%d %H:%M} UTC" if wait else ""


def _owners(company: Company) -> QuerySet[Membership]:
    return Membership.objects.filter(company=company, role=Role.OWNER, user__is_active=True)
