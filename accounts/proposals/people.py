"""Decisions of two staff about people: membership, sign-in, staff rights."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import Group
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts import joining, people, standing
from accounts.audit import Actor
from accounts.models import Company, Membership, User
from accounts.proposals.kinds import Carried, ProposalKind, Values, register
from accounts.roles import Role


@dataclass(frozen=True, slots=True)
class Place:
    """A person and a company, whether they are a member or not."""

    company: Company
    person: User
    membership: Membership | None

    def __str__(self) -> str:
        return f"{self.person} · {self.company}"


def place_id(company_id: str, person_id: int) -> str:
    return f"{company_id}:{person_id}"


@register
class TeamChange(ProposalKind):
    """Values: `role`, None to remove the person."""

    name = "membership"
    title = _("Change a company's team")
    permission = "accounts.manage_members"

    def hold(self, object_id: str) -> Place:
        company_id, _, person_id = object_id.partition(":")
        company, person = standing.hold(company_id), people.hold(int(person_id))
        return Place(company, person, Membership.objects.filter(company=company, user=person).first())

    def name_of(self, object_id: str) -> str:
        company_id, _, person_id = object_id.partition(":")
        return str(Place(Company.objects.get(pk=company_id), User.objects.get(pk=int(person_id)), None))

    def before(self, record: Place) -> dict[str, Any]:
        return {"role": record.membership.role if record.membership else None}

    def company_ids(self, record: Place) -> Iterable[str]:
        return [record.company.pk]

    def people_ids(self, record: Place) -> Iterable[int]:
        return [record.person.pk]

    def require(self, record: Place, values: Values) -> None:
        """Raises ONP409_LAST_OWNER and ONP409_PERSON_STATE."""
        joining.require_assignable(record.membership, _role(values))

    def sentence(self, record: Place, values: Values) -> str:
        return gettext(
            "This takes effect immediately. The person and the owners are notified by e-mail, and the company's "
            "production withdrawals are paused for 24 hours. Somebody who was already an owner can lift the pause."
        )

    def lines(self, record: Place, values: Values) -> list[tuple[str, str]]:
        now = record.membership.role if record.membership else ""
        return [(gettext("Current role"), _named(now)), (gettext("New role"), _named(values["role"]))]

    def carry_out(self, record: Place, values: Values, *, by: Actor, note: str) -> Carried:
        joining.assign(by, record.company, record.person, _role(values), note)
        told = (
            gettext("%(person)s is now %(role)s of %(company)s.")
            if values["role"]
            else gettext("%(person)s is no longer in the team of %(company)s.")
        )
        names = {"person": record.person, "role": _named(values["role"]), "company": record.company}
        return Carried(record.company, told % names)


def _named(role: str | None) -> str:
    return str(Role(role).label).partition(":")[0] if role else gettext("not in the team")


def _role(values: Values) -> Role | None:
    return Role(values["role"]) if values["role"] else None


class PersonKind(ProposalKind):
    """A decision about sign-in. For people without a company or staff rights one person is enough."""

    def hold(self, object_id: str) -> User:
        return people.hold(int(object_id))

    def name_of(self, object_id: str) -> str:
        return str(User.objects.get(pk=int(object_id)))

    def company_ids(self, record: User) -> Iterable[str]:
        return [company.pk for company in people.companies(record)]

    def people_ids(self, record: User) -> Iterable[int]:
        return [record.pk]

    def takes_two(self, record: User, values: Values) -> bool:
        return record.is_staff or record.is_superuser or people.companies(record).exists()


@register
class EmailChange(PersonKind):
    """Values: `email`."""

    name = "user.email"
    title = _("Change the e-mail address of a person")
    permission = "accounts.change_login"

    def before(self, record: User) -> dict[str, Any]:
        return {"email": record.email}

    def require(self, record: User, values: Values) -> None:
        """Raises ONP400_VALIDATION and ONP409_PERSON_STATE."""
        people.require_new_email(record, values["email"])

    def sentence(self, record: User, values: Values) -> str:
        return gettext(
            "The person signs in with the new address and is signed out everywhere. Both addresses and the owners of "
            "their companies are notified by e-mail; production withdrawals of those companies are paused for 24 hours."
        )

    def carry_out(self, record: User, values: Values, *, by: Actor, note: str) -> Carried:
        people.change_email(by, record, values["email"], note)
        return Carried(
            people.hold(record.pk),
            gettext("%(person)s now signs in as %(email)s.") % {"person": record, "email": values["email"].lower()},
        )


@register
class FactorRemoval(PersonKind):
    name = "user.second_factor"
    title = _("Remove the second factor of a person")
    permission = "accounts.remove_second_factor"

    def before(self, record: User) -> dict[str, Any]:
        return {"has_one": people.has_second_factor(record)}

    def require(self, record: User, values: Values) -> None:
        """Raises ONP409_PERSON_STATE."""
        people.require_second_factor(record)

    def sentence(self, record: User, values: Values) -> str:
        return gettext(
            "Authenticator apps, passkeys and recovery codes are removed, and the person is signed out everywhere. The "
            "password alone then lets them sign in, to set up a new one. They and the owners of their companies are "
            "notified by e-mail; production withdrawals of those companies are paused for 24 hours."
        )

    def carry_out(self, record: User, values: Values, *, by: Actor, note: str) -> Carried:
        people.remove_second_factor(by, record, note)
        return Carried(record, gettext("The second factor of %(person)s was removed.") % {"person": record})


@register
class Activation(PersonKind):
    """Values: `is_active`."""

    name = "user.active"
    title = _("Deactivate or reactivate a person")
    permission = "accounts.deactivate_person"

    def before(self, record: User) -> dict[str, Any]:
        return {"is_active": record.is_active}

    def sentence(self, record: User, values: Values) -> str:
        if values["is_active"]:
            return gettext(
                "The person can sign in again. They and the owners of their companies are notified by e-mail; "
                "production withdrawals of those companies are paused for 24 hours."
            )
        return gettext(
            "The person is signed out everywhere and can no longer sign in. They and the owners of their companies are "
            "notified by e-mail; production withdrawals of those companies are paused for 24 hours."
        )

    def lines(self, record: User, values: Values) -> list[tuple[str, str]]:
        return [(gettext("New state"), gettext("Active") if values["is_active"] else gettext("Not active"))]

    def carry_out(self, record: User, values: Values, *, by: Actor, note: str) -> Carried:
        people.set_active(by, record, values["is_active"], note)
        told = gettext("%(person)s was reactivated.") if values["is_active"] else gettext("%(person)s was deactivated.")
        return Carried(people.hold(record.pk), told % {"person": record})


@register
class StaffRights(PersonKind):
    """Values: `is_staff`, `is_superuser` and the ids of `groups`. Always two people; otherwise one could act as two."""

    name = "user.staff_rights"
    title = _("Change staff rights")
    permission = "accounts.administer_staff"

    def before(self, record: User) -> dict[str, Any]:
        return people.staff_rights(record)

    def takes_two(self, record: User, values: Values) -> bool:
        return True

    def require(self, record: User, values: Values) -> None:
        """Raises ONP409_STAFF_ROLES."""
        people.require_roles_apart(values)

    def sentence(self, record: User, values: Values) -> str:
        return gettext(
            "This takes effect with their next request. If they have no password yet, they receive a link by e-mail. "
            "Nobody can change their own rights."
        )

    def lines(self, record: User, values: Values) -> list[tuple[str, str]]:
        names = Group.objects.filter(pk__in=values["groups"]).order_by("name").values_list("name", flat=True)
        flags = [(gettext("Staff"), values["is_staff"]), (gettext("Superuser"), values["is_superuser"])]
        return [
            *((name, gettext("yes") if flag else gettext("no")) for name, flag in flags),
            (gettext("Roles"), ", ".join(names) or gettext("none")),
        ]

    def carry_out(self, record: User, values: Values, *, by: Actor, note: str) -> Carried:
        people.set_staff_rights(by, record, values, note)
        return Carried(
            people.hold(record.pk), gettext("The staff rights of %(person)s were changed.") % {"person": record}
        )
