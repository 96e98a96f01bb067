"""Stricter rules apply at once; weaker ones need another owner, or two days in which anybody can stop them."""

from datetime import timedelta
from typing import Any

import pytest

from accounts import joining
from accounts.audit import Actor
from accounts.base.clock import utcnow
from accounts.emails.models import Email
from accounts.models import Membership, User
from accounts.roles import Role
from gateway.withdrawals.rules import services
from gateway.withdrawals.rules.content import Outside, Rules, weakened
from gateway.withdrawals.rules.errors import InvalidRules, RulesNotYours, RulesState
from gateway.withdrawals.rules.models import WithdrawalRules
from gateway.withdrawals.rules.selectors import in_force, proposed
from tests.support.api import Api
from tests.support.approvals import request_of, set_rules, the_owner
from tests.support.companies import Shop
from tests.support.people import a_member
from tests.support.withdrawals import BRL, PIX, ask, nothing_moves, refusal, wait, withdrawn

STRICT: dict[str, Any] = {
    "people": 2,
    "above": {"BRL": 1000},
    "roles": frozenset([Role.OWNER]),
    "keys": False,
    "valid_for_h": 24,
    "outside_book": Outside.APPROVED,
    "cooling_off_h": 24,
    "per_day": {"BRL": 5000},
    "per_beneficiary": {"BRL": 2000},
}


@pytest.fixture
def owner(acme: Shop) -> User:
    return the_owner(acme)


@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"people": 1}, ["people"]),
        ({"people": 3}, []),
        ({"above": {"BRL": 1001}}, ["above"]),
        ({"above": {"BRL": 1000, "MXN": 1}}, ["above"]),
        ({"above": {}}, []),
        ({"roles": frozenset([Role.OWNER, Role.FINANCE])}, ["approvers"]),
        ({"persons": frozenset([7])}, ["approvers"]),
        ({"keys": True}, ["approvers"]),
        ({"roles": frozenset()}, []),
        ({"valid_for_h": 25}, ["valid_for_h"]),
        ({"outside_book": Outside.ALLOWED}, ["outside_book"]),
        ({"outside_book": Outside.REFUSED}, []),
        ({"cooling_off_h": 23}, ["cooling_off_h"]),
        ({"per_day": {}}, ["per_day"]),
        ({"per_day": {"BRL": 5001, "MXN": 1}}, ["per_day"]),
        ({"per_beneficiary": {"BRL": 2001}}, ["per_beneficiary"]),
        ({"per_beneficiary": {"BRL": 1, "ARS": 1}}, []),
        ({"people": 3, "keys": True}, ["approvers"]),
    ],
)
def test_every_rule_knows_what_weakens_it(change: dict[str, Any], names: list[str]) -> None:
    assert weakened(Rules(**STRICT), Rules(**STRICT | change)) == names


def test_rules_begin_at_once_and_end_after_two_days(out: Api, acme: Shop, owner: User) -> None:
    set_rules(acme.sandbox, owner, people=1)
    assert withdrawn(out, acme)["approval"]["state"] == "PENDING"

    version = set_rules(acme.sandbox, owner)

    assert version is not None
    wait(out, 48 * 3600 - 60)
    assert withdrawn(out, acme)["approval"]["state"] == "PENDING"
    wait(out, 60)
    assert withdrawn(out, acme)["approval"] is None
    assert proposed(acme.sandbox) is None


def test_another_owner_agrees_and_any_owner_stops(acme: Shop, owner: User) -> None:
    other = a_member(acme.company, Role.OWNER, "other@acme.example")
    finance = a_member(acme.company, Role.FINANCE)
    set_rules(acme.sandbox, owner, people=1)
    version = set_rules(acme.sandbox, owner)
    late = a_member(acme.company, Role.OWNER, "late@acme.example")
    assert version is not None

    for person in (owner, finance, late):
        with pytest.raises(RulesNotYours):
            services.agree(Actor(person), acme.sandbox, version.pk)
    assert in_force(acme.sandbox).rules.people == 1
    services.agree(Actor(other), acme.sandbox, version.pk)
    assert not in_force(acme.sandbox).rules.is_on

    set_rules(acme.sandbox, owner, people=1)
    version = set_rules(acme.sandbox, owner)
    assert version is not None
    services.stop(Actor(late), acme.sandbox, version.pk)
    with pytest.raises(RulesState):
        services.agree(Actor(other), acme.sandbox, version.pk)
    assert in_force(acme.sandbox).rules.people == 1


def test_stricter_rules_make_nobody_older(out: Api, acme: Shop, owner: User) -> None:
    """Who takes over one account cannot bring an accomplice in, and then begin rules anew."""
    set_rules(acme.sandbox, owner, people=1)
    accomplice = a_member(acme.company, Role.OWNER, "evil@attacker.example")

    set_rules(acme.sandbox, owner, people=1, cooling_off_h=1)

    known = in_force(acme.sandbox)
    assert not known.trusts(Membership.objects.get(user=accomplice).role_since, utcnow())
    assert known.trusts(Membership.objects.get(user=accomplice).role_since, utcnow() + timedelta(hours=49))


def test_who_is_no_owner_any_more_changes_nothing(out: Api, acme: Shop, owner: User) -> None:
    evil = a_member(acme.company, Role.OWNER, "evil@attacker.example")
    set_rules(acme.sandbox, owner, people=1)
    set_rules(acme.sandbox, evil)
    Membership.objects.filter(user=evil).delete()

    wait(out, 49 * 3600)

    assert in_force(acme.sandbox).rules.people == 1
    assert WithdrawalRules.objects.filter(state="STOPPED").count() == 1


@pytest.mark.parametrize(
    "rules",
    [
        {"people": 6},
        {"people": 2, "roles": frozenset([Role.OWNER]), "keys": False},
        {"outside_book": Outside.APPROVED},
        {"people": 1, "valid_for_h": 0},
        {"people": 1, "roles": frozenset([Role.SUPPORT])},
        {"per_day": {"USD": 1}},
        {"per_day": {"BRL": -1}},
        {"cooling_off_h": 169},
    ],
)
def test_rules_that_cannot_work_are_refused(acme: Shop, owner: User, rules: dict[str, Any]) -> None:
    with pytest.raises(InvalidRules):
        set_rules(acme.sandbox, owner, **rules)

    assert not WithdrawalRules.objects.exists()


def test_limits_hold_in_any_day_and_for_each_beneficiary(out: Api, acme: Shop, owner: User) -> None:
    set_rules(acme.sandbox, owner, per_day={"BRL": 1000_00}, per_beneficiary={"BRL": 600_00})
    other = {"pixKey": "maria@example.com", "pixKeyType": "EMAIL"}

    withdrawn(out, acme, PIX, amount=600)
    with nothing_moves(acme):
        assert refusal(ask(out, acme, PIX, amount=1)) == (422, "ONP422_WITHDRAWAL_BENEFICIARY_LIMIT")
        assert refusal(ask(out, acme, PIX, amount=400.01, **other)) == (422, "ONP422_WITHDRAWAL_DAY_LIMIT")
    withdrawn(out, acme, PIX, amount=400, **other)

    wait(out, 24 * 3600)
    withdrawn(out, acme, PIX, amount=600)


def test_another_way_to_write_an_account_is_no_other_beneficiary(out: Api, acme: Shop, owner: User) -> None:
    set_rules(acme.sandbox, owner, per_beneficiary={"BRL": 100_00})
    account = {"bankCode": "341", "branch": "932", "accountNumber": "12345-6", "accountType": "CHECKING"}
    withdrawn(out, acme, BRL, amount=100, **account)

    with nothing_moves(acme):
        for other in (
            {"bankCode": "60701190"},
            {"branch": "0932-7"},
            {"accountNumber": "000123456"},
            {"accountType": "PAYMENT"},
        ):
            assert refusal(ask(out, acme, BRL, amount=1, **account | other)) == (
                422,
                "ONP422_WITHDRAWAL_BENEFICIARY_LIMIT",
            )
    withdrawn(out, acme, BRL, amount=100, **account | {"accountNumber": "12345-7"})


def test_an_owner_who_was_just_removed_is_told_that_the_rules_become_weaker(
    acme: Shop, owner: User, settings: Any
) -> None:
    settings.SANDBOX_NOTICES = True
    thief = a_member(acme.company, Role.OWNER, "thief@acme.example")
    set_rules(acme.sandbox, owner, people=1)
    joining.remove(request_of(thief), acme.company, Membership.objects.get(user=owner).pk)
    Email.objects.all().delete()

    set_rules(acme.sandbox, thief)

    assert set(Email.objects.values_list("recipient", flat=True)) == {owner.email, thief.email}
    assert "wants to weaken" in Email.objects.get(recipient=owner.email).text
