"""Two people change the terms of one method at the same moment: the second waits, and overwrites nothing."""

import io
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from decimal import Decimal

import pytest
from django.core.management import CommandError, call_command
from django.db import connections, transaction

from accounts.base.clock import utcnow
from accounts.models import AuditEntry
from gateway.methods import selectors as methods
from gateway.methods.models import MethodRule, PriceRule
from gateway.payouts import selectors as payouts
from tests.support.companies import Shop

pytestmark = pytest.mark.django_db(transaction=True)
HELD_S = 0.5
PIX = ("--environment", "sandbox", "--currency", "BRL", "--note", "Agreed with Ana")
LATER = f"{utcnow() + timedelta(days=7):%Y-%m-%dT12:00}"


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

    def closed(act: Callable[[], str | None]) -> str | None:
        try:
            return act()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as threads:
        _, said = threads.map(closed, (hold, follow))
    return said or ""


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
