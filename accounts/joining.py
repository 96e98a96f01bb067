"""How people join and leave a company: they create it, are invited, change roles, are removed."""

import hashlib
import secrets
from collections import defaultdict
from datetime import timedelta

from allauth.account.models import EmailAddress
from allauth.core.internal import ratelimit
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.core.mail import send_mail
from django.db import models, transaction
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts import audit, names, notices, services
from accounts.audit import Actor
from accounts.base.clock import utcnow
from accounts.base.ids import is_well_formed
from accounts.errors import (
    AlreadyMember,
    CompanyState,
    LastOwner,
    PersonState,
    RoleExceedsRights,
    TooManyCompanies,
    TooManyInvitations,
)
from accounts.models import Company, Invitation, Membership, User, WithdrawalWait
from accounts.roles import GRANTS, May, Role
from accounts.second_factor import WANTED
from accounts.waits import services as waits

GOOD_FOR = timedelta(days=7)
MOST_A_DAY = 20
"""Limit of invitations per day and company, and per person: anybody who signs up can send e-mails in our name."""
MOST_TO_ONE = 5
"""Limit of invitations to one address per day, from all companies together."""
FROM_ONE_PLACE = {"invite": "60/d/ip"}
MOST_UNVERIFIED = 3
"""Limit of unverified companies per person."""
INVITATION = "invitation"
"""Session key: the token of an invitation link that was opened."""


class InvitationUnusable(Exception):
    """It was accepted or withdrawn, has expired, or is for another address."""


@transaction.atomic
def found(request: HttpRequest, user: User, company: Company) -> Membership:
    """Creates a company: its sandbox works immediately, production after verification.

    Raises ONP429_COMPANIES and ONP400_COMPANY_NAME.
    """
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    waiting = Company.objects.filter(memberships__user=user, memberships__role=Role.OWNER, verified_at=None)
    if waiting.count() >= MOST_UNVERIFIED:
        raise TooManyCompanies
    names.require_plain(company)
    services.register(company)
    membership = Membership.objects.create(company=company, user=user, role=Role.OWNER)
    request.user = user
    audit.record(request, "company.founded", company=company, object_id=company.pk)
    return membership


@transaction.atomic
def invite(request: HttpRequest, company: Company, email: str, role: Role) -> Invitation:
    """Sends an invitation link that is valid for seven days, and withdraws an earlier one to the same address.

    Raises ONP403_ROLE_RIGHTS if the role has more permissions than the inviter's, ONP409_MEMBER for a member, and
    ONP429_INVITATIONS above the daily limits of company, person, origin or address.
    """
    assert isinstance(request.user, User)
    now, token = utcnow(), secrets.token_urlsafe(32)
    _hold(company)
    if not may_give(request.user, company, role):
        raise RoleExceedsRights(field="role")
    if Membership.objects.filter(company=company, user__email__iexact=email).exists():
        raise AlreadyMember(field="email")
    _require_few(request, request.user, company, email)
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
    _write_to(email, company, request.user, token)
    return invitation


def _require_few(request: HttpRequest, inviter: User, company: Company, email: str) -> None:
    sent = Invitation.objects.filter(created_at__gt=utcnow() - timedelta(days=1))
    is_much = (
        sent.filter(company=company).count() >= MOST_A_DAY
        or sent.filter(invited_by=inviter).count() >= MOST_A_DAY
        or sent.filter(email=email).count() >= MOST_TO_ONE
    )
    if is_much or not ratelimit.consume(request, app="accounts", action="invite", config=FROM_ONE_PLACE):
        raise TooManyInvitations


def _write_to(email: str, company: Company, by: User, token: str) -> None:
    """An unverified company is named in the text only, and without anything clickable."""
    is_known = company.verified_at is not None
    name = company.trade_name if is_known else names.without_links(company.trade_name)
    facts = {"company": name, "by": by, "url": settings.BASE_URL + reverse("dashboard:invitation", args=[token])}
    text = render_to_string("emails/invitation.txt", facts)
    subject = _("%(company)s invited you to Onpay Gateway") % {"company": name} if is_known else _("An invitation")
    title = " ".join(subject.split()) if is_known else f"Onpay Gateway: {subject}"
    transaction.on_commit(lambda: send_mail(title, text, None, [email]), robust=True)


def may_give(inviter: User, company: Company, role: Role) -> bool:
    """Whether this person can assign the role: an active member who manages the team and has all its permissions."""
    own = Membership.objects.filter(company=company, user=inviter, user__is_active=True).first()
    return own is not None and {May.MANAGE, *GRANTS[role]} <= GRANTS[Role(own.role)]


def stands(invitation: Invitation) -> bool:
    """An invitation is valid only while its inviter can still assign the role."""
    return may_give(invitation.invited_by, invitation.company, Role(invitation.role))


def invited(company: Company) -> list[Invitation]:
    """Open invitations, newest first."""
    return list(_open(company).select_related("company", "invited_by").order_by("-created_at"))


def open_invitation(company: Company, invitation_id: str) -> Invitation | None:
    """The company's open invitation with this id."""
    return _open(company).filter(pk=invitation_id).first() if is_well_formed(invitation_id) else None


@transaction.atomic
def withdraw(request: HttpRequest, company: Company, invitation_id: str) -> None:
    """Invalidates the invitation link."""
    invitation = open_invitation(company, invitation_id)
    if invitation and _open(company).filter(pk=invitation.pk).update(withdrawn_at=utcnow()):
        audit.record(request, "invitation.withdrawn", company=company, object_id=invitation.email)


def invitation_of(token: str) -> Invitation | None:
    """The open invitation with this token."""
    found = Invitation.objects.select_related("company", "invited_by").filter(digest=_digest(token)).first()
    return found if found and found.is_open and stands(found) else None


def invitation_in(request: HttpRequest | None) -> Invitation | None:
    """The open invitation whose link was opened in this browser."""
    token = request.session.get(INVITATION) if request else None
    return invitation_of(token) if token else None


@transaction.atomic
def accept(request: HttpRequest, token: str) -> Membership:
    """Accepts the invitation. Raises InvitationUnusable unless the person has verified the address it was sent to and
    the inviter can still assign the role.
    """
    assert isinstance(request.user, User)
    invitation = _held_invitation(token)
    if not invitation.is_open or not stands(invitation) or not _owns_address(request.user, invitation.email):
        raise InvitationUnusable
    invitation.accepted_at = utcnow()
    invitation.save(update_fields=["accepted_at"])
    membership, _made = Membership.objects.get_or_create(
        company=invitation.company, user=request.user, defaults={"role": invitation.role}
    )
    audit.record(request, "invitation.accepted", company=invitation.company, object_id=invitation.pk)
    facts = {"email": request.user.email, "role": membership.role}
    notices.notify_owners(
        invitation.company, gettext_lazy("someone joined your team"), "member_joined", "team", **facts
    )
    return membership


def _held_invitation(token: str) -> Invitation:
    """Takes the team's lock first: an inviter who is removed meanwhile invalidates the invitation."""
    known = Invitation.objects.filter(digest=_digest(token)).select_related("company").first()
    if known is None:
        raise InvitationUnusable
    _hold(known.company)
    return Invitation.objects.select_for_update(of=("self",)).select_related("company", "invited_by").get(pk=known.pk)


def team(company: Company) -> models.QuerySet[Membership]:
    """The members of a company, by e-mail address."""
    return Membership.objects.filter(company=company).select_related("user").order_by("user__email")


def factors(company: Company) -> dict[int, list[str]]:
    """The types of second factor that members of a company have set up: user id → types."""
    found: dict[int, list[str]] = defaultdict(list)
    theirs = Authenticator.objects.filter(user__memberships__company=company, type__in=WANTED).order_by("type")
    for user_id, kind in theirs.values_list("user_id", "type").distinct():
        found[user_id].append(kind)
    return found


def member(company: Company, member_id: int) -> Membership | None:
    return team(company).filter(pk=member_id).first()


@transaction.atomic
def change_role(request: HttpRequest, company: Company, member_id: int, role: Role) -> None:
    """Changes a member's role. Raises ONP409_LAST_OWNER."""
    found = _held(company, member_id)
    if found is None or found.role == role:
        return
    if found.role == Role.OWNER:
        _require_another_owner(found)
    before, found.role, found.role_since = found.role, role, utcnow()
    found.save(update_fields=["role", "role_since"])
    audit.record(
        request,
        "member.role_changed",
        company=company,
        object_id=found.user.email,
        before={"role": before},
        after={"role": role},
    )
    _notify_role_change(request, found, before=before, after=role)


@transaction.atomic
def remove(request: HttpRequest, company: Company, member_id: int) -> None:
    """Removes a member, effective with their next request. Raises ONP409_LAST_OWNER."""
    found = _held(company, member_id)
    if found is None:
        return
    if found.role == Role.OWNER:
        _require_another_owner(found)
    found.delete()
    audit.record(request, "member.removed", company=company, object_id=found.user.email, before={"role": found.role})
    _notify_role_change(request, found, before=found.role, after="")


def _notify_role_change(request: HttpRequest, found: Membership, *, before: str, after: str) -> None:
    """Notifies the owners and the person."""
    assert isinstance(request.user, User)
    person = found.user.email
    notices.notify_owners(
        found.company,
        gettext_lazy("a role in your team changed"),
        "member_changed",
        "team",
        also=(person,),
        email=person,
        by=request.user.email,
        before=before,
        after=after,
    )


# ── Staff ─────────────────────────────────────────────────────────────────────────────────────────────────────────
@transaction.atomic
def assign(by: Actor, company: Company, person: User, role: Role | None, note: str) -> None:
    """Staff assign or remove a role: owners are notified, and production withdrawals are paused for a day.

    Raises ONP409_LAST_OWNER, and ONP409_PERSON_STATE if nothing would change.
    """
    _hold(company)
    held = Membership.objects.filter(company=company, user=person).first()
    before = Role(held.role) if held else None
    require_assignable(held, role)
    wait = waits.begin(company, WithdrawalWait.Why.TEAM, [person.pk])
    if role is None:
        Membership.objects.filter(company=company, user=person).delete()
    else:
        given = {"role": role, "role_since": utcnow()}
        Membership.objects.update_or_create(company=company, user=person, defaults=given)
    audit_action, what = _ASSIGNED[(before is not None, role is not None)]
    audit.record(
        by,
        audit_action,
        company=company,
        object_id=person.email,
        before={"role": before} if before else None,
        after={"role": role} if role else None,
        note=note,
        by_staff=True,
    )
    roles = {"before": before or "–", "now": role or "–"}
    facts = {"what": what, "about": person.email, "until": waits.in_words(wait), **roles}
    subject = gettext_lazy("support changed your team")
    notices.notify_owners(company, subject, "by_support", "team", also=[person.email], **facts)


_ASSIGNED = {
    (False, True): ("member.added", "member_added"),
    (True, True): ("member.role_changed", "member_changed"),
    (True, False): ("member.removed", "member_removed"),
}
"""(was a member, is a member): the audit action and the text of the e-mail."""


def require_assignable(held: Membership | None, role: Role | None) -> None:
    """Raises ONP409_LAST_OWNER, and ONP409_PERSON_STATE if nothing would change."""
    if (held.role if held else None) == role:
        raise PersonState
    if held and held.role == Role.OWNER:
        _require_another_owner(held)


def _hold(company: Company) -> None:
    """Locks the team of a company until the transaction ends. Raises ONP409_COMPANY_STATE: the operator has none."""
    if Company.objects.select_for_update(no_key=True).get(pk=company.pk).is_operator:
        raise CompanyState


def _held(company: Company, member_id: int) -> Membership | None:
    _hold(company)
    return Membership.objects.select_related("user").filter(company=company, pk=member_id).first()


def _require_another_owner(owner: Membership) -> None:
    others = Membership.objects.filter(company=owner.company_id, role=Role.OWNER, user__is_active=True)
    if not others.exclude(pk=owner.pk).exists():
        raise LastOwner(field="role")


def _owns_address(user: User, email: str) -> bool:
    return bool(EmailAddress.objects.filter(user=user, email__iexact=email, verified=True).exists())


def _open(company: Company) -> models.QuerySet[Invitation]:
    return Invitation.objects.filter(company=company, accepted_at=None, withdrawn_at=None, expires_at__gt=utcnow())


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
