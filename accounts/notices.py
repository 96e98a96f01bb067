"""Telling members of a company: in the notification centre, and by e-mail, each in their language."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import transaction
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.functional import Promise

from accounts.base import clock
from accounts.emails import tasks
from accounts.emails.models import Email
from accounts.emails.topics import Topic
from accounts.environments import base_url
from accounts.models import Company, Environment, Membership, Merchant, User
from accounts.notifications.models import Notification
from accounts.roles import Role

LONGEST_SUBJECT = 250
LINES, LONGEST_LINE = 8, 300
"""Of a text in the notification centre; the rest is on the page it links to."""


@dataclass(frozen=True, slots=True)
class Place:
    """The dashboard page that a notice links to; `args` complete its address."""

    page: str
    args: tuple[str, ...] = ()
    query: str = ""

    def url(self, company: Company, environment: str) -> str:
        path = reverse(f"dashboard:{self.page}", args=(company.pk, environment.lower(), *self.args))
        return base_url(environment) + path + (f"?{self.query}" if self.query else "")


@dataclass(frozen=True)
class _Notice:
    """A subject and a template with its facts, rendered as readers need it."""

    subject: str | Promise
    template: str
    facts: dict[str, Any]

    def email(self, reader: User | None) -> tuple[str, str]:
        """Subject and text in the reader's language and zone."""
        language, zone = (reader.language or reader.seen_language, _zone(reader)) if reader else ("", "UTC")
        return self._rendered(language or settings.LANGUAGE_CODE, zone, self.facts)

    def wording(self, zone: str) -> dict[str, list[str]]:
        """Title and lines in every language: the first two paragraphs of the e-mail, shortened."""
        plain = self.facts | {"environment": ""}  # the page says itself that it is the sandbox
        rendered = {code: self._rendered(code, zone, plain) for code, _name in settings.LANGUAGES}
        return {code: [subject, *_lines(text)] for code, (subject, text) in rendered.items()}

    def _rendered(self, language: str, zone: str, facts: dict[str, Any]) -> tuple[str, str]:
        with translation.override(language), timezone.override(ZoneInfo(zone)):
            return str(self.subject), render_to_string(f"emails/{self.template}.txt", facts | {"zone": zone})


def notify_owners(
    company: Company, subject: str | Promise, template: str, page: str, *, also: Iterable[str] = (), **facts: Any
) -> None:
    """Tells the company's owners, and the addresses in `also`: see `notify`. None of the facts is a secret."""
    notify(company, (Role.OWNER,), subject, template, page, also=also, **facts)


def notify(
    company: Company,
    roles: Collection[Role],
    subject: str | Promise,
    template: str,
    page: str,
    *,
    args: tuple[str, ...] = (),
    query: str = "",
    environment: str = Environment.PRODUCTION,
    topic: Topic | None = None,
    also: Iterable[str] = (),
    mails_sandbox: bool = False,
    **facts: Any,
) -> None:
    """Tells every member with one of these roles, and whoever has an address in `also`, in `emails/<template>.txt`.

    All members among them find it in their notification centre. It is mailed as well, but not to members who turned
    the `topic` off (a notice without a topic is about security and mailed to everyone), and about the sandbox only if
    that is configured or `mails_sandbox`. E-mails are sent after the commit and retried until the mail server accepts
    them.
    """
    place, others = Place(page, args, query), {email.lower() for email in also}
    context = {"company": company, "environment": environment, "url": place.url(company, environment), **facts}
    notice = _Notice(subject, template, context | {"choice": settings.BASE_URL + reverse("dashboard:me")})
    team = Membership.objects.filter(company=company, user__is_active=True).select_related("user")
    told = [member for member in team if member.role in roles or member.user.email in others]
    _show(told, roles, notice, place, company, environment)
    if environment == Environment.PRODUCTION or settings.SANDBOX_NOTICES or mails_sandbox:
        mailed = [member.user for member in told if member.role in roles and topic not in member.user.muted]
        _mail(company, notice, {user.email: user for user in mailed}, others)


def is_notified(merchant: Merchant) -> bool:
    """Whether people are notified about this merchant by e-mail: in production, in the sandbox only if configured."""
    return merchant.environment == Environment.PRODUCTION or bool(settings.SANDBOX_NOTICES)


def _show(
    told: list[Membership],
    roles: Collection[Role],
    notice: _Notice,
    place: Place,
    company: Company,
    environment: str,
) -> None:
    """Writes a notification for each; whoever was told by address sees it in the role they have now."""
    merchant = Merchant.objects.filter(company=company, environment=environment).first() if told else None
    if merchant is None:
        return
    now, wording = clock.now(merchant), cache(notice.wording)
    Notification.objects.bulk_create(
        Notification(
            merchant=merchant,
            user=member.user,
            kind=notice.template,
            wording=wording(_zone(member.user)),
            page=place.page,
            args=list(place.args),
            query=place.query,
            roles=sorted({*map(str, roles), member.role}),
            created_at=now,
        )
        for member in told
    )


def _mail(company: Company, notice: _Notice, readers: dict[str, User], others: set[str]) -> None:
    others = others - set(readers)
    readers = readers | {user.email: user for user in User.objects.filter(email__in=others)}
    written = [_written(company, notice, email, readers.get(email)) for email in {*readers, *others}]
    if Email.objects.bulk_create(written):
        transaction.on_commit(tasks.wake, robust=True)


def _written(company: Company, notice: _Notice, email: str, reader: User | None) -> Email:
    subject, text = notice.email(reader)
    title = " ".join(f"Onpay Gateway: {subject}".split())[:LONGEST_SUBJECT]
    return Email(company=company, kind=notice.template, recipient=email, subject=title, text=text)


def _zone(person: User) -> str:
    return person.time_zone or "UTC"


def _lines(text: str) -> list[str]:
    """The lines of the first two paragraphs."""
    paragraphs = [part.strip() for part in text.split("\n\n") if part.strip()]
    lines = [line.strip() for part in paragraphs[:2] for line in part.splitlines() if line.strip()]
    return [line[:LONGEST_LINE] for line in lines[:LINES]]
