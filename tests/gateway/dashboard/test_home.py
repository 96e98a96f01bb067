"""The first page: the way to real money, how business is in each currency apart, and what needs attention."""

import json
import re
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts import verification
from accounts.base.clock import utcnow
from accounts.base.ids import new_id
from accounts.models import Company, Membership, Merchant, User
from accounts.roles import Role
from accounts.services import issue_key, register
from gateway.customers.models import Customer
from gateway.payments.models import Payment
from gateway.refunds import services as refunds
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.forms import form_in
from tests.support.payments import a_payment
from tests.support.people import a_member, a_person, set_up, signed_in
from tests.support.withdrawals import fund
from webhooks import services as webhooks
from webhooks.models import Endpoint

STEPS = (
    "Upload your verification documents",
    "Create a sandbox key",
    "Add a webhook",
    "Make a test payment",
    "Set up a second factor",
    "Register your withdrawal address",
    "Request production",
)


def home_of(shop: Shop | Company, query: str = "", environment: str = "sandbox") -> str:
    company = shop.company if isinstance(shop, Shop) else shop
    return f"/dashboard/{company.pk}/{environment}/{query}"


def shown(browser: Client, shop: Shop | Company, query: str = "", environment: str = "sandbox") -> str:
    answer = browser.get(home_of(shop, query, environment))
    assert answer.status_code == 200
    return answer.content.decode()


def section(page: str, name: str) -> str:
    """The part of the page under the heading with this id; empty where there is none."""
    found = re.search(rf'<section[^>]*aria-labelledby="{name}".*?</section>', page, re.DOTALL)
    return found[0] if found else ""


def done(page: str) -> list[str]:
    return [step for step in STEPS if re.search(rf"Done: </span>{step}", section(page, "steps"))]


@pytest.fixture
def owner(acme: Shop) -> Client:
    return signed_in(a_member(acme.company))


# ── A new company ─────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.fixture
def newcomer(db: None) -> Company:
    company = Company(legal_name="Nova LTDA", trade_name="Nova", tax_id="11222333000181", tax_id_type="CNPJ")
    register(company)
    return company


@pytest.fixture
def founder(newcomer: Company) -> User:
    user = a_person("founder@nova.example")
    Membership.objects.create(company=newcomer, user=user, role=Role.OWNER)
    return user


def test_every_step_to_production_is_done_when_the_data_say_so(newcomer: Company, founder: User) -> None:
    browser, sandbox = signed_in(founder), Merchant.objects.get(company=newcomer, environment="SANDBOX")
    page = shown(browser, newcomer)
    assert done(page) == [] and "0 of 7 steps done" in page
    assert all(step in section(page, "steps") for step in STEPS)

    place = home_of(newcomer, "verification/")
    for kind in verification.NEEDED:
        once = form_in(browser.get(place).content)["once"]
        browser.post(place, {"once": once, "kind": kind, "file": SimpleUploadedFile("a.pdf", b"%PDF-1.7")})
    assert done(shown(browser, newcomer)) == [STEPS[0]]

    issue_key(sandbox, ["payments:write"])
    webhooks.register(sandbox, "https://8.8.8.8/hook", ["*"], None)
    a_payment(sandbox)
    assert done(shown(browser, newcomer)) == list(STEPS[:4])

    set_up(founder)
    Company.objects.filter(pk=newcomer.pk).update(withdrawal_ip="8.8.8.8")
    assert done(shown(browser, newcomer)) == list(STEPS[:6])

    browser.post(f"{place}production")
    assert section(shown(browser, newcomer), "steps") == ""


def test_a_revoked_key_or_a_deleted_webhook_is_none(acme: Shop, owner: Client) -> None:
    acme.sandbox.api_keys.update(revoked_at=utcnow())

    assert done(shown(owner, acme)) == [STEPS[0], STEPS[6]]


def test_only_what_a_person_may_do_is_a_link(acme: Shop) -> None:
    steps = section(shown(signed_in(a_member(acme.company, Role.FINANCE)), acme), "steps")

    assert "/accounts/2fa/" in steps and "/payments/new" in steps
    assert "/webhooks/" not in steps and "/settings/" not in steps
    assert "An owner or developer can do this." in steps


def test_who_takes_real_money_needs_no_steps(acme: Shop, owner: Client) -> None:
    first = a_payment(acme.sandbox)
    payer = first.customer
    payer.pk, payer.merchant = new_id("cus"), acme.production
    first.pk, first.merchant, first.customer = new_id("pay"), acme.production, payer
    Customer.objects.bulk_create([payer])  # no provider is connected yet that could have made them
    Payment.objects.bulk_create([first])

    page = shown(owner, acme)

    assert section(page, "steps") == ""
    assert "You have no second factor" in section(page, "attention")


# ── Figures ───────────────────────────────────────────────────────────────────────────────────────────────────────
def test_each_currency_has_its_own_line_and_nothing_is_added_up(acme: Shop, api: Api, owner: Client) -> None:
    fund(api, "BRL", 100)
    fund(api, "BRL", 50)
    fund(api, "MXN", 200)
    paid = a_payment(acme.sandbox, "PAID", "40.00")
    refunds.create(acme.sandbox, paid.pk, amount=1000)
    refunds.simulate(acme.sandbox, paid.refunds.get().pk, "COMPLETED")

    activity = section(shown(owner, acme), "activity")
    brl, mxn = (activity.split(f'<th scope="row">{code}</th>')[1].split("</tr>")[0] for code in ("BRL", "MXN"))

    assert "R$190.00" in brl and "3 payments" in brl and "R$10.00" in brl and "1 refund" in brl
    assert "MXN\xa0200.00" in mxn and "1 payment" in mxn and "0 refunds" in mxn
    assert "390" not in activity


def test_the_period_is_of_the_merchants_clock(acme: Shop, api: Api, owner: Client) -> None:
    fund(api, "BRL", 100)
    Merchant.objects.filter(pk=acme.sandbox.pk).update(clock_offset=timedelta(days=1))
    fund(api, "BRL", 7)
    lines = {"today": "R$7.00", "yesterday": "R$100.00", "7": "R$107.00", "30": "R$107.00", "90": "R$107.00"}

    for period, amount in lines.items():
        page = shown(owner, acme, f"?period={period}")
        assert f">{amount}</a>" in section(page, "activity"), period
        assert (section(page, "volume") != "") == period.isdecimal()
    assert ">R$107.00</a>" in section(shown(owner, acme, "?period=forever"), "activity")


def test_the_chart_shows_one_currency_and_the_table_the_same(acme: Shop, api: Api, owner: Client) -> None:
    for amount in (100, 50):
        fund(api, "BRL", amount)
    fund(api, "MXN", 200)
    a_payment(acme.sandbox, "FAILED")

    page = shown(owner, acme, "?period=7")
    data = json.loads(re.search(r'id="chart-data"[^>]*>(.*?)</script>', page)[1])  # type: ignore[index]

    assert (data["amounts"], data["counts"]) == (["0.00"] * 6 + ["150.00"], [0] * 6 + [2])
    assert data["rates"] == [None] * 6 + ["75.0"]
    assert (len(data["days"]), data["shown"][-1]) == (7, "R$150.00")
    last = page.split("The charts as a table")[1].split("</tbody>")[0].split("<tr>")[-1]
    assert "R$150.00" in last and "75%" in last and "(3/4)" in last
    pesos = shown(owner, acme, "?period=7&currency=MXN")
    assert json.loads(re.search(r'id="chart-data"[^>]*>(.*?)</script>', pesos)[1])["amounts"][-1] == "200.00"  # type: ignore[index]


def test_balances_lead_to_their_explanation_and_say_when_more_comes(acme: Shop, api: Api, owner: Client) -> None:
    fund(api, "BRL", 100)

    balances = section(shown(owner, acme), "balances")

    assert "R$99.00" in balances
    for bucket in ("AVAILABLE", "BLOCKED"):
        assert f"{home_of(acme)}explain?currency=BRL&amp;bucket={bucket}" in balances or "explain" in balances
    assert "receivables/?currency=BRL" in balances


@pytest.mark.parametrize("role", Role)
def test_balances_are_for_those_who_read_money(role: Role, acme: Shop, api: Api) -> None:
    fund(api, "BRL", 100)
    page = shown(signed_in(a_member(acme.company, role, "reader@acme.example")), acme)

    assert (section(page, "balances") != "") == (role in (Role.OWNER, Role.FINANCE, Role.VIEWER))
    assert "R$100.00" in section(page, "recent")


# ── What needs attention ──────────────────────────────────────────────────────────────────────────────────────────
def test_what_waits_leads_to_where_it_is_settled(acme: Shop, owner: Client) -> None:
    paid = a_payment(acme.sandbox, "PAID", "40.00")
    asked = refunds.dispute(acme.sandbox, paid.pk, amount=4000, reason_code="FRAUD")
    endpoint, _secret = webhooks.register(acme.sandbox, "https://8.8.8.8/hook", ["*"], None)
    Endpoint.objects.filter(pk=endpoint.pk).update(status="DISABLED", disabled_reason="FAILURES")

    notes = section(shown(owner, acme), "attention")

    assert "A payer requested a refund of R$40.00: answer in time" in notes
    assert f'href="{home_of(acme)}refunds/{asked.pk}/"' in notes
    assert "A webhook endpoint was disabled by us" in notes
    assert f'href="{home_of(acme)}webhooks/{endpoint.pk}' in notes
    finance = section(shown(signed_in(a_member(acme.company, Role.FINANCE)), acme), "attention")
    assert "A payer requested a refund of R$40.00" in finance and "A webhook endpoint was disabled" not in finance


def test_support_that_sent_back_is_heard(acme: Shop, owner: Client) -> None:
    Company.objects.filter(pk=acme.company.pk).update(
        status="PENDING_VERIFICATION", verified_at=None, verification_note="The extract is too old."
    )

    assert "The extract is too old." in section(shown(owner, acme), "attention")
    viewer = signed_in(a_member(acme.company, Role.VIEWER))
    assert "The extract is too old." not in shown(viewer, acme)


def test_a_suspended_company_reads_it_first(acme: Shop, owner: Client) -> None:
    Company.objects.filter(pk=acme.company.pk).update(status="SUSPENDED")

    assert "The company cannot accept money at the moment" in section(shown(owner, acme), "attention")


# ── Whose ─────────────────────────────────────────────────────────────────────────────────────────────────────────
def test_nothing_of_another_company_or_environment_is_shown(acme: Shop, globex: Shop, api: Api, owner: Client) -> None:
    fund(api, "BRL", 100)
    stranger = signed_in(a_member(globex.company))

    assert stranger.get(home_of(acme)).status_code == 404
    assert "R$100.00" not in shown(stranger, globex)
    assert "R$100.00" not in shown(owner, acme, environment="production")


def test_it_costs_the_same_with_more_of_everything(
    acme: Shop, api: Api, owner: Client, django_assert_max_num_queries: Any
) -> None:
    for n in range(12):
        paid = a_payment(acme.sandbox, "PAID", f"{40 + n}.00")
        refunds.dispute(acme.sandbox, paid.pk, reason_code="FRAUD")
    with django_assert_max_num_queries(45):
        shown(owner, acme, "?period=90")
