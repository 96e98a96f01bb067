"""E-mails to members of a company, each in their language."""

from collections.abc import Collection, Iterable
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import transaction
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.functional import Promise

from accounts.emails import tasks
from accounts.emails.models import Email
from accounts.emails.topics import Topic
from accounts.environments import base_url
from accounts.models import Company, Environment, Merchant, User
from accounts.roles import Role

LONGEST_SUBJECT = 250


def notify_owners(
    company: Company, subject: str | Promise, template: str, page: str, *, also: Iterable[str] = (), **facts: Any
) -> None:
    """Writes `emails/<template>.txt` to the company's owners and to the addresses in `also`.

    It is sent after the commit and retried until the mail server accepts it. `page` is the dashboard page it links to;
    facts are plain: strings, numbers, times. None of them is a secret.
    """
    notify(company, (Role.OWNER,), subject, template, page, also=also, **facts)


def notify(
    company: Company,
    roles: Collection[Role],
    subject: str | Promise,
    template: str,
    page: str,
    *,
    args: tuple[str, ...] = (),
    environment: str = Environment.PRODUCTION,
    topic: Topic | None = None,
    also: Iterable[str] = (),
    **facts: Any,
) -> None:
    """Writes the e-mail to every member with one of these roles; `args` complete the address of the page.

    Members who turned the `topic` off are skipped; without a topic it is a security e-mail for everyone. Callers check
    `is_notified` before they notify about the sandbox.
    """
    people = User.objects.filter(memberships__company=company, memberships__role__in=roles, is_active=True)
    if topic:
        people = people.exclude(muted__contains=[topic])
    readers = {user.email: user for user in people}
    others = {email.lower() for email in also} - set(readers)
    readers |= {user.email: user for user in User.objects.filter(email__in=others)}
    path = reverse(f"dashboard:{page}", args=(company.pk, environment.lower(), *args))
    context = {"company": company, "environment": environment, "url": base_url(environment) + path, **facts}
    context["choice"] = settings.BASE_URL + reverse("dashboard:me")
    written = [
        _written(company, readers.get(email), email, subject, template, context) for email in {*readers, *others}
    ]
    if Email.objects.bulk_create(written):
        transaction.on_commit(tasks.wake, robust=True)


def is_notified(merchant: Merchant) -> bool:
    """Whether people are notified about this merchant: always in production, in the sandbox only if configured."""
    return merchant.environment == Environment.PRODUCTION or bool(settings.SANDBOX_NOTICES)


def _written(
    company: Company, reader: User | None, email: str, subject: str | Promise, template: str, context: dict[str, Any]
) -> Email:
    language, zone = (reader.language or reader.seen_language, reader.time_zone) if reader else ("", "")
    with translation.override(language or settings.LANGUAGE_CODE), timezone.override(ZoneInfo(zone or "UTC")):
        title = " ".join(f"Onpay Gateway: {subject}".split())[:LONGEST_SUBJECT]
        text = render_to_string(f"emails/{template}.txt", context | {"zone": zone or "UTC"})
    return Email(company=company, kind=template, recipient=email, subject=title, text=text)
