"""Two people change the terms of one method at the same moment: the second waits, and overwrites nothing."""

import io
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from decimal import Decimal
from typing import TypeVar

import pytest
from django.core.management import CommandError, call_command
from django.db import connections, transaction
from django.http import HttpResponse
from django.urls import reverse

from accounts.audit import ON_HOST
from accounts.base.clock import utcnow
from accounts.models import AuditEntry, User
from gateway.methods import changes, services
from gateway.methods import selectors as methods
from gateway.methods.models import MethodRule, PriceRule
from gateway.payouts import selectors as payouts
from tests.support.companies import Shop
from tests.support.people import PASSWORD, browser_of

pytestmark = pytest.mark.django_db(transaction=True)
T = TypeVar("T")
HELD_S = 0.5
PIX = ("--environment", "sandbox", "--currency", "BRL", "--note", "Agreed with Ana")
LATER = f"{utcnow() + timedelta(days=7):%Y-%m-%dT12:00}"


def closed(act: Callable[[], T]) -> T:
    try:
        return act()
    finally:
        connections.close_all()


def one_while_the_other_waits(first: tuple[str, ...], second: tuple[str, ...]) -> str:
    """Runs the second command before the first one's transaction has ended; returns its complaint."""
    begun, ended = threading.Event(), threading.Event()

    def hold() -> None:
        with transaction.atomic():
            run(*first)
            begun.set()
            ended.wait(HELD_S)

    def follow() -> str:
        begun.wait(20)
        try:
            run(*second)
        except CommandError as refused:
            return str(refused)
        return ""

    with ThreadPoolExecutor(2) as threads:
        holding, following = threads.submit(closed, hold), threads.submit(closed, follow)
        holding.result()
        return following.result()


def test_of_two_people_who_delete_the_same_terms_the_second_is_told(acme: Shop) -> None:
    run("set_limits", "--maximum", "99.90")
    rule = MethodRule.objects.get(merchant=acme.sandbox)
    staff = browser_of(User.objects.create_superuser("root@onpay.example", PASSWORD))
    where = reverse("admin:gateway_methodrule_delete", args=[rule.pk])

    def delete() -> HttpResponse:
        return staff.post(where, {"post": "yes"})

    with ThreadPoolExecutor(1) as threads:
        with transaction.atomic():
            changes.hold(rule)
            second = threads.submit(closed, delete)
            time.sleep(HELD_S)
            services.remove_limits(ON_HOST, MethodRule.objects.get(pk=rule.pk))
        answer = second.result()

    assert answer.status_code == 302
    assert AuditEntry.objects.filter(action="method_rule.deleted").count() == 1


def run(command: str, *arguments: str) -> None:
    named = ("--rail" if command == "set_payout_terms" else "--method", "PIX")
    call_command(command, "--company", "Acme", *named, *PIX, *arguments, stdout=io.StringIO())


@pytest.mark.parametrize("has_terms_of_its_own", [False, True])
def test_two_changes_of_the_limits_both_hold(acme: Shop, has_terms_of_its_own: bool) -> None:
    if has_terms_of_its_own:
        run("set_limits", "--expires-in-s", "900")
    said = one_while_the_other_waits(("set_limits", "--maximum", "99.90"), ("set_limits", "--refund-window-days", "30"))

    assert said == ""
    rule = MethodRule.objects.get(merchant=acme.sandbox)
    assert (rule.maximum, rule.refund_window_days) == (9_990, 30)
    assert "maximum" not in (AuditEntry.objects.latest("created_at").after or {})


def test_two_changes_of_the_payout_terms_both_hold(acme: Shop) -> None:
    said = one_while_the_other_waits(
        ("set_payout_terms", "--maximum", "99.90"), ("set_payout_terms", "--fee-fixed", "2")
    )

    assert said == ""
    terms = payouts.terms(acme.sandbox, "PIX", "BRL")
    assert (terms.maximum, terms.fee_fixed) == (9_990, 200)


def test_two_changes_of_the_price_both_hold(acme: Shop) -> None:
    said = one_while_the_other_waits(("set_price", "--percentage", "2"), ("set_price", "--fixed", "0.50"))

    assert said == ""
    terms = methods.terms(acme.sandbox, "PIX", "BRL")
    assert (terms.percentage, terms.fixed) == (Decimal(2), 50)


def test_of_two_versions_from_one_time_on_the_second_is_refused(acme: Shop) -> None:
    said = one_while_the_other_waits(
        ("set_price", "--percentage", "2", "--from", LATER), ("set_price", "--percentage", "3", "--from", LATER)
    )

    assert "Another version begins at this time" in said
    assert PriceRule.objects.get(merchant=acme.sandbox).percentage == 2
