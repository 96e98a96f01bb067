"""Roles of staff are there from the start, and nobody is both who lets companies in and who lets money out."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import Group, Permission
from django.core import mail
from django.core.management import CommandError, call_command
from django.test import Client

from accounts import staff_roles
from accounts.models import AuditEntry, User
from accounts.proposals.models import Proposal
from accounts.staff_roles import ROLES
from tests.support.people import PASSWORD, a_person, browser_of, signed_in_twice

INVITE = "/admin/accounts/user/invite/"
CHOSEN = "a long enough passphrase"


@pytest.fixture
def staff(db: None) -> Client:
    return browser_of(User.objects.create_superuser("root@onpay.example", PASSWORD))


@pytest.fixture
def colleague(db: None) -> Client:
    return browser_of(User.objects.create_superuser("colleague@onpay.example", PASSWORD))


def group(name: str) -> Group:
    return Group.objects.get(name=name)


def invite(browser: Client, *roles: str, email: str = "ana@onpay.example") -> Any:
    body = {"email": email, "groups": [group(name).pk for name in roles], "note": "Begins on Monday"}
    return browser.post(INVITE, body, follow=True)


@pytest.fixture
def confirm(django_capture_on_commit_callbacks: Any) -> Any:
    """A colleague confirms what is proposed, and the e-mails go out."""

    def act(browser: Client) -> Any:
        with django_capture_on_commit_callbacks(execute=True):
            return _confirm(browser)

    return act


def _confirm(browser: Client) -> Any:
    proposal = Proposal.objects.get(state="OPEN")
    where = f"/admin/accounts/proposal/{proposal.pk}/confirm/"
    return browser.post(where, {"digest": proposal.digest, "note": "I know her"}, follow=True)


def link_in(text: str) -> str:
    [found] = re.findall(r"https?://[^/]+(/accounts/staff/\S+)", text)
    return str(found)


@pytest.mark.parametrize("role", ROLES, ids=lambda role: role.name)
def test_every_role_has_its_permissions_from_the_start(db: None, role: Any) -> None:
    held = {
        f"{one.content_type.app_label}.{one.codename}"
        for one in group(role.name).permissions.select_related("content_type")
    }

    assert held == role.permissions


def test_seeding_again_takes_back_what_was_added(db: None) -> None:
    group("Auditor").permissions.add(Permission.objects.get(codename="change_withdrawal"))

    staff_roles.seed()

    assert not group("Auditor").permissions.exclude(codename__startswith="view_").exists()


def test_permissions_are_read_in_words(staff: Client) -> None:
    page = staff.get(f"/admin/auth/group/{group('Treasury').pk}/change/").content.decode()

    assert "Propose and confirm the outcome of a withdrawal" in page
    assert "Read payments" in page
    assert "Can change" not in page


def test_a_role_of_the_product_is_not_edited_and_one_of_ones_own_is(staff: Client) -> None:
    own = Group.objects.create(name="Night shift")

    def offers(of: Group) -> bool:
        return 'name="_save"' in staff.get(f"/admin/auth/group/{of.pk}/change/").content.decode()

    assert (offers(group("Support")), offers(own)) == (False, True)


def test_whoever_only_looks_at_groups_sees_one(db: None) -> None:
    reader = a_person("reader@onpay.example", is_staff=True)
    reader.groups.add(group("Auditor"))

    page = signed_in_twice(reader).get(f"/admin/auth/group/{group('Support').pk}/change/")

    assert page.status_code == 200


def test_new_staff_choose_a_password_under_a_link(staff: Client, colleague: Client, confirm: Any) -> None:
    invite(staff, "Support")
    ana = User.objects.get(email="ana@onpay.example")
    assert (ana.is_staff, ana.has_usable_password(), len(mail.outbox)) == (False, False, 0)

    confirm(colleague)

    ana.refresh_from_db()
    assert (ana.is_staff, [one.name for one in ana.groups.all()]) == (True, ["Support"])
    [letter] = mail.outbox
    assert letter.to == ["ana@onpay.example"]
    link, theirs = link_in(letter.body), Client()
    form = theirs.get(link, follow=True)
    theirs.post(form.redirect_chain[-1][0], {"new_password1": CHOSEN, "new_password2": CHOSEN})
    ana.refresh_from_db()
    assert ana.check_password(CHOSEN)
    assert AuditEntry.objects.filter(action="user.joined_staff", object_id=ana.email).exists()


def test_a_link_is_good_once(staff: Client, colleague: Client, confirm: Any) -> None:
    invite(staff, "Support")
    confirm(colleague)
    link, theirs = link_in(mail.outbox[0].body), Client()
    form = theirs.get(link, follow=True)
    theirs.post(form.redirect_chain[-1][0], {"new_password1": CHOSEN, "new_password2": CHOSEN})

    again = Client().get(link, follow=True)

    assert "no longer valid" in again.content.decode()


def test_whoever_is_no_longer_staff_cannot_use_their_link(staff: Client, colleague: Client, confirm: Any) -> None:
    invite(staff, "Support")
    confirm(colleague)
    User.objects.filter(email="ana@onpay.example").update(is_staff=False)

    page = Client().get(link_in(mail.outbox[0].body), follow=True)

    assert "no longer valid" in page.content.decode()


def test_a_weak_password_is_refused_under_the_link(staff: Client, colleague: Client, confirm: Any) -> None:
    invite(staff, "Support")
    confirm(colleague)
    theirs = Client()
    form = theirs.get(link_in(mail.outbox[0].body), follow=True)

    theirs.post(form.redirect_chain[-1][0], {"new_password1": "short", "new_password2": "short"})

    assert not User.objects.get(email="ana@onpay.example").has_usable_password()


def test_treasury_and_onboarding_never_meet_in_production(staff: Client, colleague: Client, settings: Any) -> None:
    settings.LOCAL = False

    told = invite(staff, "Treasury", "Onboarding").content.decode()

    assert "cannot be held by the same person" in told
    assert not Proposal.objects.exists()
    assert not User.objects.filter(email="ana@onpay.example").exists()


def test_nor_one_after_the_other(staff: Client, colleague: Client, confirm: Any, settings: Any) -> None:
    settings.LOCAL = False
    invite(staff, "Treasury")
    confirm(colleague)
    ana = User.objects.get(email="ana@onpay.example")
    both = [group(name).pk for name in ("Treasury", "Onboarding")]

    staff.post(
        f"/admin/accounts/user/{ana.pk}/staff_rights/", {"is_staff": "on", "groups": both, "note": "She wants both"}
    )

    assert [one.name for one in ana.groups.all()] == ["Treasury"]
    assert not Proposal.objects.filter(state="OPEN").exists()


def test_support_invites_nobody(db: None) -> None:
    support = a_person("support@onpay.example", is_staff=True)
    support.groups.add(group("Support"))

    answer = signed_in_twice(support).post(INVITE, {"email": "eve@onpay.example", "note": "Let her in"})

    assert answer.status_code == 403
    assert not User.objects.filter(email="eve@onpay.example").exists()


def test_the_first_login_comes_from_the_host(db: None, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("invite_staff", "First@onpay.example", note="The first of us")

    first = User.objects.get(email="first@onpay.example")
    link = link_in(capsys.readouterr().out)
    theirs = Client()
    form = theirs.get(link, follow=True)
    theirs.post(form.redirect_chain[-1][0], {"new_password1": CHOSEN, "new_password2": CHOSEN})
    first.refresh_from_db()
    assert (first.is_superuser, first.check_password(CHOSEN)) == (True, True)
    note = AuditEntry.objects.get(action="user.staff_invited").note
    assert note.startswith("The first of us (manage.py invite_staff, run by ")


def test_the_host_keeps_roles_apart_and_changes_nobody(db: None, settings: Any) -> None:
    settings.LOCAL = False
    with pytest.raises(CommandError, match="cannot be held by the same person"):
        call_command("invite_staff", "both@onpay.example", role=["Treasury", "Onboarding"], note="Alone here")
    known = a_person("known@onpay.example")
    with pytest.raises(CommandError, match="already has an account"):
        call_command("invite_staff", known.email, note="Make her one")

    known.refresh_from_db()
    assert (known.is_staff, User.objects.count()) == (False, 1)
