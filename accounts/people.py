"""Staff changes of how a person signs in: withdrawals of their companies are paused for a day, owners are notified."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.models import EmailAddress
from allauth.usersessions.models import UserSession
from django.contrib.auth.models import Group
from django.db import transaction
from django.db.models import QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts import audit, notices, second_factor, staff_invitations, staff_roles
from accounts.audit import Actor
from accounts.base.clock import utcnow
from accounts.base.errors import InvalidRequest
from accounts.errors import PersonState
from accounts.models import Company, User, WithdrawalWait
from accounts.waits import services as waits


@transaction.atomic
def change_email(by: Actor, person: User, email: str, note: str) -> None:
    """Changes the sign-in address and signs the person out everywhere; the old address is notified, too.

    Raises ONP400_VALIDATION if the address is taken, and ONP409_PERSON_STATE if it is already theirs.
    """
    held, old, new = hold(person.pk), person.email, email.lower()
    require_new_email(held, new)
    ended = _begin_waits(held)
    held.email = new
    held.save(update_fields=["email"])
    EmailAddress.objects.filter(user=held).delete()
    EmailAddress.objects.create(user=held, email=new, verified=True, primary=True)
    _sign_out(held)
    facts = {"what": "email", "before": old, "now": new}
    subject = _("a member signs in with another e-mail address")
    _record_and_notify(by, held, "user.email_changed", subject, note, ended, facts, also=(old, new))
    if not ended:
        transaction.on_commit(partial(_notify, by, held, "account/email/email_changed", old, to_email=new), robust=True)


@transaction.atomic
def remove_second_factor(by: Actor, person: User, note: str) -> None:
    """For people who lost theirs; signs them out everywhere. Raises ONP409_PERSON_STATE if there is none."""
    held = hold(person.pk)
    require_second_factor(held)
    ended = _begin_waits(held)
    second_factor.remove(held)
    transaction.on_commit(partial(_notify, by, held, "mfa/email/totp_deactivated"), robust=True)
    facts = {"what": "second_factor", "about": held.email}
    subject = _("support removed a member's second factor")
    _record_and_notify(by, held, "user.second_factor_removed", subject, note, ended, facts, also=(held.email,))


@transaction.atomic
def set_active(by: Actor, person: User, is_active: bool, note: str) -> None:
    """Sets whether the person can sign in. Raises ONP409_PERSON_STATE if nothing would change."""
    held = hold(person.pk)
    if held.is_active == is_active:
        raise PersonState
    ended = _begin_waits(held)
    held.is_active = is_active
    held.save(update_fields=["is_active"])
    if not is_active:
        _sign_out(held)
    audit_action = "reactivated" if is_active else "deactivated"
    subject = _("a member can sign in again") if is_active else _("a member can no longer sign in")
    _record_and_notify(
        by,
        held,
        f"user.{audit_action}",
        subject,
        note,
        ended,
        {"what": audit_action, "about": held.email},
        also=(held.email,),
    )


@transaction.atomic
def set_staff_rights(by: Actor, person: User, rights: Mapping[str, Any], note: str) -> None:
    """Sets staff status and roles: `rights` as returned by `staff_rights`. Without a password they receive a link.

    Raises ONP409_STAFF_ROLES for roles that one person cannot combine.
    """
    held = hold(person.pk)
    require_roles_apart(rights)
    before = staff_rights(held)
    held.is_staff, held.is_superuser = rights["is_staff"], rights["is_superuser"]
    held.save(update_fields=["is_staff", "is_superuser"])
    held.groups.set(rights["groups"])
    audit.record(
        by,
        "user.staff_rights_changed",
        object_id=held.email,
        before=before,
        after=staff_rights(held),
        note=note,
        by_staff=True,
    )
    if staff_invitations.is_waiting(held) and not before["is_staff"]:
        staff_invitations.send(held)


def require_roles_apart(rights: Mapping[str, Any]) -> None:
    """Raises ONP409_STAFF_ROLES."""
    staff_roles.require_apart(Group.objects.filter(pk__in=rights["groups"]).values_list("name", flat=True))


def staff_rights(person: User) -> dict[str, Any]:
    groups = sorted(person.groups.values_list("pk", flat=True))
    return {"is_staff": person.is_staff, "is_superuser": person.is_superuser, "groups": groups}


def has_second_factor(person: User) -> bool:
    return second_factor.is_set_up(person)


def require_second_factor(person: User) -> None:
    """Raises ONP409_PERSON_STATE if there is none."""
    if not has_second_factor(person):
        raise PersonState


def hold(person_id: int) -> User:
    """The person, locked until the transaction ends."""
    return User.objects.select_for_update(no_key=True).get(pk=person_id)


def companies(person: User) -> QuerySet[Company]:
    """The person's companies, always in the same order."""
    return Company.objects.filter(memberships__user=person).order_by("pk")


def require_new_email(person: User, email: str) -> None:
    """Raises ONP409_PERSON_STATE for the person's own address, and ONP400_VALIDATION for one that is taken."""
    if email.lower() == person.email:
        raise PersonState
    others = EmailAddress.objects.filter(email__iexact=email).exclude(user=person)
    if others.exists() or User.objects.filter(email__iexact=email).exclude(pk=person.pk).exists():
        raise InvalidRequest(field="email")


def _begin_waits(person: User) -> dict[str, WithdrawalWait]:
    why = WithdrawalWait.Why.LOGIN
    return {company.pk: waits.begin(company, why, [person.pk]) for company in companies(person)}


def _notify(by: Actor, person: User, template: str, email: str = "", **context: str) -> None:
    """Sends the e-mail that the same change by the person would send, to their address."""
    reader = email or person.email
    origin = {"ip": by.address or "–", "user_agent": "Onpay Gateway", "timestamp": utcnow(), "from_email": reader}
    get_adapter().send_mail(template, reader, origin | context)


def _sign_out(person: User) -> None:
    for session in UserSession.objects.filter(user=person):
        session.end()


def _record_and_notify(
    by: Actor,
    person: User,
    audit_action: str,
    subject: str | Promise,
    note: str,
    begun: dict[str, WithdrawalWait],
    facts: dict[str, str],
    also: Iterable[str],
) -> None:
    """Records it in the audit of each company and notifies its owners; without a company in our audit only."""
    theirs: list[Company | None] = [*companies(person)] or [None]
    for company in theirs:
        before, after = ({"email": facts[name]} if name in facts else None for name in ("before", "now"))
        audit.record(
            by,
            audit_action,
            company=company,
            object_id=person.email,
            before=before,
            after=after,
            note=note,
            by_staff=True,
        )
        if company:
            until = waits.in_words(begun[company.pk])
            notices.notify_owners(company, subject, "by_support", "team", also=also, until=until, **facts)
