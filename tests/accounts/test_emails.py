"""E-mails are written with the change, sent after it, and again until the mail server takes them."""

import smtplib
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from threading import Event, Thread
from typing import Any

import pytest
from django.core import mail
from django.core.mail.backends.base import BaseEmailBackend
from django.db import connection, transaction

from accounts import notices
from accounts.base.clock import utcnow
from accounts.base.ids import earliest
from accounts.emails import outbox
from accounts.models import Email, User
from accounts.roles import Role
from tests.support.companies import Shop
from tests.support.people import a_member, a_person

FAILING = f"{__name__}.MailServer"


class MailServer(BaseEmailBackend):
    """A mail server whose next answers the test chooses."""

    errors: list[Exception] = []
    taken: list[str] = []

    def send_messages(self, messages: Any) -> int:
        for message in messages:
            if self.errors:
                raise self.errors.pop(0)
            self.taken.append(message.to[0])
        return len(messages)


@pytest.fixture
def mail_server(settings: Any) -> Iterator[type[MailServer]]:
    settings.EMAIL_BACKEND = FAILING
    yield MailServer
    MailServer.errors, MailServer.taken = [], []


def tell(shop: Shop, **facts: Any) -> None:
    notices.notify_owners(shop.company, "your company is verified", "verified", "home", **facts)


def due_again() -> None:
    Email.objects.filter(status="PENDING").update(next_attempt_at=utcnow())


def test_each_owner_is_written_to_in_their_language(acme: Shop, globex: Shop) -> None:
    for email, language in [("ana@acme.example", "pt-br"), ("eva@acme.example", "es"), ("joe@acme.example", "en")]:
        User.objects.filter(pk=a_member(acme.company, email=email).pk).update(language=language)
    a_member(acme.company, Role.FINANCE)
    a_member(globex.company)

    tell(acme)

    written = dict(Email.objects.values_list("recipient", "text"))
    assert set(written) == {"ana@acme.example", "eva@acme.example", "joe@acme.example"} | owners(acme)
    assert "is verified" in written["joe@acme.example"]
    assert len({written[f"{one}@acme.example"] for one in ("ana", "eva", "joe")}) == 3


def owners(shop: Shop) -> set[str]:
    found = shop.company.memberships.filter(role=Role.OWNER).exclude(user__email__regex="^(ana|eva|joe)@")
    return set(found.values_list("user__email", flat=True))


def test_addresses_beside_the_owners_are_written_to_once(acme: Shop) -> None:
    owner = a_member(acme.company)
    a_person("old@acme.example", language="es")

    tell(acme, also=["OLD@acme.example", owner.email, "nobody@acme.example"])

    told = list(Email.objects.order_by("recipient").values_list("recipient", flat=True))
    assert sorted(set(told) - owners(acme) | {owner.email}) == [
        "nobody@acme.example", "old@acme.example", "owner@acme.example",
    ]  # fmt: skip
    assert len(told) == len(set(told))


def test_what_is_undone_is_not_told(acme: Shop, django_capture_on_commit_callbacks: Any) -> None:
    a_member(acme.company)
    with django_capture_on_commit_callbacks(execute=True) as asked, suppress(RuntimeError), transaction.atomic():
        tell(acme)
        raise RuntimeError

    assert (Email.objects.count(), asked, mail.outbox) == (0, [], [])


def test_it_is_sent_with_the_commit(acme: Shop, django_capture_on_commit_callbacks: Any) -> None:
    a_member(acme.company)
    with django_capture_on_commit_callbacks(execute=True):
        tell(acme)
        assert mail.outbox == []

    assert {message.to[0] for message in mail.outbox} == set(Email.objects.values_list("recipient", flat=True))
    assert set(Email.objects.values_list("status", "attempts", "next_attempt_at")) == {("SENT", 1, None)}
    assert outbox.send_due() == 0


def test_a_mail_server_that_is_away_is_asked_again_and_later_each_time(
    acme: Shop, mail_server: type[MailServer]
) -> None:
    email = an_email(acme)
    waits = []
    for _ in outbox.DELAYS_S:
        mail_server.errors = [ConnectionRefusedError("away")]
        assert outbox.send_due() == 1
        email.refresh_from_db()
        waits.append(round((email.next_attempt_at - utcnow()).total_seconds()))
        assert (email.status, outbox.send_due()) == ("PENDING", 0)
        due_again()

    assert waits == pytest.approx(outbox.DELAYS_S, abs=2)
    assert email.last_error == "ConnectionRefusedError: away"
    assert outbox.send_due() == 1
    email.refresh_from_db()
    assert (email.status, email.attempts, mail_server.taken) == ("SENT", 11, [email.recipient])


def test_after_two_days_it_is_given_up_and_staff_send_it_again(acme: Shop, mail_server: type[MailServer]) -> None:
    email = an_email(acme)
    for _ in range(11):
        mail_server.errors = [OSError("away")]
        outbox.send_due()
        due_again()

    email.refresh_from_db()
    assert (email.status, email.next_attempt_at, outbox.send_due()) == ("FAILED", None, 0)
    assert outbox.send_again(email)
    assert (outbox.send_due(), mail_server.taken) == (1, [email.recipient])
    assert not outbox.send_again(email)


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (smtplib.SMTPRecipientsRefused({"a@b.example": (550, b"no such user")}), "FAILED"),
        (smtplib.SMTPRecipientsRefused({"a@b.example": (450, b"try later")}), "PENDING"),
        (smtplib.SMTPServerDisconnected(), "PENDING"),
        (ValueError("no header"), "FAILED"),
    ],
)
def test_what_the_mail_server_refuses_for_good_is_given_up(
    acme: Shop, mail_server: type[MailServer], error: Exception, status: str
) -> None:
    email = an_email(acme)
    mail_server.errors = [error]

    outbox.send_due()

    email.refresh_from_db()
    assert (email.status, email.attempts) == (status, 1)


def test_many_that_fail_delay_no_other(acme: Shop, mail_server: type[MailServer]) -> None:
    for _ in range(30):
        an_email(acme)
    mail_server.errors = [OSError("away")] * 30
    assert outbox.send_due() == 30

    fresh = an_email(acme)

    assert outbox.send_due() == 1
    fresh.refresh_from_db()
    assert fresh.status == "SENT"


@pytest.mark.django_db(transaction=True)
def test_two_workers_send_each_email_once(mail_server: type[MailServer]) -> None:
    for n in range(40):
        Email.objects.create(kind="verified", recipient=f"p{n}@acme.example", subject="s", text="t")
    go = Event()

    def work() -> None:
        go.wait()
        try:
            outbox.send_due()
        finally:
            connection.close()

    workers = [Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    go.set()
    for worker in workers:
        worker.join()

    assert sorted(mail_server.taken) == sorted(f"p{n}@acme.example" for n in range(40))


def test_who_dies_with_one_in_hand_leaves_it_to_the_next(acme: Shop, mail_server: type[MailServer]) -> None:
    email = an_email(acme)
    mail_server.errors = [KeyboardInterrupt()]  # type: ignore[list-item]
    with pytest.raises(KeyboardInterrupt):
        outbox.send_due()

    assert outbox.send_due() == 0
    due_again()
    assert outbox.send_due() == 1
    email.refresh_from_db()
    assert (email.status, email.attempts) == ("SENT", 2)


def test_it_is_forgotten_after_thirty_days(acme: Shop) -> None:
    old, kept = an_email(acme), an_email(acme)
    Email.objects.filter(pk=old.pk).update(id=earliest("eml", utcnow() - timedelta(days=30, minutes=1)))

    assert outbox.forget_old() == 1

    assert list(Email.objects.values_list("pk", flat=True)) == [kept.pk]


def an_email(shop: Shop) -> Email:
    return Email.objects.create(
        company=shop.company, kind="verified", recipient="owner@acme.example", subject="Verified", text="It is."
    )
