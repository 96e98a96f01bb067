"""Invites staff from the host: needed for the first staff account."""

from typing import Any

from django.contrib.auth.models import Group
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from accounts import audit, staff_invitations, staff_roles
from accounts.errors import RolesApart
from accounts.models import User


class Command(BaseCommand):
    help = (
        "Makes somebody staff and prints the link under which they choose a password. Nobody else confirms it: "
        "the audit names whoever runs this on the host. Without a role they are a superuser."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email")
        names = [role.name for role in staff_roles.ROLES]
        parser.add_argument("--role", action="append", default=[], choices=names, help="can be repeated")
        parser.add_argument("--note", required=True, help="the reason, for the audit")

    @transaction.atomic
    def handle(self, *args: Any, email: str, role: list[str], note: str, **options: Any) -> None:
        email = email.lower()
        if User.objects.filter(email=email).exists():
            raise CommandError(
                f"{email} already has an account. Change its staff rights in the admin; this takes two people."
            )
        try:
            staff_roles.require_apart(role)
        except RolesApart as refusal:
            raise CommandError(refusal.message) from refusal
        person = User.objects.create_user(email, is_staff=True, is_superuser=not role)
        person.groups.set(Group.objects.filter(name__in=role))
        audit.record(
            audit.ON_HOST,
            "user.staff_invited",
            object_id=email,
            after={"roles": role, "is_superuser": not role},
            note=audit.note_on_host(note, "invite_staff"),
            by_staff=True,
        )
        self.stdout.write(staff_invitations.link_for(person))
