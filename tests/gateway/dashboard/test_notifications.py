"""The notification centre: each person reads what they were told, as long as their role is one of those told."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from accounts.models import Email, Membership, Notification
from accounts.notices import notify_owners
from accounts.roles import Role
from gateway.dashboard.notifications.words import KIND
from gateway.refunds import services as refunds
from tests.support.companies import Shop
from tests.support.pages import Page
from tests.support.pages import text_of as text
from tests.support.payments import a_payment
from tests.support.people import a_member, signed_in


@pytest.fixture
def dispute(acme: Shop, owner: Client, support: Client, viewer: Client) -> Any:
    """A payer of the sandbox asks for money back, after these people joined."""
    return refunds.dispute(acme.sandbox, a_payment(acme.sandbox, "PAID").pk, reason_code="NOT_RECEIVED")


def of(role: str) -> Notification:
    """What this person was told."""
    return Notification.objects.get(user__email=f"{role}@acme.example")


def test_a_person_finds_reads_and_opens_what_they_were_told(
    acme: Shop, page: Page, support: Client, dispute: Any
) -> None:
    assert not Email.objects.exists()  # this service mails nothing about the sandbox
    shown = support.get(page("notifications"))
    assert "A payer asks for money back" in text(shown) and dispute.payment.reference in text(shown)
    assert shown.context["navigation"].unread == "1"
    told = of("support")

    assert support.get(page("notification", told.pk))["Location"] == page("refund", dispute.pk)

    home = support.get(page("home"))
    assert home.context["navigation"].unread == ""
    assert "No notifications found" in text(support.get(page("notifications") + "?unread=1"))
    assert "A payer asks" in text(support.get(page("notifications") + "?kind=dispute_opened"))
    other = of("owner")
    assert other.read_at is None


def test_all_are_marked_as_read_but_only_ones_own(acme: Shop, page: Page, support: Client, dispute: Any) -> None:
    assert support.get(page("read_notifications")).status_code == 405
    support.post(page("read_notifications"))

    assert of("support").read_at is not None and of("owner").read_at is None


def test_who_joins_later_was_told_nothing(acme: Shop, page: Page, dispute: Any) -> None:
    late = signed_in(a_member(acme.company, Role.OWNER, "late@acme.example"))

    assert "A payer asks" not in text(late.get(page("notifications")))


def test_a_notice_disappears_with_the_role_and_with_the_membership(
    acme: Shop, page: Page, support: Client, dispute: Any
) -> None:
    told = of("support")
    member = Membership.objects.filter(user__email="support@acme.example")
    member.update(role=Role.DEVELOPER)

    listed = support.get(page("notifications"))
    assert "A payer asks" not in text(listed) and listed.context["navigation"].unread == ""
    assert support.get(page("notification", told.pk)).status_code == 404

    member.delete()
    assert support.get(page("notifications")).status_code == 404
    assert support.get(page("notification", told.pk)).status_code == 404
    told.refresh_from_db()
    assert told.read_at is None


def test_nobody_opens_or_reads_a_notice_of_others(acme: Shop, page: Page, dispute: Any, stranger: Client) -> None:
    told = of("support")
    theirs = page("notifications").replace(acme.company.pk, "{}")
    company = Membership.objects.get(user__email__startswith="owner@globex").company_id

    assert stranger.get(page("notification", told.pk)).status_code == 404
    assert stranger.get(theirs.format(company) + told.pk).status_code == 404
    assert "A payer asks" not in text(stranger.get(theirs.format(company)))
    colleague = signed_in(Membership.objects.get(user__email="viewer@acme.example").user)
    assert colleague.get(page("notification", told.pk)).status_code == 404
    assert of("support").read_at is None and of("owner").read_at is None


def test_who_may_not_open_a_page_of_money_reads_no_amount(acme: Shop, page: Page, support: Client) -> None:
    told = Membership.objects.get(user__email="support@acme.example").user

    notify_owners(
        acme.company,
        "a withdrawal waits for you",
        "verified",
        "withdrawals",
        also=[told.email],
    )

    shown = text(support.get(page("notifications", environment="production")))
    assert "A withdrawal waits for you" in shown and "is verified" not in shown


def test_every_kind_of_notice_has_a_name_to_filter_by() -> None:
    invitations = {"invitation", "staff_invitation", "locked_out"}  # to people outside of a team
    templates = {one.stem for one in Path("templates/emails").glob("[!_]*.txt")}
    assert templates - invitations == set(KIND)
