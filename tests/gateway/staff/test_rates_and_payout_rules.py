"""What staff decide about money out: terms of rails, rates of production; and who asked for it from elsewhere."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse

from accounts.base.clock import utcnow
from accounts.models import Company, Proposal, User
from gateway.models import PayoutRule
from gateway.staff.kit.columns import address as page_of
from ledger.models import Rate
from ledger.rates import services as rates
from tests.support import withdrawals as w
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.forms import form_in
from tests.support.people import browser_of
from tests.support.proposals import confirmed
from tests.support.staff import change, support

ADD_RULE, ADD_RATE = "/admin/gateway/payoutrule/add/", "/admin/ledger/rate/add/"
RULE = {
    "merchant": "",
    "environment": "SANDBOX",
    "rail": "PIX",
    "currency": "BRL",
    "enabled": "on",
    "minimum": "10",
    "maximum": "600",
    "fee_percentage": "0",
    "fee_fixed": "0",
    "network_fee": "0",
}
RATE = {"currency": "USD", "per_real": "0.1834", "holds_for": "60", "note": "The provider is away"}


def everybodys(rail: str, currency: str) -> PayoutRule:
    return PayoutRule.objects.get(merchant=None, environment="SANDBOX", rail=rail, currency=currency)


def complaints(answer: Any) -> dict[str, Any]:
    return {} if answer.status_code == 302 else dict(answer.context["adminform"].form.errors)


def market(currency: str) -> Decimal:
    """As it was fetched an hour ago."""
    [rate] = rates.record({"BRL": Decimal(1), currency: Decimal("0.1834")}, utcnow() - timedelta(hours=1))
    return rate.per_real


def worth(shop: Shop) -> Decimal:
    return rates.market_rate(shop.production, "BRL", "USD")


def test_terms_are_typed_as_money_and_hold_at_once(staff: Client, root: User, out: Api, funded: Shop) -> None:
    rule = everybodys("PIX", "BRL")
    assert 'value="100000.00"' in staff.get(page_of(PayoutRule, "change", rule.pk)).content.decode()

    assert change(staff, rule, minimum="10.50", fee_percentage="0.5", fee_fixed="2.00") == {}

    rule.refresh_from_db()
    assert (rule.minimum, rule.maximum, rule.fee_fixed) == (1_050, 10_000_000, 200)
    assert w.refusal(w.ask(out, funded, amount=10.49)) == (422, "ONP422_WITHDRAWAL_AMOUNT_TOO_SMALL")
    assert w.withdrawn(out, funded, amount=100)["fee"] == Decimal("2.50")
    assert "0.5% + 2.00 BRL" in staff.get(page_of(PayoutRule, "changelist")).content.decode()
    assert rule.history.latest().history_user == root
    past = staff.get(reverse("admin:gateway_payoutrule_history", args=[rule.pk])).content.decode()
    assert [one for one in ("1.00 BRL", "10.50 BRL", "0.00 BRL", "2.00 BRL") if one not in past] == []


def test_crypto_has_the_decimals_of_its_asset_and_a_network_fee(staff: Client) -> None:
    rule = everybodys("CRYPTO", "BTC")
    shown = form_in(staff.get(page_of(PayoutRule, "change", rule.pk)).content)
    amounts = {
        "minimum": "0.00010000",
        "maximum": "20.00000000",
        "network_fee": "0.00005000",
        "fee_fixed": "0.00000000",
    }
    assert {name: shown[name] for name in amounts} == amounts

    assert change(staff, rule, minimum="0.00000001", network_fee="0.00001234") == {}

    rule.refresh_from_db()
    assert (rule.minimum, rule.maximum, rule.network_fee) == (1, 2_000_000_000, 1_234)
    assert "0.00001234 BTC" in staff.get(page_of(PayoutRule, "changelist")).content.decode()


@pytest.mark.a_third_a_day
@pytest.mark.parametrize(
    ("rail", "currency", "members", "field"),
    [
        ("PIX", "BRL", {"minimum": "601"}, "maximum"),
        *(("PIX", "BRL", {"minimum": wrong}, "minimum") for wrong in ("0", "-1", "1.001", "NaN", "")),
        ("PIX", "BRL", {"maximum": "1e15"}, "maximum"),
        *(("PIX", "BRL", {"fee_percentage": wrong}, "fee_percentage") for wrong in ("101", "-1")),
        *(("PIX", "BRL", {"fee_fixed": wrong}, "fee_fixed") for wrong in ("-1", "0.001")),
        ("PIX", "BRL", {"network_fee": "1"}, "network_fee"),
        ("CRYPTO", "USDT", {"fee_fixed": "1"}, "fee_fixed"),
        ("CRYPTO", "USDT", {"minimum": "1.0000001"}, "minimum"),
        ("CRYPTO", "BTC", {"maximum": "999999999999"}, "maximum"),
        *((rail, currency, {}, "currency") for rail, currency in (("PIX", "MXN"), ("CRYPTO", "BRL"), ("SPEI", "USD"))),
        ("PIX", "BRL", {"environment": "PRODUCTION"}, "environment"),
    ],
)
def test_impossible_terms_are_refused_and_change_nothing(
    staff: Client, acme: Shop, rail: str, currency: str, members: dict[str, str], field: str
) -> None:
    known = list(PayoutRule.objects.order_by("pk").values())
    wish = RULE | {"rail": rail, "currency": currency, "merchant": str(acme.sandbox.pk)}
    assert list(complaints(staff.post(ADD_RULE, wish | members))) == [field]
    assert list(PayoutRule.objects.order_by("pk").values()) == known


def test_a_merchant_gets_terms_of_its_own_until_they_go(
    staff: Client, out: Api, funded: Shop, globex: Shop, globex_api: Api, address: str
) -> None:
    assert complaints(staff.post(ADD_RULE, RULE | {"merchant": funded.sandbox.pk})) == {}
    assert complaints(staff.post(ADD_RULE, RULE | {"merchant": funded.sandbox.pk})) != {}
    own = PayoutRule.objects.get(merchant=funded.sandbox)
    assert w.refusal(w.ask(out, funded, amount=601)) == (422, "ONP422_WITHDRAWAL_AMOUNT_TOO_LARGE")
    w.register(globex, address)
    w.fund(globex_api)
    assert w.ask(globex_api, globex, amount=601).status_code == 201

    assert change(staff, own, rail="SPEI", currency="MXN", environment="PRODUCTION", enabled=None) == {}
    own.refresh_from_db()
    assert (own.rail, own.currency, own.environment, own.enabled) == ("PIX", "BRL", "SANDBOX", False)
    assert w.refusal(w.ask(out, funded, amount=50)) == (403, "ONP403_WITHDRAWAL_DISABLED")

    gone = [staff.post(reverse("admin:gateway_payoutrule_delete", args=[rule.pk]), {"post": "yes"}).status_code
            for rule in (own, everybodys("PIX", "BRL"))]  # fmt: skip
    assert gone == [302, 403]
    assert w.ask(out, funded, amount=601).status_code == 201


@pytest.mark.parametrize("minutes", [5, 60, 480, 1440])
def test_a_rate_of_staff_takes_two_people_and_ends_by_itself(
    staff: Client, colleague: Client, root: User, acme: Shop, minutes: int
) -> None:
    market("USD")
    assert complaints(staff.post(ADD_RATE, RATE | {"per_real": "0.19", "holds_for": str(minutes)})) == {}
    with pytest.raises(rates.NoRate):
        worth(acme)
    assert not Rate.objects.filter(source="STAFF").exists()

    confirmed(colleague, Proposal.objects.get())

    rate = Rate.objects.latest("pk")
    assert (rate.source, rate.entered_by, rate.note) == ("STAFF", root, f"{RATE['note']} / Seen it, too")
    assert rate.holds_until - rate.quoted_at == timedelta(minutes=minutes)
    assert worth(acme) == Decimal("0.19")
    for page in (page_of(Rate, "changelist"), page_of(Rate, "change", rate.pk)):
        told = staff.get(page).content.decode()
        assert [one for one in ("1 BRL = 0.19 USD", "1 USD = 5.263157895 BRL") if one not in told] == []
    Rate.objects.filter(pk=rate.pk).update(holds_until=utcnow())
    with pytest.raises(rates.NoRate):
        worth(acme)


def test_the_list_says_whose_rate_is_in_use(staff: Client, root: User) -> None:
    rates.enter("USD", Decimal("0.19"), timedelta(hours=1), root, "The provider is away", confirmed=True)
    rates.record({"BRL": Decimal(1), "USD": Decimal("0.18"), "MXN": Decimal("3.2")}, utcnow())

    told = staff.get(page_of(Rate, "changelist")).content.decode()

    in_use = told.partition("Rates in use")[2].partition("</section>")[0]
    assert f"Entered by {root}, in place of the market&#x27;s" in in_use and "1 BRL = 0.18 USD" not in in_use
    assert "First source only" in in_use
    assert "none: EUR, COP, ARS, USDT, BTC" in " ".join(in_use.split())


def test_a_rate_far_from_the_last_known_must_be_checked(staff: Client, colleague: Client, acme: Shop) -> None:
    market("USD")
    for far in ("0.2201", "0.1467", "5.4526"):
        refused = staff.post(ADD_RATE, RATE | {"per_real": far})
        assert list(complaints(refused)) == ["confirmed"], far
        assert "1 BRL = 0.1834 USD, so 1 USD = 5.452562704 BRL" in refused.content.decode()
    assert not Proposal.objects.exists()
    assert complaints(staff.post(ADD_RATE, RATE | {"per_real": "0.2200"})) == {}
    assert "already been proposed" in str(
        complaints(staff.post(ADD_RATE, RATE | {"per_real": "0.3", "confirmed": "on"}))
    )
    confirmed(colleague, Proposal.objects.get())
    assert worth(acme) == Decimal("0.22")


def test_the_first_rate_of_a_currency_must_be_confirmed_too(staff: Client, colleague: Client, acme: Shop) -> None:
    assert list(complaints(staff.post(ADD_RATE, RATE))) == ["confirmed"]
    with pytest.raises(rates.NoRate):
        worth(acme)
    assert complaints(staff.post(ADD_RATE, RATE | {"confirmed": "on"})) == {}
    confirmed(colleague, Proposal.objects.get())
    assert worth(acme) == Decimal("0.1834")


@pytest.mark.a_third_a_day
@pytest.mark.parametrize(
    ("members", "field"),
    [
        *(({"currency": wrong}, "currency") for wrong in ("", "BRL", "GBP")),
        *(({"per_real": wrong}, "per_real") for wrong in ("", "0", "-1", "NaN", "1e-16", "1e14", "much")),
        *(({"holds_for": wrong}, "holds_for") for wrong in ("", "0", "10080")),
        *(({"note": wrong}, "note") for wrong in ("", "abcd ", "x" * 256, "with\0nul")),
    ],
)
def test_an_impossible_rate_is_refused(staff: Client, members: dict[str, str], field: str) -> None:
    assert list(complaints(staff.post(ADD_RATE, RATE | {"confirmed": "on"} | members))) == [field]
    assert not Rate.objects.exists()


def test_a_withdrawn_rate_holds_no_longer(staff: Client, root: User, acme: Shop) -> None:
    rate = rates.enter("USD", Decimal("0.1834"), timedelta(hours=1), root, "The provider is away", confirmed=True)
    page = page_of(Rate, "change", rate.pk)
    withdraw = page.replace("/change/", "/withdraw/")
    assert withdraw in staff.get(page).content.decode()
    assert staff.get(withdraw).status_code == 200
    assert worth(acme) == Decimal("0.1834")

    assert "was withdrawn" in staff.post(withdraw, follow=True).content.decode()

    with pytest.raises(rates.NoRate):
        worth(acme)
    assert withdraw not in staff.get(page).content.decode()
    before = Rate.objects.values().get()
    assert "has already expired" in staff.post(withdraw, follow=True).content.decode()
    assert Rate.objects.values().get() == before
    assert LogEntry.objects.get(content_type__model="rate").change_message == "Withdrawn"


def test_rates_are_listed_newest_first_and_narrowed(staff: Client, root: User) -> None:
    market("USD")
    market("EUR")
    fetched, other = Rate.objects.order_by("pk")
    entered = rates.enter("USD", Decimal("0.19"), timedelta(hours=1), root, "The provider is away", confirmed=True)

    def found(**asked: str) -> list[int]:
        return [row.pk for row in staff.get(page_of(Rate, "changelist"), asked).context["cl"].result_list]

    assert found() == [entered.pk, other.pk, fetched.pk]
    assert found(currency__exact="USD") == found(q="usd") == [entered.pk, fetched.pk]
    assert (found(source__exact="STAFF"), found(holds="yes")) == ([entered.pk], [entered.pk])
    assert found(holds="no") == [other.pk, fetched.pk]
    assert "withdraw/" not in staff.get(page_of(Rate, "change", fetched.pk)).content.decode()
    assert staff.post(page_of(Rate, "change", entered.pk), RATE).status_code == 403
    assert staff.post(reverse("admin:ledger_rate_delete", args=[entered.pk]), {"post": "yes"}).status_code == 403


def test_whoever_may_only_view_decides_nothing(root: User, acme: Shop) -> None:
    rate = rates.enter("USD", Decimal("0.1834"), timedelta(hours=1), root, "The provider is away", confirmed=True)
    rule = everybodys("PIX", "BRL")
    before = [list(model.objects.values()) for model in (Rate, PayoutRule)]
    viewer = browser_of(support("view_rate", "view_payoutrule"))
    assert "100,000.00 BRL" in viewer.get(page_of(PayoutRule, "change", rule.pk)).content.decode()
    page = page_of(Rate, "change", rate.pk)
    assert "withdraw/" not in viewer.get(page).content.decode()
    posted = [(ADD_RULE, RULE), (ADD_RATE, RATE | {"confirmed": "on"}), (page.replace("/change/", "/withdraw/"), {})]
    for where, sent in (*posted, (page_of(PayoutRule, "change", rule.pk), RULE)):
        assert viewer.post(where, sent).status_code == 403, where
    assert [list(model.objects.values()) for model in (Rate, PayoutRule)] == before


def test_a_companys_page_tells_from_where_withdrawals_were_refused(
    staff: Client, out: Api, funded: Shop, globex: Shop
) -> None:
    w.register(funded, "203.0.113.9")
    for _ in range(2):
        assert w.refusal(w.ask(out, funded)) == (403, "ONP403_IP")
    page = staff.get(page_of(Company, "change", funded.company.pk)).content.decode()
    address = str(funded.sandbox.refused_origin.address)
    assert f"Sandbox: <b>{address}</b>, 2 ×, last" in page
    assert address not in staff.get(page_of(Company, "change", globex.company.pk)).content.decode()
    assert staff.get(reverse("admin:accounts_company_add")).status_code == 200
