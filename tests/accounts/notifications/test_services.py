"""Notifications are kept for a bounded time."""

from datetime import timedelta

from accounts.base.clock import utcnow
from accounts.base.ids import earliest
from accounts.models import Notification
from accounts.notices import notify_owners
from accounts.notifications import services
from tests.support.companies import Shop
from tests.support.people import a_member


def test_notifications_are_kept_for_ninety_days(acme: Shop) -> None:
    owner = a_member(acme.company)
    for _time in range(2):
        notify_owners(acme.company, "your company is verified", "verified", "home")
    theirs = Notification.objects.filter(user=owner).order_by("id")
    newest = theirs[1].pk
    past = earliest("ntf", utcnow() - services.KEPT_FOR - timedelta(hours=1))
    theirs.filter(pk=theirs[0].pk).update(id=past)

    assert services.forget_old() == 1
    assert [one.pk for one in theirs.all()] == [newest]
