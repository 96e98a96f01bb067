"""E-mails that were not sent are a queue of staff, who send them again."""

from django.core import mail
from django.test import Client
from django.urls import reverse

from accounts.models import Email
from gateway.staff.kit.columns import address
from tests.support.companies import Shop
from tests.support.people import browser_of
from tests.support.staff import support


def given_up(shop: Shop) -> Email:
    return Email.objects.create(
        company=shop.company,
        kind="verified",
        recipient="owner@acme.example",
        subject="Verified",
        text="It is.",
        status="FAILED",
        attempts=11,
        next_attempt_at=None,
        last_error="ConnectionRefusedError: away",
    )


def test_what_was_given_up_is_a_queue_and_is_sent_again(acme: Shop, staff: Client) -> None:
    email = given_up(acme)
    again = reverse("admin:accounts_email_send_again", args=[email.pk])
    listed = staff.get(address(Email, "changelist"), {"queue": "failed"}).content.decode()
    assert "owner@acme.example" in listed
    assert "Failed e-mails" in staff.get(reverse("admin:index")).content.decode()
    assert "ConnectionRefusedError: away" in staff.get(address(Email, "change", email.pk)).content.decode()

    assert staff.get(again).status_code == 200
    assert mail.outbox == []
    staff.post(again)

    assert [message.to for message in mail.outbox] == [["owner@acme.example"]]
    email.refresh_from_db()
    assert (email.status, email.attempts) == ("SENT", 1)
    assert "Only a failed e-mail can be sent again." in staff.post(again, follow=True).content.decode()
    assert len(mail.outbox) == 1


def test_who_may_only_look_sends_nothing(acme: Shop) -> None:
    email = given_up(acme)
    reader = browser_of(support("view_email"))

    assert reader.get(address(Email, "change", email.pk)).status_code == 200
    assert reader.post(reverse("admin:accounts_email_send_again", args=[email.pk])).status_code == 403

    email.refresh_from_db()
    assert (email.status, mail.outbox) == ("FAILED", [])
