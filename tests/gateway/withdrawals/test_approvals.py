"""A withdrawal that the company's rules hold back waits for other people, and silence is no (contract §11.7)."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from accounts.base.clock import utcnow
from accounts.base.sealing import seal
from accounts.models import Membership, User
from accounts.roles import Role
from accounts.services import issue_key, revoke_key, rotate_key
from gateway.withdrawals import due
from gateway.withdrawals.models import Withdrawal
from tests.support.api import Api
from tests.support.approvals import an_approver, approve, key_of, set_rules, the_owner
from tests.support.companies import Shop
from tests.support.people import a_member
from tests.support.withdrawals import (
    ask,
    decide,
    kinds,
    looked_up,
    nothing_moves,
    refusal,
    register,
    rehearsed,
    wait,
    wallet,
    withdrawn,
)

ABOVE_100 = {"people": 1, "above": {"BRL": 100_00}}


@pytest.fixture
def owner(acme: Shop) -> User:
    return the_owner(acme)


@pytest.fixture
def approver(acme: Shop, address: str, owner: User) -> Api:
    """A key that another person issued than the one behind the backend's key, before there were rules."""
    return an_approver(acme, address, by=owner)


@pytest.fixture
def ruled(out: Api, acme: Shop, approver: Api, owner: User) -> Api:
    """The backend of acme, above 100 reais of which one other person must approve."""
    set_rules(acme.sandbox, owner, **ABOVE_100)
    return out


def state_of(api: Api, made: dict[str, Any]) -> tuple[str, str, int]:
    found = looked_up(api, made)
    return found["status"], found["approval"]["state"], int(found["approval"]["given"])


def test_without_rules_nothing_waits(out: Api, acme: Shop) -> None:
    made = withdrawn(out, acme, amount=500)

    assert made["approval"] is None
    wait(out, 10)
    assert looked_up(out, made)["status"] == "COMPLETED"
    assert kinds(acme) == ["withdrawal.completed"]


def test_what_is_above_the_amount_waits_and_leaves_once_approved(ruled: Api, acme: Shop, approver: Api) -> None:
    small, large = withdrawn(ruled, acme, amount=100), withdrawn(ruled, acme, amount=101)
    blocked = wallet(ruled, acme)[2]
    assert small["approval"] is None
    assert (large["status"], large["approval"]["state"], large["approval"]["required"]) == ("PROCESSING", "PENDING", 1)
    wait(ruled, 3600)
    assert state_of(ruled, large) == ("PROCESSING", "PENDING", 0)
    assert wallet(ruled, acme)[2] == blocked - small["totalDebited"]

    answer = approve(approver, large, note="Known supplier")

    assert answer.status_code == 201
    assert answer.json()["data"]["approval"]["state"] == "APPROVED"
    wait(ruled, 10)
    assert state_of(ruled, large) == ("COMPLETED", "APPROVED", 1)
    assert kinds(acme) == ["withdrawal.approval_requested", "withdrawal.completed", "withdrawal.completed"]


@pytest.mark.parametrize(
    ("how", "state", "code"),
    [("reject", "REJECTED", "APPROVAL_REJECTED"), ("silence", "EXPIRED", "APPROVAL_EXPIRED")],
)
def test_no_and_silence_free_the_money(ruled: Api, acme: Shop, approver: Api, how: str, state: str, code: str) -> None:
    before = wallet(ruled, acme)
    made = withdrawn(ruled, acme, amount=500)

    if how == "reject":
        assert approve(approver, made, "REJECT").status_code == 201
    else:
        wait(ruled, 24 * 3600)

    ended = looked_up(ruled, made)
    assert (ended["status"], ended["approval"]["state"], ended["failure"]["code"]) == ("FAILED", state, code)
    assert wallet(ruled, acme) == before
    assert kinds(acme) == ["withdrawal.approval_requested", "withdrawal.failed"]
    with nothing_moves(acme):
        assert refusal(approve(approver, made)) == (409, "ONP409_APPROVAL_STATE")


def test_two_people_are_two_people(out: Api, acme: Shop, address: str, owner: User, approver: Api) -> None:
    other = an_approver(acme, address, by=a_member(acme.company, Role.FINANCE))
    same = an_approver(acme, address, by=owner, name="Second key of the owner")
    set_rules(acme.sandbox, owner, people=2, above={})
    made = withdrawn(out, acme, amount=1)

    assert approve(approver, made).status_code == 201
    with nothing_moves(acme):
        for again in (approver, same):
            assert refusal(approve(again, made)) == (409, "ONP409_APPROVAL_GIVEN")
    wait(out, 60)
    assert state_of(out, made) == ("PROCESSING", "PENDING", 1)

    assert approve(other, made).status_code == 201
    wait(out, 10)
    assert state_of(out, made) == ("COMPLETED", "APPROVED", 2)

    made = withdrawn(out, acme, amount=1)
    assert approve(approver, made).status_code == 201
    assert approve(approver, made, "REJECT").status_code == 201, "people may change their minds until it is sent"
    assert state_of(out, made) == ("FAILED", "REJECTED", 1)


def test_who_asked_does_not_approve_with_any_key(acme: Shop, funded: Shop, address: str, owner: User) -> None:

    register(acme, address)
    finance = a_member(acme.company, Role.FINANCE)
    full, text = issue_key(acme.sandbox, ["withdrawals:write", "withdrawals:read", "withdrawals:approve"], by=finance)
    backend, second = Api(text, address), an_approver(acme, address, by=finance)
    _, text = rotate_key(full, utcnow() + timedelta(days=1), by=owner)
    rotated = Api(text, address)
    set_rules(acme.sandbox, owner, people=1, above={})
    made = withdrawn(backend, acme, amount=1)

    with nothing_moves(acme):
        for own in (backend, second, rotated):
            assert refusal(approve(own, made)) == (403, "ONP403_OWN_APPROVAL")
    assert approve(backend, made, "REJECT").status_code == 201, "taking it back is no theft"


def test_keys_and_roles_newer_than_the_rules_wait(ruled: Api, acme: Shop, address: str, owner: User) -> None:
    new = an_approver(acme, address, by=owner, name="New")
    made = withdrawn(ruled, acme, amount=500)

    with nothing_moves(acme):
        assert refusal(approve(new, made)) == (403, "ONP403_APPROVER")
        assert refusal(approve(new, made, "REJECT")) == (403, "ONP403_APPROVER")

    wait(ruled, 48 * 3600)
    made = withdrawn(ruled, acme, amount=500)
    assert approve(new, made).status_code == 201


@pytest.mark.parametrize("why", ["permission", "address", "globex", "unknown"])
def test_others_do_not_decide(ruled: Api, acme: Shop, globex: Shop, approver: Api, address: str, why: str) -> None:
    made = withdrawn(ruled, acme, amount=500)
    others = {
        "permission": (Api(issue_key(acme.sandbox, ["withdrawals:write"])[1], address), made, (403, "ONP403")),
        "address": (Api(approver.key), made, (403, "ONP403_IP")),
        "globex": (Api(globex.sandbox_key, address), made, (404, "ONP404_WITHDRAWAL")),
        "unknown": (approver, {"id": "wdr_01KAGTW3Q8XJ5V0N2B7R4C9WDR"}, (404, "ONP404_WITHDRAWAL")),
    }
    api, which, refused = others[why]
    type(globex.company).objects.filter(pk=globex.company.pk).update(withdrawal_ip=address)

    with nothing_moves(acme, globex):
        assert refusal(approve(api, which)) == refused


def test_an_approval_ends_with_the_key_or_role_that_gave_it(ruled: Api, acme: Shop, approver: Api) -> None:
    made = withdrawn(ruled, acme, amount=500)
    assert approve(approver, made).status_code == 201

    revoke_key(key_of(approver))

    due.run_due()
    assert state_of(ruled, made) == ("PROCESSING", "PENDING", 0)
    assert kinds(acme) == ["withdrawal.approval_requested"] * 2
    wait(ruled, 24 * 3600)
    assert state_of(ruled, made) == ("FAILED", "EXPIRED", 0)


def test_a_key_that_nobody_is_known_to_have_issued_is_nobody(out: Api, acme: Shop, address: str, owner: User) -> None:
    """Keys of the onboarding and of support: who asks in the dashboard may hold one of them."""
    nobody = an_approver(acme, address)
    set_rules(acme.sandbox, owner, people=1, above={})
    made = withdrawn(out, acme, amount=1)

    with nothing_moves(acme):
        for api in (nobody, Api(acme.sandbox_key, address)):
            assert refusal(approve(api, made)) == (403, "ONP403_APPROVER")


@pytest.mark.parametrize("why", ["removed", "deactivated", "new role"])
def test_a_key_counts_no_longer_than_the_person_who_issued_it(out: Api, acme: Shop, address: str, why: str) -> None:
    finance = a_member(acme.company, Role.FINANCE)
    theirs = an_approver(acme, address, by=finance)
    set_rules(acme.sandbox, the_owner(acme), people=1, above={})
    approved, waiting = withdrawn(out, acme, amount=1), withdrawn(out, acme, amount=2)
    assert approve(theirs, approved).status_code == 201

    if why == "removed":
        Membership.objects.filter(user=finance).delete()
    elif why == "deactivated":
        User.objects.filter(pk=finance.pk).update(is_active=False)
    else:
        Membership.objects.filter(user=finance).update(role_since=utcnow())

    assert refusal(approve(theirs, waiting)) == (403, "ONP403_APPROVER")
    assert refusal(decide(out, approved, "COMPLETED")) == (409, "ONP409_WITHDRAWAL_UNAPPROVED")
    due.run_due()
    assert state_of(out, approved) == ("PROCESSING", "PENDING", 0)


def test_what_was_changed_after_the_approval_is_never_sent(ruled: Api, acme: Shop, approver: Api) -> None:
    made = withdrawn(ruled, acme, amount=500)
    assert approve(approver, made).status_code == 201
    rows = Withdrawal.objects.filter(pk=made["id"])
    right = bytes(rows.get().sealed_destination)
    rows.update(sealed_destination=seal(b'{"pixKey": "evil@attacker.example", "pixKeyType": "EMAIL"}'))

    due.run_due()

    assert (rows.get().status, rows.get().sent_at) == ("PROCESSING", None)
    assert refusal(decide(ruled, made, "COMPLETED")) == (409, "ONP409_WITHDRAWAL_UNAPPROVED")
    rows.update(sealed_destination=right)


def test_no_door_lets_out_what_waits(ruled: Api, acme: Shop) -> None:
    made = withdrawn(ruled, acme, amount=500)

    with nothing_moves(acme):
        for wanted in ("COMPLETED", "RETURNED"):
            assert decide(ruled, made, wanted).status_code == 409
        assert not due.query_now(acme.sandbox, made["id"])
        for change in ({"sent_at": utcnow()}, {"ask_at": utcnow()}, {"queued_at": utcnow()}, {"approval": "APPROVED"}):
            with pytest.raises(IntegrityError), transaction.atomic():
                Withdrawal.objects.filter(pk=made["id"]).update(**change)

    assert decide(ruled, made, "FAILED").status_code == 200
    assert state_of(ruled, made) == ("FAILED", "CANCELED", 0)


def test_a_member_who_lost_the_role_in_between_does_not_count(acme: Shop, out: Api, owner: User) -> None:
    from gateway.withdrawals.approvals import services
    from gateway.withdrawals.approvals.identities import Requester
    from gateway.withdrawals.approvals.models import Decision

    finance = a_member(acme.company, Role.FINANCE)
    set_rules(acme.sandbox, owner, people=1, above={})
    made = withdrawn(out, acme, amount=1)
    services.decide(acme.sandbox, made["id"], Decision.APPROVE, Requester.of_person(finance))

    Membership.objects.filter(user=finance).update(role=Role.VIEWER)

    due.run_due()
    assert state_of(out, made) == ("PROCESSING", "PENDING", 0)


def test_the_preflight_says_how_many_must_approve(ruled: Api, acme: Shop) -> None:

    assert rehearsed(ruled, acme, amount=100)["approvalsRequired"] == 0
    assert rehearsed(ruled, acme, amount=101)["approvalsRequired"] == 1
    assert ask(ruled, acme, amount=101).status_code == 201
