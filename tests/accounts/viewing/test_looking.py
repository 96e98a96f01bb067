"""Support sees what a company sees: nothing moves, nothing leaves, and it ends by itself."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from accounts.base.clock import utcnow
from accounts.models import AuditEntry, Membership, StaffView, User
from accounts.viewing.services import end_overdue
from gateway.dashboard import urls
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.people import a_member, browser_of, signed_in, six_minutes_pass
from tests.support.proposals import NOTE, action
from tests.support.staff import support

pytestmark = pytest.mark.django_db
SEEN = ("home", "payments", "refunds", "customers", "balance", "statement", "receivables", "withdrawals", "keys",
        "webhooks", "events", "requests", "team", "settings", "go_live")  # fmt: skip


@pytest.fixture
def agent(db: None) -> User:
    return support("view_company", "view_as_company")


@pytest.fixture
def looking(agent: User, acme: Shop) -> Client:
    """A browser of staff that has begun to look at acme."""
    browser = browser_of(agent)
    answer = browser.post(action(acme.company, "look"), NOTE)
    assert answer["Location"] == page(acme, "home", "production")
    return browser


def page(shop: Shop, name: str, environment: str = "sandbox", *args: str) -> str:
    return reverse(f"dashboard:{name}", args=(shop.company.pk, environment, *args))


def test_staff_read_the_pages_of_a_company_and_its_owners_see_that(looking: Client, acme: Shop) -> None:
    payment = a_payment(acme.sandbox, "PAID")
    for name in SEEN:
        shown = looking.get(page(acme, name))
        assert shown.status_code == 200, name
    assert "Read-only" in shown.content.decode()
    assert looking.get(page(acme, "payment", "sandbox", payment.pk)).status_code == 200

    assert looking.post(reverse("dashboard:end_look"))["Location"].endswith(f"/company/{acme.company.pk}/change/")
    assert looking.get(page(acme, "home")).status_code == 404
    written = AuditEntry.objects.filter(company=acme.company, by_staff=True).order_by("id")
    assert [one.action for one in written] == ["company.viewed", "company.view_ended"]
    told = signed_in(a_member(acme.company)).get(page(acme, "audit", "production")).content.decode()
    assert "Support looked at your pages" in told


def test_every_form_file_and_page_behind_the_second_factor_is_refused(looking: Client, acme: Shop) -> None:
    payment = a_payment(acme.sandbox, "PAID")
    before = AuditEntry.objects.count()
    asked = 0
    for pattern in urls.company:
        if not pattern.pattern.converters:
            where = page(acme, pattern.name)
            assert looking.post(where, {"on": "1", "name": "x"}).status_code in (403, 405), pattern.name
            if getattr(pattern.callback, "steps_up", False):
                asked += 1
                assert looking.get(where).status_code == 403, pattern.name
    assert asked > 3
    for where in (
        f"{page(acme, 'payments')}?format=csv", f"{page(acme, 'refunds')}?format=csv",
        f"{page(acme, 'customers')}?format=csv", page(acme, "payment_receipt", "sandbox", payment.pk),
    ):  # fmt: skip
        answer = looking.get(where)
        assert answer.status_code in (403, 404) or b"Read-only" in answer.content, where
        assert "Content-Disposition" not in answer, where
    assert (AuditEntry.objects.count(), Membership.objects.filter(user__is_staff=True).count()) == (before, 0)


def test_it_is_one_company_one_session_and_one_quarter_of_an_hour(
    looking: Client, agent: User, acme: Shop, globex: Shop
) -> None:
    assert looking.get(page(globex, "home")).status_code == 404
    other = signed_in(agent)
    assert other.get(page(acme, "home")).status_code == 404

    StaffView.objects.update(ends_at=utcnow() - timedelta(seconds=1))
    assert looking.get(page(acme, "home"))["Location"] == reverse("admin:index")
    assert looking.get(page(acme, "home")).status_code == 404
    assert AuditEntry.objects.filter(action="company.view_ended").count() == 1


def test_it_ends_with_the_permission_and_without_anybody_looking(looking: Client, agent: User, acme: Shop) -> None:
    agent.user_permissions.remove(Permission.objects.get(codename="view_as_company"))
    assert looking.get(page(acme, "home")).status_code == 302
    assert StaffView.objects.get().ended_at is not None
    StaffView.objects.update(ended_at=None, ends_at=utcnow() - timedelta(seconds=1))
    assert (end_overdue(), end_overdue()) == (1, 0)
    assert AuditEntry.objects.filter(action="company.view_ended").count() == 2


def test_a_note_a_fresh_factor_and_no_part_in_the_company_are_needed(agent: User, acme: Shop) -> None:
    browser = browser_of(agent)
    assert browser.post(action(acme.company, "look"), {}).status_code == 200
    six_minutes_pass(browser)
    assert "/accounts/" in browser.post(action(acme.company, "look"), NOTE)["Location"]
    Membership.objects.create(company=acme.company, user=agent, role="VIEWER")
    browser_of(agent).post(action(acme.company, "look"), NOTE)
    Membership.objects.filter(user=agent).delete()
    agent.user_permissions.remove(Permission.objects.get(codename="view_as_company"))
    assert browser_of(agent).post(action(acme.company, "look"), NOTE).status_code == 403
    assert not StaffView.objects.exists()
