"""Who works for a company: read by everybody, changed by owners, and never left without one."""

import re
from collections.abc import Callable
from datetime import timedelta
from threading import Thread
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.core import mail
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.test import Client

from accounts import joining
from accounts.base.clock import utcnow
from accounts.errors import RoleExceedsRights
from accounts.joining import MOST_A_DAY
from accounts.models import AuditEntry, Company, Invitation, Membership, User
from accounts.roles import Role
from tests.support.companies import Shop
from tests.support.forms import form_in
from tests.support.pages import Committed
from tests.support.people import a_member, a_person, set_up, signed_in, signed_in_twice


def team_of(shop: Shop) -> str:
    return f"/dashboard/{shop.company.pk}/sandbox/team/"


def membership(user: User) -> Membership:
    return Membership.objects.get(user=user)


@pytest.fixture
def owner(acme: Shop) -> User:
    """Acme's only one: whoever took the company on is gone."""
    Membership.objects.filter(company=acme.company).delete()
    return a_member(acme.company)


@pytest.fixture
def browser(owner: User) -> Client:
    return signed_in_twice(owner)


Invite = Callable[..., HttpResponse]


@pytest.fixture
def invite(acme: Shop, browser: Client, committed: Committed) -> Invite:
    def act(email: str = "nina@acme.example", role: str = "FINANCE") -> Any:
        address = f"{team_of(acme)}invite"
        once = form_in(browser.get(address).content)["once"]
        with committed():
            return browser.post(address, {"once": once, "email": email, "role": role})

    return act


def token_in_the_mail() -> str:
    found = re.search(r"/dashboard/invitations/(\S+)", str(mail.outbox[-1].body))
    assert found
    return found[1]


# ── Reading ───────────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("role", Role)
def test_everybody_reads_who_is_there_and_only_owners_are_offered_changes(role: Role, acme: Shop, owner: User) -> None:
    reader = a_member(acme.company, role, "reader@acme.example")
    page = signed_in(reader).get(team_of(acme)).content.decode()

    assert owner.email in page and reader.email in page
    assert ("Invite a member" in page, "Change role" in page) == (role == Role.OWNER, role == Role.OWNER)


def test_it_shows_second_factors_and_last_sign_ins(acme: Shop, owner: User, browser: Client) -> None:
    idle = a_member(acme.company, Role.VIEWER)
    User.objects.filter(pk=idle.pk).update(last_login=None)
    both = a_member(acme.company, Role.SUPPORT)
    set_up(both)
    Authenticator.objects.create(user=both, type=Authenticator.Type.WEBAUTHN, data={})
    Authenticator.objects.create(user=idle, type=Authenticator.Type.RECOVERY_CODES, data={})
    page = browser.get(team_of(acme)).content.decode()

    rows = {row.split("</span>")[0].split(">")[-1]: row for row in page.split('<span id="person-')[1:]}
    assert "Authenticator app" in rows[owner.email]
    assert "Authenticator app" in rows[both.email] and "Passkey or security key" in rows[both.email]
    assert "None" in rows[idle.email] and "Never" in rows[idle.email]


def test_the_matrix_says_what_each_role_may(acme: Shop, browser: Client) -> None:
    page = browser.get(team_of(acme)).content.decode()
    row = page.split("Issue API keys, change webhooks")[1].split("</tr>")[0]

    assert re.findall(r'visually-hidden">(Yes|No)<', row) == ["Yes", "No", "Yes", "No", "No"]


def test_a_big_team_costs_no_more_statements(acme: Shop, browser: Client, django_assert_max_num_queries: Any) -> None:
    for n in range(20):
        a_member(acme.company, Role.VIEWER, f"viewer{n}@acme.example")

    with django_assert_max_num_queries(13):
        browser.get(team_of(acme))


# ── Roles ─────────────────────────────────────────────────────────────────────────────────────────────────────────
def test_an_owner_gives_somebody_another_role_which_holds_at_once(acme: Shop, owner: User, browser: Client) -> None:
    viewer = a_member(acme.company, Role.VIEWER)
    theirs = signed_in(viewer)
    audit_log = f"/dashboard/{acme.company.pk}/sandbox/audit/"
    assert theirs.get(audit_log).status_code == 403

    answer = browser.post(f"{team_of(acme)}{membership(viewer).pk}", {"role": "OWNER"})

    assert answer["location"] == team_of(acme)
    assert theirs.get(audit_log).status_code == 200
    entry = AuditEntry.objects.get(action="member.role_changed")
    assert (entry.actor, entry.object_id, entry.before, entry.after) == (
        owner, viewer.email, {"role": "VIEWER"}, {"role": "OWNER"},
    )  # fmt: skip


def test_somebody_who_is_removed_sees_nothing_with_the_next_click(acme: Shop, browser: Client) -> None:
    viewer = a_member(acme.company, Role.VIEWER)
    theirs, number = signed_in(viewer), membership(viewer).pk
    asked = browser.get(f"{team_of(acme)}{number}/remove").content.decode()
    assert viewer.email in asked

    browser.post(f"{team_of(acme)}{number}/remove")

    assert theirs.get(team_of(acme)).status_code == 404
    assert AuditEntry.objects.get(action="member.removed").before == {"role": "VIEWER"}


@pytest.mark.parametrize(("path", "sent"), [("", {"role": "VIEWER"}), ("/remove", {})])
def test_the_last_owner_stays_one(acme: Shop, owner: User, browser: Client, path: str, sent: dict[str, str]) -> None:
    gone = a_member(acme.company, Role.OWNER, "gone@acme.example")
    User.objects.filter(pk=gone.pk).update(is_active=False)

    answer = browser.post(f"{team_of(acme)}{membership(owner).pk}{path}", sent)

    assert answer.status_code == 200
    assert "A company must have at least one owner." in answer.content.decode()
    assert membership(owner).role == Role.OWNER
    assert not AuditEntry.objects.exists()


def test_an_owner_may_leave_when_there_is_another(acme: Shop, owner: User, browser: Client) -> None:
    a_member(acme.company, Role.OWNER, "other@acme.example")

    answer = browser.post(f"{team_of(acme)}{membership(owner).pk}/remove")

    assert answer["location"] == "/dashboard/"
    assert browser.get(team_of(acme)).status_code == 404


@pytest.mark.django_db(transaction=True)
def test_two_owners_who_remove_each_other_at_once_leave_one(acme: Shop) -> None:
    Membership.objects.filter(company=acme.company).delete()
    one, other = a_member(acme.company), a_member(acme.company, email="other@acme.example")
    browsers = [(signed_in_twice(one), membership(other).pk), (signed_in_twice(other), membership(one).pk)]

    def act(browser: Client, member: int) -> None:
        browser.post(f"{team_of(acme)}{member}/remove")
        connection.close()

    threads = [Thread(target=act, args=pair) for pair in browsers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert Membership.objects.filter(company=acme.company, role=Role.OWNER).count() == 1


# ── Invitations ───────────────────────────────────────────────────────────────────────────────────────────────────
def test_somebody_is_invited_and_joins_with_that_role(acme: Shop, browser: Client, invite: Invite) -> None:
    assert invite("Nina@Acme.example")["location"] == team_of(acme)
    page = browser.get(team_of(acme)).content.decode()
    assert "nina@acme.example" in page and "Invited" in page
    nina = a_person("nina@acme.example")

    signed_in(nina).post(f"/dashboard/invitations/{token_in_the_mail()}")

    assert membership(nina).role == Role.FINANCE
    assert Invitation.objects.get().accepted_at is not None
    assert [entry.action for entry in AuditEntry.objects.order_by("pk")] == ["member.invited", "invitation.accepted"]


def test_the_longest_address_is_invited_and_audited(browser: Client, invite: Invite) -> None:
    email = f"{'a' * 64}@{'b' * 60}.{'c' * 60}.{'d' * 59}.example"
    assert len(email) == 254  # the longest that a form takes

    assert invite(email).status_code == 302

    assert AuditEntry.objects.get(action="member.invited").object_id == email


def test_a_form_that_is_sent_twice_invites_once(acme: Shop, browser: Client, committed: Committed) -> None:
    address = f"{team_of(acme)}invite"
    sent = {"once": form_in(browser.get(address).content)["once"], "email": "nina@acme.example", "role": "VIEWER"}

    with committed():
        browser.post(address, sent)
        again = browser.post(address, sent, follow=True)

    assert "nothing was done twice" in again.content.decode()
    assert (Invitation.objects.count(), len(mail.outbox)) == (1, 1)


def test_who_is_there_already_is_not_invited(acme: Shop, owner: User, browser: Client, invite: Invite) -> None:
    answer = invite(owner.email.upper())

    assert "This person is already on the team." in answer.content.decode()
    assert (Invitation.objects.count(), mail.outbox) == (0, [])


def test_nobody_floods_the_world_with_our_mail(acme: Shop, owner: User, browser: Client, invite: Invite) -> None:
    for n in range(MOST_A_DAY):
        Invitation.objects.create(
            company=acme.company, email=f"{n}@x.example", role="VIEWER", digest=bytes([n]), invited_by=owner,
            expires_at=utcnow() + timedelta(days=7), withdrawn_at=utcnow(),
        )  # fmt: skip

    assert "Too many invitations were sent today" in invite("n@x.example").content.decode()
    assert mail.outbox == []
    Invitation.objects.update(created_at=utcnow() - timedelta(days=1))
    assert invite("n@x.example").status_code == 302


def test_an_invitation_sent_again_has_another_link_and_the_old_one_is_dead(
    acme: Shop, browser: Client, invite: Invite, committed: Committed
) -> None:
    invite()
    first, invitation = token_in_the_mail(), Invitation.objects.get()

    with committed():
        browser.post(f"{team_of(acme)}invitations/{invitation.pk}/resend")

    second = token_in_the_mail()
    assert second != first
    assert Client().get(f"/dashboard/invitations/{first}").status_code == 410
    assert Client().get(f"/dashboard/invitations/{second}").status_code == 200
    assert Invitation.objects.get(withdrawn_at=None).role == Role.FINANCE


def test_a_withdrawn_invitation_opens_nothing(acme: Shop, browser: Client, invite: Invite) -> None:
    invite()

    browser.post(f"{team_of(acme)}invitations/{Invitation.objects.get().pk}/withdraw")

    assert Client().get(f"/dashboard/invitations/{token_in_the_mail()}").status_code == 410
    assert AuditEntry.objects.filter(action="invitation.withdrawn", object_id="nina@acme.example").count() == 1


# ── Who may not ───────────────────────────────────────────────────────────────────────────────────────────────────
def test_nobody_of_another_company_reaches_the_team(
    acme: Shop, globex: Shop, owner: User, browser: Client, invite: Invite
) -> None:
    invite()
    invitation, stranger = Invitation.objects.get(), signed_in_twice(a_member(globex.company))
    mine = membership(owner).pk
    for place in (f"{mine}", f"{mine}/remove", f"invitations/{invitation.pk}/withdraw"):
        for shop in (acme, globex):
            assert stranger.post(f"{team_of(shop)}{place}", {"role": "VIEWER"}).status_code == 404, place

    assert membership(owner).role == Role.OWNER
    assert Invitation.objects.get().withdrawn_at is None


@pytest.mark.parametrize("role", [role for role in Role if role != Role.OWNER])
def test_who_may_not_changes_nothing(role: Role, acme: Shop, owner: User) -> None:
    browser = signed_in_twice(a_member(acme.company, role, "other@acme.example"))
    for place in ("invite", f"{membership(owner).pk}", f"{membership(owner).pk}/remove"):
        assert browser.post(team_of(acme) + place, {"role": "VIEWER", "email": "a@b.example"}).status_code == 403

    assert membership(owner).role == Role.OWNER
    assert not Invitation.objects.exists()


def test_changes_want_a_fresh_second_factor(acme: Shop, owner: User) -> None:
    viewer = a_member(acme.company, Role.VIEWER)
    number = membership(viewer).pk
    for place in ("invite", f"{number}", f"{number}/remove"):
        assert signed_in(owner).post(team_of(acme) + place, {"role": "OWNER"})["location"] == "/accounts/2fa/"

    assert membership(viewer).role == Role.VIEWER


# ── What an inviter may ───────────────────────────────────────────────────────────────────────────────────────────
def demoted(inviter: User) -> None:
    Membership.objects.filter(user=inviter).update(role=Role.VIEWER)


def dismissed(inviter: User) -> None:
    Membership.objects.filter(user=inviter).delete()


def deactivated(inviter: User) -> None:
    User.objects.filter(pk=inviter.pk).update(is_active=False)


@pytest.mark.parametrize("gone", [demoted, dismissed, deactivated])
def test_an_invitation_ends_with_its_inviters_right(
    acme: Shop, owner: User, invite: Invite, gone: Callable[[User], None]
) -> None:
    invite("nina@acme.example", "OWNER")
    link = f"/dashboard/invitations/{token_in_the_mail()}"
    nina, colleague = a_person("nina@acme.example"), a_member(acme.company, Role.OWNER, "second@acme.example")
    gone(owner)

    assert signed_in(nina).get(link).status_code == 410
    assert signed_in(nina).post(link).status_code == 410
    assert not Membership.objects.filter(user=nina).exists()
    assert (
        "The person who sent it can no longer invite members."
        in signed_in(colleague).get(team_of(acme)).content.decode()
    )


def test_nobody_gives_a_role_that_may_more_than_their_own(acme: Shop, owner: User) -> None:
    request = HttpRequest()
    request.META["REMOTE_ADDR"] = "10.0.0.1"
    for inviter in (a_member(acme.company, Role.FINANCE), a_person("nobody@acme.example")):
        request.user = inviter
        with pytest.raises(RoleExceedsRights):
            joining.invite(request, acme.company, "nina@acme.example", Role.VIEWER)

    assert not Invitation.objects.exists()


# ── What strangers may have us write ──────────────────────────────────────────────────────────────────────────────
def test_an_unverified_company_has_a_plain_subject_and_nothing_to_click(
    acme: Shop, owner: User, invite: Invite
) -> None:
    Company.objects.filter(pk=acme.company.pk).update(verified_at=None, trade_name="URGENT https://evil.example/2")

    invite("nina@else.example")

    [told] = mail.outbox[-1:]
    assert told.subject == "Onpay Gateway: An invitation"
    assert "evil.example" not in str(told.body) and "URGENT https evil example 2" in str(told.body)


def test_one_address_and_one_person_are_written_to_and_write_only_so_often(
    acme: Shop, globex: Shop, owner: User, invite: Invite
) -> None:
    for _ in range(joining.MOST_TO_ONE):
        invite("nina@acme.example")
    assert "to this address" in invite("nina@acme.example").content.decode()

    for number in range(MOST_A_DAY - joining.MOST_TO_ONE):
        Invitation.objects.create(
            company=globex.company, email=f"{number}@b.example", role="VIEWER", digest=bytes([number]) * 32,
            invited_by=owner, expires_at=utcnow() + timedelta(days=7),
        )  # fmt: skip
    assert invite("other@acme.example").status_code == 200
    assert not Invitation.objects.filter(email="other@acme.example").exists()


def test_a_person_has_three_unverified_companies_at_most(acme: Shop, owner: User, browser: Client) -> None:
    form = {"trade_name": "Padaria", "legal_name": "Padaria S.A.", "country": "BR", "tax_id": "11.222.333/0001-81"}
    for tax_id in ("11.222.333/0001-81", "11.444.777/0001-61", "12.345.678/0001-95"):
        assert browser.post("/dashboard/companies/new", form | {"tax_id": tax_id}).status_code == 302

    refused = browser.post("/dashboard/companies/new", form | {"tax_id": "00.000.000/0001-91"})

    assert b"three companies awaiting verification" in refused.content
    assert Company.objects.filter(memberships__user=owner, verified_at=None).count() == 3


@pytest.mark.parametrize(
    "name",
    ["Win https://evil.example", "www evil", "Evil.example", "a@evil.example", "Padaria\u202eS", "Pad\u200baria"],
)
def test_the_name_of_a_company_holds_no_address(acme: Shop, browser: Client, name: str) -> None:
    form = {"trade_name": name, "legal_name": "Padaria S.A.", "country": "BR", "tax_id": "11.222.333/0001-81"}

    assert browser.post("/dashboard/companies/new", form).status_code == 200
    data = {"trade_name": name, "city": "Recife", "email": "", "phone": "", "brand_color": ""}
    assert browser.post(f"/dashboard/{acme.company.pk}/sandbox/settings/company", data).status_code == 200

    assert not Company.objects.filter(trade_name=name).exists()
