"""Changing the rules: stricter ones apply at once, weaker ones need another owner, or time."""

from collections.abc import Mapping
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext_noop as _

from accounts import audit
from accounts.audit import Actor
from accounts.base import clock
from accounts.base.errors import Fault
from accounts.models import ApiKey, Membership, Merchant, User
from accounts.roles import Role
from accounts.services import grantable, wait_for_money
from gateway.withdrawals.rules import notices
from gateway.withdrawals.rules.content import (
    APPROVER_ROLES,
    MOST_HOURS,
    MOST_PEOPLE,
    Outside,
    Rules,
    may_be_named,
    weakened,
)
from gateway.withdrawals.rules.errors import InvalidRules, RulesNotYours, RulesState
from gateway.withdrawals.rules.models import RulesState as State
from gateway.withdrawals.rules.models import WithdrawalRules
from gateway.withdrawals.rules.selectors import SETTLES, in_force
from ledger.chart import WALLET_METHOD

APPROVE = "withdrawals:approve"


@transaction.atomic
def propose(by: Actor, merchant: Merchant, rules: Rules) -> WithdrawalRules | None:
    """Puts rules in force that are at least as strict as those in force; weaker ones are proposed.

    An earlier proposal is stopped. Returns None if nothing changes. Raises ONP400_WITHDRAWAL_RULES.
    """
    assert isinstance(by.user, User)
    wait_for_money(merchant.company_id)
    require_workable(merchant, rules)
    now, known = clock.now(merchant), in_force(merchant).rules
    stopped = _proposals(merchant).update(state=State.STOPPED, stopped_by=by.user, ended_at=now)
    if rules == known:
        if stopped:
            audit.record(by, "withdrawal_rules.stopped", merchant=merchant)
        return None
    weaker = weakened(known, rules)
    version = WithdrawalRules.objects.create(
        merchant=merchant,
        state=State.PROPOSED,
        content=rules.as_json(),
        proposed_by=by.user,
        created_at=now,
        due_at=now + SETTLES,
    )
    audit.record(
        by,
        "withdrawal_rules.proposed",
        merchant=merchant,
        object_id=version.pk,
        before=known.as_json(),
        after=rules.as_json() | {"weaker": weaker},
    )
    if weaker:
        notices.changed(merchant, version, "proposed", by=by.user)
    else:
        _put_in_force(version, now)
        notices.changed(merchant, version, "in_force", by=by.user)
    return version


@transaction.atomic
def agree(by: Actor, merchant: Merchant, rules_id: str) -> None:
    """Another owner puts proposed rules in force at once.

    Raises ONP403_WITHDRAWAL_RULES and ONP409_WITHDRAWAL_RULES.
    """
    assert isinstance(by.user, User)
    wait_for_money(merchant.company_id)
    version, now = _held(merchant, rules_id), clock.now(merchant)
    if not may_agree(merchant, version, by.user, now):
        raise RulesNotYours
    version.agreed_by = by.user
    _put_in_force(version, now)
    audit.record(by, "withdrawal_rules.agreed", merchant=merchant, object_id=version.pk, after=version.content)
    notices.changed(merchant, version, "in_force", by=by.user)


@transaction.atomic
def stop(by: Actor, merchant: Merchant, rules_id: str) -> None:
    """Any owner stops proposed rules. Raises ONP409_WITHDRAWAL_RULES."""
    assert isinstance(by.user, User)
    version = _held(merchant, rules_id)
    version.state, version.stopped_by, version.ended_at = State.STOPPED, by.user, clock.now(merchant)
    version.save(update_fields=["state", "stopped_by", "ended_at"])
    audit.record(by, "withdrawal_rules.stopped", merchant=merchant, object_id=version.pk, before=version.content)
    notices.changed(merchant, version, "stopped", by=by.user)


def take_effect(version: WithdrawalRules, due_at: datetime) -> None:
    """The waiting time of a locked proposal is over. If its proposer is no longer an owner, it is stopped."""
    merchant = version.merchant
    wait_for_money(merchant.company_id)
    if not _owners(merchant).filter(user=version.proposed_by_id).exists():
        version.state, version.stopped_by_id, version.ended_at = State.STOPPED, version.proposed_by_id, due_at
        version.save(update_fields=["state", "stopped_by", "ended_at"])
        notices.changed(merchant, version, "stopped", by=None)
        return
    _put_in_force(version, due_at)
    notices.changed(merchant, version, "in_force", by=None)


def may_agree(merchant: Merchant, version: WithdrawalRules, person: User, now: datetime) -> bool:
    """Whether the person is another owner, and has been one for long enough."""
    owner = _owners(merchant).filter(user=person).first()
    is_other = version.proposed_by_id != person.pk
    return owner is not None and is_other and in_force(merchant).trusts(owner.role_since, now)


def require_workable(merchant: Merchant, rules: Rules) -> None:
    """Raises ONP400_WITHDRAWAL_RULES."""
    limits: list[Mapping[str, int]] = [rules.above, rules.per_day, rules.per_beneficiary]
    conditions = (
        ("people", 0 <= rules.people <= MOST_PEOPLE, _("0 to %(people)s.")),
        (
            "people",
            bool(rules.people) or rules.outside_book != Outside.APPROVED,
            _("At least one, if accounts outside the book need approval."),
        ),
        ("people", approvers(merchant, rules) >= rules.people, _("There are fewer approvers than that.")),
        ("roles", rules.roles <= set(APPROVER_ROLES), _("Owner and Finance can approve; others by name.")),
        ("valid_for_h", 1 <= rules.valid_for_h <= MOST_HOURS, _("1 to %(hours)s hours.")),
        ("cooling_off_h", 0 <= rules.cooling_off_h <= MOST_HOURS, _("0 to %(hours)s hours.")),
        ("above", all(map(_are_amounts, limits)), _("Amounts of wallets, not below zero.")),
    )
    most = {"people": MOST_PEOPLE, "hours": MOST_HOURS}
    if found := [Fault(name, "INVALID", sentence, most) for name, holds, sentence in conditions if not holds]:
        raise InvalidRules(faults=found)


def _are_amounts(limits: Mapping[str, int]) -> bool:
    return all(currency in WALLET_METHOD and minor >= 0 for currency, minor in limits.items())


def approvers(merchant: Merchant, rules: Rules) -> int:
    """How many people could approve under these rules, in person or by a key that they issued."""
    team = {
        one.user_id: Role(one.role)
        for one in Membership.objects.filter(company=merchant.company_id, user__is_active=True)
    }
    people = {
        user_id
        for user_id, role in team.items()
        if role in rules.roles or (user_id in rules.persons and may_be_named(role))
    }
    if rules.keys:
        keys = ApiKey.objects.filter(
            merchant=merchant, revoked_at=None, expires_at=None, permissions__contains=[APPROVE], created_by__in=team
        )
        issuers = {key.created_by for key in keys.select_related("created_by") if key.created_by}
        people |= {one.pk for one in issuers if APPROVE in grantable(merchant, one)}
    return len(people)


def _put_in_force(version: WithdrawalRules, now: datetime) -> None:
    before = in_force(version.merchant)
    is_on = Rules.of_json(version.content).is_on
    running = WithdrawalRules.objects.filter(merchant=version.merchant, state=State.IN_FORCE)
    running.update(state=State.REPLACED, ended_at=now)
    version.state, version.began_at = State.IN_FORCE, now
    version.protected_since = (before.protected_since or now) if is_on else None
    version.save()


def _proposals(merchant: Merchant) -> QuerySet[WithdrawalRules]:
    return WithdrawalRules.objects.filter(merchant=merchant, state=State.PROPOSED)


def _held(merchant: Merchant, rules_id: str) -> WithdrawalRules:
    found = _proposals(merchant).select_for_update(no_key=True, of=("self",)).filter(pk=rules_id).first()
    if found is None:
        raise RulesState
    found.merchant = merchant
    return found


def _owners(merchant: Merchant) -> QuerySet[Membership]:
    return Membership.objects.filter(company=merchant.company_id, role=Role.OWNER, user__is_active=True)
