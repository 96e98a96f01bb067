"""Prices and limits change by services alone: the pages of staff and the commands go through the same ones."""

import getpass
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal

import pytest
from django.core.management import CommandError

from accounts.audit import ON_HOST
from accounts.base.clock import utcnow
from accounts.models import AuditEntry, Email, Environment
from gateway.methods import selectors as methods
from gateway.methods import services
from gateway.methods.errors import InvalidTerms, MethodNotEnabled, TermsInForce
from gateway.methods.models import MethodRule, PriceRule
from gateway.payouts import selectors as payouts
from gateway.payouts import services as of_payouts
from gateway.payouts.errors import WithdrawalDisabled
from gateway.payouts.models import PayoutRule
from gateway.seeds import BEGINNING
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.people import a_member
from tests.support.receivables import stand_at
from tests.support.terms import everything, run

PIX = ("--method", "PIX", "--currency", "BRL", "--note", "Agreed with Ana")
OUT = ("--rail", "PIX", "--currency", "BRL", "--note", "Agreed with Ana")
SANDBOX = ("--environment", "sandbox")


def next_monday() -> str:
    today = utcnow().date()
    return f"{today + timedelta(days=7 - today.weekday())}"


def everybodys_price() -> PriceRule:
    return PriceRule.objects.get(merchant=None, method="PIX", currency="BRL", effective_from=BEGINNING)


def everybodys_limits() -> MethodRule:
    return MethodRule.objects.get(merchant=None, environment="SANDBOX", method="PIX", currency="BRL")


# Commands


def test_a_company_gets_another_price_from_next_monday_by_a_command(acme: Shop) -> None:
    old, begins = a_payment(acme.sandbox), next_monday()
    changes = ("--percentage", "0.89", "--fixed", "0.10", "--from", begins)

    said = run("set_price", "--company", "acme", *SANDBOX, *changes, *PIX)

    new = PriceRule.objects.latest("pk")
    assert (new.merchant, new.percentage, new.fixed) == (acme.sandbox, Decimal("0.89"), 10)
    assert f"{new.effective_from:%Y-%m-%d %H:%M}" == f"{begins} 00:00"
    told = [f"from {begins} 00:00 UTC", "percentage: 0.9900 → 0.8900", "fixed: 0.01 BRL → 0.10 BRL"]
    assert [one for one in told if one not in said] == []
    assert "settlement_days" not in said
    assert methods.terms(acme.sandbox, "PIX", "BRL").percentage == Decimal("0.99")
    stand_at(acme.sandbox, new.effective_from)
    assert methods.terms(acme.sandbox, "PIX", "BRL").percentage == Decimal("0.89")
    old.refresh_from_db()
    assert old.fee == 150


def test_what_a_command_changes_is_in_history_and_audit_and_owners_are_told(acme: Shop) -> None:
    owner = a_member(acme.company, email="boss@acme.example")

    run("set_price", "--company", acme.company.pk, "--percentage", "0.89", *PIX)

    price, entry = PriceRule.objects.get(merchant=acme.production), AuditEntry.objects.get()
    assert (entry.action, entry.object_id, entry.merchant) == ("price_rule.added", str(price.pk), acme.production)
    assert (entry.actor, entry.address, entry.request_id, entry.by_staff) == (None, None, "", True)
    assert entry.note == f"Agreed with Ana (manage.py set_price, run by {getpass.getuser()})"
    assert entry.before is None
    assert entry.after is not None
    assert (entry.after["percentage"], entry.after["fixed"]) == ("0.8900", "0.01 BRL")
    assert price.history.get().history_change_reason == entry.note[:100]
    [mail] = Email.objects.filter(recipient=owner.email)
    assert "PIX BRL" in mail.text


def test_limits_are_set_for_one_company_and_a_method_turned_off_and_on(acme: Shop, globex: Shop) -> None:
    of_acme = ("--company", "Acme", *SANDBOX, *PIX)
    assert "maximum: 250,000.00 BRL → 99.90 BRL" in run("set_limits", "--maximum", "99.90", *of_acme)
    assert methods.terms(acme.sandbox, "PIX", "BRL").maximum == 9_990

    run("set_limits", "--no-enabled", *of_acme)
    with pytest.raises(MethodNotEnabled):
        methods.terms(acme.sandbox, "PIX", "BRL")
    run("set_limits", "--enabled", *of_acme)

    assert methods.terms(acme.sandbox, "PIX", "BRL").maximum == 9_990
    assert methods.terms(globex.sandbox, "PIX", "BRL").maximum == 25_000_000
    entries = AuditEntry.objects.order_by("pk").values_list("action", "before", "after")[1:]
    assert list(entries) == [
        ("method_rule.changed", {"enabled": True}, {"enabled": False}),
        ("method_rule.changed", {"enabled": False}, {"enabled": True}),
    ]
    assert not Email.objects.filter(kind="by_support").exists()  # it is the sandbox


def test_payout_terms_are_set_for_everybody_and_for_one_company(acme: Shop, globex: Shop) -> None:
    run("set_payout_terms", "--everybody", *SANDBOX, "--fee-fixed", "2.00", "--fee-percentage", "0.5", *OUT)
    run("set_payout_terms", "--company", "Acme", *SANDBOX, "--no-enabled", *OUT)

    theirs = payouts.terms(globex.sandbox, "PIX", "BRL")
    assert (theirs.fee_fixed, theirs.fee_percentage) == (200, Decimal("0.5"))
    with pytest.raises(WithdrawalDisabled):
        payouts.terms(acme.sandbox, "PIX", "BRL")
    own = PayoutRule.objects.get(merchant=acme.sandbox)
    assert (own.fee_fixed, own.enabled) == (200, False)


def test_a_command_that_changes_nothing_writes_nothing_down(db: None) -> None:
    assert "unchanged" in run("set_limits", "--everybody", *SANDBOX, "--enabled", *PIX)
    assert not AuditEntry.objects.exists()


@pytest.mark.parametrize(
    ("command", "arguments", "said"),
    [
        ("set_price", ("--percentage", "101"), "percentage: "),
        ("set_price", ("--percentage", "0.89123"), "percentage: "),
        ("set_price", ("--percentage", "much"), "not a number"),
        ("set_price", ("--percentage", "NaN"), "not a number"),
        ("set_price", ("--fixed=-1",), "fixed: "),
        ("set_price", ("--fixed", "0.001"), "BRL has 2 decimals"),
        ("set_price", ("--fixed", "1e30"), "fixed: "),
        ("set_price", ("--from", "2026-01-01"), "effective_from: Must not be in the past"),
        ("set_price", ("--from", "soon"), "neither a day"),
        ("set_limits", ("--minimum", "0"), "minimum: "),
        ("set_limits", ("--minimum", "20", "--maximum", "10"), "maximum: The maximum is below the minimum."),
        ("set_limits", ("--expires-in-s", "59"), "expires_in_s: "),
    ],
)
def test_a_command_refuses_what_cannot_be_and_changes_nothing(
    acme: Shop, command: str, arguments: tuple[str, ...], said: str
) -> None:
    before = everything()
    with pytest.raises(CommandError, match=said):
        run(command, "--company", "Acme", *SANDBOX, *arguments, *PIX)
    assert everything() == before


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--company", "Nobody", *PIX), "no such company"),
        (("--everybody", "--method", "PIX", "--currency", "MXN", "--note", "Why not"), "PIX does not exist in MXN"),
        (("--everybody", "--method", "PIX", "--currency", "BRL"), "--note"),
        (PIX, "--company"),
    ],
)
def test_a_command_needs_somebody_a_method_and_a_note(db: None, arguments: tuple[str, ...], said: str) -> None:
    before = everything()
    with pytest.raises(CommandError, match=said):
        run("set_price", "--percentage", "2", *arguments)
    assert everything() == before


def test_a_name_that_two_companies_have_is_not_enough(acme: Shop) -> None:
    type(acme.company).objects.create(legal_name="Acme", trade_name="Acme")
    before = everything()
    with pytest.raises(CommandError, match="give its id"):
        run("set_price", "--company", "Acme", "--percentage", "2", *PIX)
    assert everything() == before


# Services


def test_a_draft_says_what_will_hold_then(acme: Shop) -> None:
    first, second = (utcnow() + timedelta(days=days) for days in (7, 14))
    draft = services.draft_price(acme.sandbox, "PIX", "BRL", first)
    draft.percentage = Decimal(3)
    services.set_price(ON_HOST, draft)

    assert services.draft_price(acme.sandbox, "PIX", "BRL").percentage == Decimal("0.99")
    assert services.draft_price(acme.sandbox, "PIX", "BRL", second).percentage == 3
    assert services.draft_price(None, "PIX", "BRL", second).percentage == Decimal("0.99")
    assert services.draft_price(acme.sandbox, "PIX", "BRL", second).pk is None


def _another_price_of_the_past() -> None:
    price = everybodys_price()
    price.percentage = Decimal(2)
    services.set_price(ON_HOST, price)


def _two_at_one_time() -> None:
    begins = everybodys_price().effective_from + timedelta(days=36_500)
    for _ in range(2):
        services.set_price(ON_HOST, services.draft_price(None, "PIX", "BRL", begins))


def _limits_that_are_not_theirs() -> None:
    rule = everybodys_limits()
    rule.maximum = 0
    services.set_limits(ON_HOST, rule)


def _a_network_fee_of_pix() -> None:
    rule = of_payouts.payout_terms(None, Environment.SANDBOX, "PIX", "BRL")
    rule.network_fee = 1
    of_payouts.set_payout_terms(ON_HOST, rule)


@pytest.mark.parametrize(
    ("act", "refusal"),
    [
        (_another_price_of_the_past, TermsInForce),
        (lambda: services.withdraw_price(ON_HOST, everybodys_price()), TermsInForce),
        (lambda: services.remove_limits(ON_HOST, everybodys_limits()), TermsInForce),
        (_limits_that_are_not_theirs, InvalidTerms),
        (_a_network_fee_of_pix, InvalidTerms),
        (lambda: services.limits(None, Environment.SANDBOX, "PIX", "MXN"), InvalidTerms),
        (lambda: of_payouts.payout_terms(None, Environment.SANDBOX, "SPEI", "USD"), InvalidTerms),
    ],
)
def test_a_refusal_changes_nothing(db: None, act: Callable[[], object], refusal: type[Exception]) -> None:
    before = everything()
    with pytest.raises(refusal):
        act()
    assert everything() == before


def test_two_versions_never_begin_at_the_same_time(db: None) -> None:
    with pytest.raises(InvalidTerms) as refused:
        _two_at_one_time()
    assert [fault.field for fault in refused.value.faults] == ["effective_from"]
    assert PriceRule.objects.filter(method="PIX").count() == 2
