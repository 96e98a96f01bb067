"""What a company's owners are told by e-mail, each in their language."""

from typing import Any

import structlog
from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.functional import Promise

from accounts.models import Company, Environment, Membership
from accounts.roles import Role

log = structlog.get_logger()


def tell_owners(company: Company, subject: str | Promise, template: str, page: str, **facts: Any) -> None:
    """Sends `emails/<template>.txt` after the commit, with the address of a page of the dashboard.

    A mail server that is away is logged; nothing waits for it.
    """
    transaction.on_commit(lambda: _tell(company, subject, template, page, facts), robust=True)


def _tell(company: Company, subject: str | Promise, template: str, page: str, facts: dict[str, Any]) -> None:
    owners = Membership.objects.filter(company=company, role=Role.OWNER, user__is_active=True)
    path = reverse(f"dashboard:{page}", args=(company.pk, Environment.PRODUCTION.lower()))
    told = {"company": company, "url": settings.BASE_URL + path, **facts}
    for email, language in owners.values_list("user__email", "user__language"):
        with translation.override(language or settings.LANGUAGE_CODE):
            title, text = f"Onpay Gateway: {subject}", render_to_string(f"emails/{template}.txt", told)
        try:
            send_mail(title, text, None, [email])
        except OSError:
            log.exception("accounts.notice_not_sent", company=company.pk, notice=template)
