"""Beginning and ending a look of staff at a company's pages. Whether it counts is checked on every request."""

from datetime import timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest

from accounts import audit
from accounts.audit import Actor
from accounts.base.clock import utcnow
from accounts.models import Company, StaffView, User
from accounts.proposals.services import require_uninvolved

LASTS = timedelta(minutes=15)
PERMISSION = "accounts.view_as_company"
KEY = "staff_view"
"""Session key: the id of the look that this session began."""


@transaction.atomic
def begin(request: HttpRequest, company: Company, note: str) -> StaffView:
    """Lets this session read the company's pages for 15 minutes. An earlier look of the person ends.

    Call it after a fresh second factor. Raises ONP403_OWN_COMPANY.
    """
    assert isinstance(request.user, User)
    person = User.objects.select_for_update(no_key=True).get(pk=request.user.pk)
    require_uninvolved(person, [company.pk])
    for standing in _open(person):
        _end(standing, standing.user)
    now = utcnow()
    view = StaffView.objects.create(user=person, company=company, note=note, begun_at=now, ends_at=now + LASTS)
    request.session[KEY] = view.pk
    after = {"until": view.ends_at.isoformat(timespec="seconds")}
    audit.record(
        request, "company.viewed", company=company, object_id=company.pk, after=after, note=note, by_staff=True
    )
    return view


def current(request: HttpRequest, company_id: str) -> StaffView | None:
    """The look that allows this request to read pages of this company.

    It ends with its time, and at once if the person loses the permission.
    """
    view = begun_here(request)
    if view is None or view.company_id != company_id:
        return None
    if may_look(request.user) and utcnow() < view.ends_at:
        return view
    end(request)
    return None


def begun_here(request: HttpRequest) -> StaffView | None:
    """The open look of this session, whether its time has passed or not."""
    pk = request.session.get(KEY)
    if pk is None or not isinstance(request.user, User):
        return None
    return _open(request.user).filter(pk=pk).select_related("company").first()


def may_look(user: object) -> bool:
    return isinstance(user, User) and user.is_active and user.is_staff and user.has_perm(PERMISSION)


@transaction.atomic
def end(request: HttpRequest) -> Company | None:
    """Ends the look of this session; returns its company."""
    view = begun_here(request)
    request.session.pop(KEY, None)
    if view is None:
        return None
    held = _open(view.user).select_for_update(of=("self",), no_key=True).filter(pk=view.pk).first()
    if held:
        _end(held, view.user)
    return view.company


def end_overdue(most: int = 100) -> int:
    """Ends looks whose time has passed and whose session asks for nothing any more; returns how many."""
    with transaction.atomic():
        overdue = StaffView.objects.filter(ended_at=None, ends_at__lte=utcnow()).select_related("company", "user")
        found = list(overdue.select_for_update(of=("self",), skip_locked=True).order_by("ends_at")[:most])
        for view in found:
            _end(view, view.user)
    return len(found)


def _open(user: User) -> QuerySet[StaffView]:
    return StaffView.objects.filter(user=user, ended_at=None)


def _end(view: StaffView, by: User) -> None:
    view.ended_at = min(utcnow(), view.ends_at)
    view.save(update_fields=["ended_at"])
    after, actor = {"ended": view.ended_at.isoformat(timespec="seconds")}, Actor(by)
    audit.record(
        actor, "company.view_ended", company=view.company, object_id=view.company_id, after=after, by_staff=True
    )
