"""The commands for prices and limits refuse an owner, a number, a time or a note that is not one."""

from datetime import timedelta

import pytest
from django.core.management import CommandError

from accounts.base.clock import utcnow
from accounts.models import AuditEntry, Company, Email
from tests.support.companies import Shop
from tests.support.people import a_member
from tests.support.terms import everything, run

pytestmark = pytest.mark.django_db
PIX = ("--method", "PIX", "--currency", "BRL", "--note", "Agreed with Ana")
ACME = ("--company", "Acme", "--environment", "sandbox")
LONG_NOTE = "x" * 600


@pytest.mark.parametrize("command", ["set_price", "set_limits", "set_payout_terms"])
@pytest.mark.parametrize("company", ["", " "])
def test_a_company_without_a_name_is_not_everybody(acme: Shop, command: str, company: str) -> None:
    named = ("--rail" if command == "set_payout_terms" else "--method", "PIX", "--currency", "BRL", "--note", "Agreed")
    change = ("--fixed", "9") if command == "set_price" else ("--maximum", "9")
    before = everything()
    with pytest.raises(CommandError, match="no such company"):
        run(command, "--company", company, *change, *named)
    assert everything() == before


def test_a_company_without_merchants_has_no_terms(db: None) -> None:
    Company.objects.create(legal_name="Shell", trade_name="Shell")
    before = everything()
    with pytest.raises(CommandError, match="Nothing was changed"):
        run("set_price", "--company", "Shell", "--percentage", "2", *PIX)
    assert everything() == before


@pytest.mark.parametrize("environment", ["sandbox", "production"])
def test_everybodys_price_is_not_set_for_one_environment(db: None, environment: str) -> None:
    before = everything()
    with pytest.raises(CommandError, match="both environments"):
        run("set_price", "--everybody", "--environment", environment, "--percentage", "2", *PIX)
    assert everything() == before


def test_a_price_says_until_when_it_holds_if_another_one_waits(acme: Shop) -> None:
    begins = f"{utcnow() + timedelta(days=7):%Y-%m-%d}"
    assert "until" not in run("set_price", *ACME, "--percentage", "0.89", "--from", begins, *PIX)
    assert f"until {begins} 00:00 UTC" in run("set_price", *ACME, "--fixed", "0.10", *PIX)


@pytest.mark.parametrize("environment", ["sandbox", "production"])
def test_owners_are_told_of_production_alone(acme: Shop, environment: str) -> None:
    a_member(acme.company, email="boss@acme.example")
    run("set_price", "--company", "Acme", "--environment", environment, "--percentage", "2", *PIX)
    assert Email.objects.filter(kind="by_support").exists() is (environment == "production")


@pytest.mark.parametrize("note", ["", " ", "\n"])
def test_a_note_says_something(acme: Shop, note: str) -> None:
    before = everything()
    with pytest.raises(CommandError, match="note"):
        run("set_price", *ACME, "--percentage", "2", "--method", "PIX", "--currency", "BRL", "--note", note)
    assert everything() == before


def test_a_long_note_does_not_hide_who_ran_the_command(acme: Shop) -> None:
    run("set_price", *ACME, "--percentage", "2", "--method", "PIX", "--currency", "BRL", "--note", LONG_NOTE)
    assert "(manage.py set_price, run by " in AuditEntry.objects.get().note


@pytest.mark.a_third_a_day
@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("set_price", ("--percentage", "1_0")),
        ("set_price", ("--percentage", "1e1")),
        ("set_price", ("--percentage", "٢")),
        ("set_price", ("--percentage", "1,5")),
        ("set_price", ("--percentage=-1",)),
        ("set_price", ("--percentage", "Infinity")),
        ("set_price", ("--fixed", "1e5")),
        ("set_price", ("--fixed", "1e999999")),
        ("set_price", ("--fixed", "9" * 30)),
        ("set_price", ("--fixed", "0.01" + "0" * 40 + "1")),
        ("set_price", ("--settlement-days", "1_0")),
        ("set_price", ("--settlement-days=-1",)),
        ("set_price", ("--settlement-days", "2147483647")),
        ("set_price", ("--settlement-days", "9" * 5000)),
        ("set_price", ("--advance-monthly-rate", "NaN")),
        ("set_price", ("--advance-minimum=-1",)),
        ("set_price", ("--from", "9999-12-31T23:59-12:00")),
        ("set_price", ("--from", "0001-01-01T00:00+14:00")),
        ("set_limits", ("--refund-window-days=-1",)),
        ("set_limits", ("--refund-window-days", "2147483647")),
        ("set_limits", ("--expires-in-s", "1.5")),
        ("set_limits", ("--expires-in-max-s", "2147483647")),
        ("set_limits", ("--maximum", "1e400")),
    ],
)
def test_what_is_no_number_or_time_in_its_range_changes_nothing(
    acme: Shop, command: str, arguments: tuple[str, ...]
) -> None:
    before = everything()
    with pytest.raises(CommandError):
        run(command, *ACME, *arguments, *PIX)
    assert everything() == before
