"""What can move money or rights takes a second person of the staff, and owners read of it."""

from decimal import Decimal
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib.auth.models import Group
from django.core.management import CommandError, call_command
from django.test import Client

from accounts.models import ApiKey, AuditEntry, Company, Email, Membership, Merchant, Proposal, User, WithdrawalWait
from accounts.roles import Role
from gateway.models import Refund
from gateway.staff.kit.columns import address as page_at
from ledger.holds import due
from ledger.models import Hold, Rate
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.forms import form_in
from tests.support.payments import a_payment
from tests.support.people import a_member, a_person, browser_of, set_up
from tests.support.proposals import NOTE, action, confirmed, key_in, mails, proposed
from tests.support.staff import support
from tests.support.staff_refunds import a_refund, take_to_production

ADDRESS = "8.8.4.4"


@pytest.fixture
def owner(acme: Shop) -> User:
    return a_member(acme.company, email="boss@acme.example")


# The withdrawal address


def test_the_form_of_a_company_changes_neither_address_nor_status(staff: Client, acme: Shop) -> None:
    where = page_at(Company, "change", acme.company.pk)
    sent = form_in(staff.get(where).content)
    assert not {"withdrawal_ip", "status"} & set(sent)
    answer = staff.post(where, sent | {"withdrawal_ip": ADDRESS, "status": "CLOSED", "city": "RECIFE"})
    assert answer.status_code == 302
    acme.company.refresh_from_db()
    assert (acme.company.withdrawal_ip, acme.company.status, acme.company.city) == (None, "ACTIVE", "RECIFE")


def test_an_address_takes_two_people_and_owners_are_told(
    staff: Client, colleague: Client, acme: Shop, owner: User
) -> None:
    proposal = proposed(staff, acme.company, "change_address", address=ADDRESS)
    acme.company.refresh_from_db()
    assert acme.company.withdrawal_ip is None
    assert confirmed(staff, proposal).status_code == 403
    acme.company.refresh_from_db()
    assert (acme.company.withdrawal_ip, mails()) == (None, [])

    assert confirmed(colleague, proposal).status_code == 200

    acme.company.refresh_from_db()
    assert acme.company.withdrawal_ip == ADDRESS
    assert owner.email in mails(acme.company)
    entry = AuditEntry.objects.get(action="withdrawal_ip.changed")
    assert (entry.by_staff, entry.after, entry.note) == (True, {"address": ADDRESS}, f"{NOTE['note']} / Seen it, too")
    assert not WithdrawalWait.objects.exists()  # it was the first ever

    confirmed(colleague, proposed(staff, acme.company, "change_address", address="1.1.1.1"))
    assert WithdrawalWait.objects.get().why == "ADDRESS"


@pytest.mark.parametrize("wrong", ["203.0.113.66", "10.0.0.1", "8.8.8.0/24", "everywhere"])
def test_an_address_that_is_not_public_is_not_even_proposed(staff: Client, acme: Shop, wrong: str) -> None:
    staff.post(action(acme.company, "change_address"), NOTE | {"address": wrong})
    assert not Proposal.objects.exists()


def test_nothing_is_proposed_without_a_note_or_without_the_permission(staff: Client, acme: Shop) -> None:
    assert staff.post(action(acme.company, "change_address"), {"address": ADDRESS}).status_code == 200
    person = browser_of(support("change_company", "view_company"))
    assert person.post(action(acme.company, "change_address"), NOTE | {"address": ADDRESS}).status_code == 403
    assert not Proposal.objects.exists()


# Keys


def test_a_live_key_that_moves_money_takes_two_people(
    staff: Client, colleague: Client, acme: Shop, owner: User, address: str
) -> None:
    known = ApiKey.objects.count()
    wanted = {"name": "Support's", "permissions": ["transactions:read", "refunds:write"]}
    proposal = proposed(staff, acme.production, "issue_key", **wanted)
    assert (ApiKey.objects.count(), mails()) == (known, [])

    key = key_in(confirmed(colleague, proposal).content)

    assert Api(key, address).get("/payments").status_code == 200
    assert owner.email in mails(acme.company)
    assert WithdrawalWait.objects.get().why == "KEY"
    assert key not in str(list(Email.objects.values_list("text")) + list(AuditEntry.objects.values_list("after")))


def test_a_live_key_that_only_reads_takes_one_person_and_owners_are_told(
    staff: Client, acme: Shop, owner: User
) -> None:
    sent = NOTE | {"name": "Reader", "permissions": ["transactions:read"]}
    assert key_in(staff.post(action(acme.production, "issue_key"), sent).content)
    assert owner.email in mails(acme.company)
    assert not WithdrawalWait.objects.exists()


# The team


def test_nobody_makes_anybody_an_owner_alone(
    staff: Client, colleague: Client, root: User, acme: Shop, owner: User
) -> None:
    new = a_person("new@acme.example")
    for url in ("/admin/accounts/membership/add/",):
        assert staff.post(url, {"company": acme.company.pk, "user": root.pk, "role": "OWNER"}).status_code == 403
    staff.post(action(acme.company, "add_member"), NOTE | {"email": root.email, "role": "OWNER"})
    assert not Proposal.objects.exists()  # nobody decides about themselves

    proposal = proposed(staff, acme.company, "add_member", email=new.email, role="OWNER")
    assert not Membership.objects.filter(user=new).exists()
    assert confirmed(colleague, proposal).status_code == 200

    member = Membership.objects.get(user=new)
    assert member.role == "OWNER"
    assert {owner.email, new.email} <= set(mails(acme.company))
    wait = WithdrawalWait.objects.get()
    assert (wait.why, owner.pk in wait.may_lift, new.pk in wait.may_lift) == ("TEAM", True, False)

    confirmed(colleague, proposed(staff, member, "change_role", role="VIEWER"))
    member.refresh_from_db()
    assert member.role == "VIEWER"
    confirmed(colleague, proposed(staff, member, "remove"))
    assert not Membership.objects.filter(user=new).exists()
    assert AuditEntry.objects.filter(object_id=new.email, by_staff=True).count() == 3


def test_whom_it_makes_an_owner_does_not_confirm_it(staff: Client, acme: Shop) -> None:
    insider = User.objects.create_superuser("insider@onpay.example", "correct horse battery staple")
    proposal = proposed(staff, acme.company, "add_member", email=insider.email, role="OWNER")
    assert confirmed(browser_of(insider), proposal).status_code == 403
    assert not Membership.objects.filter(user=insider).exists()


def test_the_last_owner_is_not_removed(staff: Client, acme: Shop) -> None:
    last = Membership.objects.get(company=acme.company, role=Role.OWNER)
    staff.post(action(last, "remove"), NOTE)
    assert not Proposal.objects.exists()


# How somebody signs in


def test_an_account_is_not_taken_over_by_one_person(staff: Client, colleague: Client, acme: Shop, owner: User) -> None:
    victim = a_member(acme.company, Role.FINANCE)
    old = victim.email
    set_up(victim)
    where = page_at(User, "change", victim.pk)
    staff.post(where, {"email": "taken@evil.example", "is_active": "", "first_name": "", "last_name": ""})
    password = {"password1": "Zebra-rocket-99x", "password2": "Zebra-rocket-99x", "usable_password": "true"}
    assert staff.post(f"/admin/accounts/user/{victim.pk}/password/", password).status_code == 403
    first = proposed(staff, victim, "change_email", email="taken@evil.example")
    second = proposed(staff, victim, "remove_second_factor")
    third = proposed(staff, victim, "deactivate")
    victim.refresh_from_db()
    assert (victim.email, victim.is_active) == (old, True)
    assert Authenticator.objects.filter(user=victim).exists()
    assert mails() == []

    assert [confirmed(colleague, one).status_code for one in (first, second, third)] == [200, 200, 200]

    victim.refresh_from_db()
    assert (victim.email, victim.is_active) == ("taken@evil.example", False)
    assert list(EmailAddress.objects.filter(user=victim).values_list("email", flat=True)) == ["taken@evil.example"]
    assert not Authenticator.objects.filter(user=victim).exists()
    assert {old, "taken@evil.example", owner.email} <= set(mails(acme.company))
    waits = WithdrawalWait.objects.all()
    assert {wait.why for wait in waits} == {"LOGIN"}
    assert not any(victim.pk in wait.may_lift for wait in waits)


def test_of_somebody_without_a_company_one_person_decides(staff: Client) -> None:
    nobody = a_person("lost@example.org")
    staff.post(action(nobody, "change_email"), NOTE | {"email": "Found@example.org"})
    nobody.refresh_from_db()
    assert nobody.email == "found@example.org"


# Staff


def test_staff_rights_take_two_people_and_never_ones_own(
    staff: Client, colleague: Client, root: User, acme: Shop
) -> None:
    person, group = a_person("puppet@example.org"), Group.objects.get(name="Treasury")
    staff.post(page_at(User, "change", person.pk), {"email": person.email, "is_staff": "on", "is_superuser": "on"})
    proposal = proposed(staff, person, "staff_rights", is_staff="on", groups=[group.pk])
    person.refresh_from_db()
    assert (person.is_staff, person.is_superuser) == (False, False)
    assert confirmed(colleague, proposal).status_code == 200
    person.refresh_from_db()
    assert (person.is_staff, person.is_superuser, list(person.groups.all())) == (True, False, [group])
    assert staff.post(action(root, "staff_rights"), NOTE | {"is_staff": "on"}).status_code == 403


@pytest.mark.parametrize("name", ["staff_rights", "change_role"])
def test_proposals_and_their_audit_name_people_by_email(staff: Client, acme: Shop, owner: User, name: str) -> None:
    record = owner if name == "staff_rights" else Membership.objects.get(user=owner)
    proposal = proposed(staff, record, name, is_staff="on", role="VIEWER")
    named = f"{owner.email} · {acme.company}" if name == "change_role" else owner.email
    for page in (page_at(Proposal, "changelist"), page_at(Proposal, "change", proposal.pk)):
        shown = staff.get(page).content.decode()
        assert named in shown and f">{proposal.object_id}<" not in shown and f"{proposal.kind} " not in shown
    assert AuditEntry.objects.get(action="proposal.made").object_id == named[:64]


def test_the_page_that_adds_a_person_asks_for_no_password(staff: Client) -> None:
    page = staff.get(page_at(User, "add")).content.decode()
    assert "Invite staff" in page and "Forgot your password?" in page
    assert "more user options" not in page and not [name for name in form_in(page.encode()) if "password" in name]


def test_only_staff_administrators_edit_staff_and_only_superusers_make_superusers(root: User) -> None:
    person = a_person("new@example.org")
    looking_after_people = browser_of(support("view_user", "change_user", "change_login", "deactivate_person"))
    for name in ("change_email", "deactivate", "staff_rights"):
        sent = NOTE | {"email": "x@y.example"}
        assert looking_after_people.post(action(root, name), sent).status_code == 403
    User.objects.filter(email="support@onpay.example").delete()
    administrator = browser_of(support("view_user", "change_user", "administer_staff"))
    proposal = proposed(administrator, person, "staff_rights", is_staff="on", is_superuser="on")
    assert proposal.values == {"is_staff": True, "is_superuser": False, "groups": []}


# Refunds and rates


@pytest.mark.parametrize(("name", "ends"), [("carried_out", "COMPLETED"), ("declined", "FAILED")])
def test_what_became_of_a_real_refund_takes_two_people(
    staff: Client, colleague: Client, acme: Shop, name: str, ends: str
) -> None:
    a_payment(acme.sandbox, "PAID")
    refund = a_refund(acme.sandbox, "PROCESSING")
    take_to_production(acme.sandbox)
    proposal = proposed(staff, refund, name)
    refund.refresh_from_db()
    assert refund.status == "PROCESSING"
    assert confirmed(staff, proposal).status_code == 403
    assert Refund.objects.get().status == "PROCESSING"
    assert confirmed(colleague, proposal).status_code == 200
    assert Refund.objects.get().status == ends


def test_a_rate_of_staff_takes_two_people_each_time(staff: Client, colleague: Client) -> None:
    add = "/admin/ledger/rate/add/"
    sent = NOTE | {"currency": "USD", "holds_for": "60", "confirmed": "on"}
    staff.post(add, sent | {"per_real": "0.18"})
    assert not Rate.objects.exists()
    assert confirmed(staff, Proposal.objects.get()).status_code == 403
    assert confirmed(colleague, Proposal.objects.get()).status_code == 200
    assert Rate.objects.count() == 1
    staff.post(add, sent | {"per_real": "0.181"})  # near the last
    assert Rate.objects.count() == 1
    assert Proposal.objects.filter(state="OPEN").count() == 1


# An operator who is alone


def test_an_operator_who_is_alone_confirms_with_a_command(
    staff: Client, acme: Shop, owner: User, capsys: pytest.CaptureFixture[str]
) -> None:
    proposal = proposed(staff, acme.company, "change_address", address=ADDRESS)
    call_command("confirm_proposal")
    assert proposal.pk in capsys.readouterr().out
    for wrong in ({"note": ""}, {"note": "abc"}):
        with pytest.raises(CommandError):
            call_command("confirm_proposal", proposal.pk, **wrong)
    acme.company.refresh_from_db()
    assert acme.company.withdrawal_ip is None

    call_command("confirm_proposal", proposal.pk, note="I am alone here")

    acme.company.refresh_from_db()
    proposal.refresh_from_db()
    assert acme.company.withdrawal_ip == ADDRESS
    assert (proposal.state, proposal.decided_by) == ("CONFIRMED", None)
    entry = AuditEntry.objects.get(action="proposal.confirmed")
    assert f"manage.py confirm_proposal, run by {proposal.decided_on_host_by}" in entry.note
    assert owner.email in mails(acme.company)
    with pytest.raises(CommandError):
        call_command("confirm_proposal", proposal.pk, note="Once more")


def test_a_member_of_staff_decides_nothing_about_their_own_company(staff: Client, root: User, acme: Shop) -> None:
    Membership.objects.create(company=acme.company, user=root, role=Role.VIEWER)
    before: Any = Merchant.objects.filter(company=acme.company).order_by("pk").values()
    before = list(before)
    staff.post(action(acme.company, "suspend"), NOTE)
    staff.post(action(acme.company, "change_address"), NOTE | {"address": ADDRESS})
    where = page_at(Merchant, "change", acme.production.pk)
    assert staff.post(where, form_in(staff.get(where).content) | {"withdrawal_enabled": "on"}).status_code == 403
    acme.company.refresh_from_db()
    assert acme.company.status == "ACTIVE"
    assert list(Merchant.objects.filter(company=acme.company).order_by("pk").values()) == before
    assert not Proposal.objects.exists()


# The rolling reserve


def test_a_rolling_reserve_is_set_and_released_by_two_people(staff: Client, colleague: Client, acme: Shop) -> None:
    proposal = proposed(staff, acme.sandbox, "change_reserve", percentage="12.5", days="90")
    assert confirmed(staff, proposal).status_code == 403
    acme.sandbox.refresh_from_db()
    assert acme.sandbox.reserve_percentage == 0

    assert confirmed(colleague, proposal).status_code == 200
    acme.sandbox.refresh_from_db()
    assert (acme.sandbox.reserve_percentage, acme.sandbox.reserve_days) == (Decimal("12.5"), 90)

    a_payment(acme.sandbox, "PAID")
    hold = Hold.objects.get()
    assert confirmed(colleague, proposed(staff, acme.sandbox, "release_reserve")).status_code == 200
    assert due.run_due() == 1
    hold.refresh_from_db()
    assert hold.ended_at is not None
    assert AuditEntry.objects.filter(action__in=("reserve.changed", "reserve.released")).count() == 2
