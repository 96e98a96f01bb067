"""How people come to a company: they found it, or they are invited."""

import hashlib
import secrets
from datetime import timedelta

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.mail import send_mail
from django.db import models, transaction
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts import audit, services
from accounts.clock import wall
from accounts.models import Company, Invitation, Membership, User
from accounts.roles import Role

GOOD_FOR = timedelta(days=7)
INVITATION = "invitation"
"""In the session: the token of an invitation that somebody followed."""


class InvitationUnusable(Exception):
    """It was accepted or withdrawn, is over, or is for another address."""


@transaction.atomic
def found(request: HttpRequest, user: User, company: Company) -> Membership:
    """A company of one's own: its sandbox works at once, production waits for verification."""
    services.register(company)
    membership = Membership.objects.create(company=company, user=user, role=Role.OWNER)
    request.user = user
    audit.record(request, "company.founded", company=company, object_id=company.pk)
    return membership


@transaction.atomic
def invite(request: HttpRequest, company: Company, email: str, role: Role) -> Invitation:
    """Sends somebody a link that is good for seven days. An earlier invitation of theirs is withdrawn."""
    assert isinstance(request.user, User)
    now, token = wall(), secrets.token_urlsafe(32)
    _open(company).filter(email=email).update(withdrawn_at=now)
    invitation = Invitation.objects.create(
        company=company,
        email=email,
        role=role,
        digest=_digest(token),
        invited_by=request.user,
        expires_at=now + GOOD_FOR,
    )
    audit.record(request, "member.invited", company=company, object_id=email, after={"role": role})
    address = settings.BASE_URL + reverse("dashboard:invitation", args=[token])
    told = {"company": company, "by": request.user, "url": address}
    text = render_to_string("emails/invitation.txt", told)
    subject = _("%(company)s invites you to Onpay Gateway") % {"company": company.trade_name}
    transaction.on_commit(lambda: send_mail(" ".join(subject.split()), text, None, [email]), robust=True)
    return invitation


def invited(company: Company) -> list[Invitation]:
    """Whoever has not answered yet, newest first."""
    return list(_open(company).select_related("invited_by").order_by("-created_at"))


def withdraw(request: HttpRequest, company: Company, invitation_id: str) -> None:
    """The link opens nothing any more."""
    if _open(company).filter(pk=invitation_id).update(withdrawn_at=wall()):
        audit.record(request, "invitation.withdrawn", company=company, object_id=invitation_id)


def invitation_of(token: str) -> Invitation | None:
    """The open invitation with this token."""
    found = Invitation.objects.select_related("company", "invited_by").filter(digest=_digest(token)).first()
    return found if found and found.is_open else None


def invitation_in(request: HttpRequest | None) -> Invitation | None:
    """The open invitation that this browser followed."""
    token = request.session.get(INVITATION) if request else None
    return invitation_of(token) if token else None


@transaction.atomic
def accept(request: HttpRequest, token: str) -> Membership:
    """Raises InvitationUnusable. Only who has proved the address it was sent to may accept it."""
    assert isinstance(request.user, User)
    invitation = Invitation.objects.select_for_update().filter(digest=_digest(token)).first()
    if invitation is None or not invitation.is_open or not _is_theirs(request.user, invitation.email):
        raise InvitationUnusable
    invitation.accepted_at = wall()
    invitation.save(update_fields=["accepted_at"])
    membership, _made = Membership.objects.get_or_create(
        company=invitation.company, user=request.user, defaults={"role": invitation.role}
    )
    audit.record(request, "invitation.accepted", company=invitation.company, object_id=invitation.pk)
    return membership


def _is_theirs(user: User, email: str) -> bool:
    return bool(EmailAddress.objects.filter(user=user, email__iexact=email, verified=True).exists())


def _open(company: Company) -> models.QuerySet[Invitation]:
    return Invitation.objects.filter(company=company, accepted_at=None, withdrawn_at=None, expires_at__gt=wall())


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
