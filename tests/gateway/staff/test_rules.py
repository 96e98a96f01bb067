"""Terms of a company are not decided by its own people, on whichever page; nobody else is stopped."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.audit import ON_HOST
from accounts.base.clock import utcnow
from accounts.models import AuditEntry, Email, Environment, Membership, User
from accounts.roles import Role
from gateway.methods import services as methods
from gateway.methods.models import MethodRule, PriceRule
from gateway.payouts import services as payouts
from gateway.payouts.models import PayoutRule
from gateway.staff.kit.columns import address as page_of
from tests.support.companies import Shop
from tests.support.people import a_member


def _limits(shop: Shop) -> MethodRule:
    return methods.set_limits(ON_HOST, methods.limits(shop.production, Environment.PRODUCTION, "PIX", "BRL"))


def _price(shop: Shop) -> PriceRule:
    begins = utcnow() + timedelta(days=7)
    return methods.set_price(ON_HOST, methods.draft_price(shop.production, "PIX", "BRL", begins))


def _payout(shop: Shop) -> PayoutRule:
    terms = payouts.payout_terms(shop.production, Environment.PRODUCTION, "PIX", "BRL")
    return payouts.set_payout_terms(ON_HOST, terms)


RULES: list[Callable[[Shop], Any]] = [_limits, _price, _payout]


def delete(staff: Client, rule: Any) -> int:
    where = reverse(f"admin:gateway_{rule._meta.model_name}_delete", args=[rule.pk])
    return staff.post(where, {"post": "yes"}).status_code


def delete_from_the_list(staff: Client, rule: Any) -> int:
    chosen = {"action": "delete_selected", "_selected_action": str(rule.pk), "post": "yes"}
    return staff.post(page_of(type(rule), "changelist"), chosen).status_code


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("act", [delete, delete_from_the_list])
def test_nobody_deletes_terms_of_their_own_company(
    staff: Client, root: User, acme: Shop, rule: Callable[[Shop], Any], act: Callable[[Client, Any], int]
) -> None:
    own = rule(acme)
    Membership.objects.create(company=acme.company, user=root, role=Role.VIEWER)
    written = AuditEntry.objects.count()

    act(staff, own)

    assert type(own).objects.filter(pk=own.pk).exists()
    assert AuditEntry.objects.count() == written


@pytest.mark.parametrize("rule", RULES)
def test_owners_are_told_that_their_terms_were_deleted(staff: Client, acme: Shop, rule: Callable[[Shop], Any]) -> None:
    own, owner = rule(acme), a_member(acme.company, email="boss@acme.example")

    assert delete(staff, own) == 302

    assert not type(own).objects.filter(pk=own.pk).exists()
    assert Email.objects.filter(recipient=owner.email, kind="by_support").count() == 1
    assert AuditEntry.objects.latest("created_at").action.endswith(".deleted")
