"""What holds for a company: read by everybody, its data and withdrawal address changed by owners alone."""

from decimal import Decimal
from typing import Any

import pytest
from django.core import mail
from django.test import Client

from accounts.models import AuditEntry, Company, RefusedOrigin
from accounts.roles import Role
from accounts.services import remember_refused_origin
from gateway.methods.models import MethodRule, PriceRule
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.forms import form_in
from tests.support.pages import Committed
from tests.support.people import a_member, signed_in, signed_in_twice
from tests.support.withdrawals import ask, refusal

DATA = {"trade_name": "Acme Shop", "city": "Recife", "email": "Hi@Acme.example", "phone": "+5581999990000"}
DATA |= {"brand_color": "#102030"}


def settings_of(shop: Shop, environment: str = "sandbox") -> str:
    return f"/dashboard/{shop.company.pk}/{environment}/settings/"


@pytest.fixture
def owner(acme: Shop) -> Client:
    return signed_in_twice(a_member(acme.company))


def company(shop: Shop) -> Company:
    return Company.objects.get(pk=shop.company.pk)


# ── Data ──────────────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("role", Role)
def test_everybody_reads_what_holds(role: Role, acme: Shop) -> None:
    browser = signed_in(a_member(acme.company, role, "reader@acme.example"))
    page = browser.get(settings_of(acme)).content.decode()

    assert "Acme LTDA" in page and "11.222.333/0001-81" in page
    assert ("Edit" in page) == (role == Role.OWNER)
    assert browser.get(f"{settings_of(acme)}terms").status_code == 200


def test_an_owner_changes_what_payers_see(acme: Shop, owner: Client) -> None:
    shown = form_in(owner.get(f"{settings_of(acme)}company").content)
    assert shown["trade_name"] == "Acme"

    assert owner.post(f"{settings_of(acme)}company", DATA)["location"] == settings_of(acme)

    changed = company(acme)
    assert (changed.trade_name, changed.city, changed.email) == ("Acme Shop", "Recife", "hi@acme.example")
    assert (changed.legal_name, changed.tax_id) == ("Acme LTDA", "11222333000181")
    entry = AuditEntry.objects.get()
    assert entry.action == "company.changed"
    assert entry.before == {"trade_name": "Acme", "city": "SAO PAULO", "email": "", "phone": "", "brand_color": ""}
    assert entry.after == DATA | {"email": "hi@acme.example"}
    assert 'fill="#102030"' in owner.get(settings_of(acme)).content.decode()


def test_saving_the_same_again_writes_nothing_down(acme: Shop, owner: Client) -> None:
    owner.post(f"{settings_of(acme)}company", DATA)
    owner.post(f"{settings_of(acme)}company", DATA)

    assert AuditEntry.objects.count() == 1


@pytest.mark.parametrize(
    ("wrong", "at"),
    [
        ({"trade_name": ""}, "trade_name"),
        ({"city": "x"}, "city"),
        ({"email": "hi"}, "email"),
        ({"phone": "11 99999-0000"}, "phone"),
        ({"brand_color": "red"}, "brand_color"),
        ({"brand_color": "#12345"}, "brand_color"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_changes(acme: Shop, owner: Client, wrong: dict[str, str], at: str) -> None:
    answer = owner.post(f"{settings_of(acme)}company", DATA | wrong)

    assert f'id="id_{at}_error"' in answer.content.decode()
    assert company(acme).trade_name == "Acme"


def test_what_was_verified_cannot_be_sent_along(acme: Shop, owner: Client) -> None:
    owner.post(f"{settings_of(acme)}company", DATA | {"legal_name": "Other", "tax_id": "1", "status": "CLOSED"})

    assert (company(acme).legal_name, company(acme).status) == ("Acme LTDA", "ACTIVE")


# ── The address of withdrawals ────────────────────────────────────────────────────────────────────────────────────
def test_the_address_that_was_refused_is_registered_and_holds_at_once(
    acme: Shop, owner: Client, committed: Committed
) -> None:
    backend = Api(acme.sandbox_key, "8.8.4.4")
    assert refusal(ask(backend, acme)) == (403, "ONP403_IP")
    place = f"{settings_of(acme)}withdrawal-address"
    assert "8.8.4.4" in owner.get(place).content.decode()
    form = form_in(owner.get(f"{place}?use=8.8.4.4").content)
    assert form["address"] == "8.8.4.4"

    with committed():
        assert owner.post(place, {"address": form["address"]})["location"] == settings_of(acme)

    assert refusal(ask(backend, acme)) == (422, "ONP422_INSUFFICIENT_BALANCE")
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.before, entry.after) == (
        "withdrawal_ip.changed", {"address": None}, {"address": "8.8.4.4"},
    )  # fmt: skip
    assert "Changed by owner@acme.example" in owner.get(settings_of(acme)).content.decode()
    assert "8.8.4.4" in str(mail.outbox[-1].body)
    assert "Last rejected" in owner.get(place).content.decode()
    assert "Use this address" not in owner.get(place).content.decode()


def test_nothing_but_a_refused_address_is_filled_in(acme: Shop, owner: Client, globex: Shop) -> None:
    remember_refused_origin(globex.sandbox, "8.8.8.8")

    page = owner.get(f"{settings_of(acme)}withdrawal-address?use=8.8.8.8")

    assert form_in(page.content)["address"] == ""
    assert b"8.8.8.8" not in page.content


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        (" 8.8.8.8 ", "8.8.8.8"),
        ("::ffff:8.8.8.8", "8.8.8.8"),
        ("2606:4700:4700:0:0:0:0:1111", "2606:4700:4700::1111"),
        ("127.0.0.1", "127.0.0.1"),
    ],
)
def test_one_address_is_kept_as_it_is_compared(acme: Shop, owner: Client, settings: Any, typed: str, kept: str) -> None:
    settings.LOCAL = True
    owner.post(f"{settings_of(acme)}withdrawal-address", {"address": typed})

    assert company(acme).withdrawal_ip == kept


@pytest.mark.a_third_a_day
@pytest.mark.parametrize(
    "typed",
    [
        "10.0.0.1", "192.168.1.1", "203.0.113.9", "0.0.0.0", "224.0.0.1", "255.255.255.255", "100.64.0.1",
        "169.254.169.254", "fe80::1", "fe80::1%eth0", "ff02::1", "fc00::1", "2001:db8::1", "8.8.8.0/24", "8.8.8.8:443",
        "example.com", "8.8.8", "8.8.8.8, 8.8.4.4", "0x08080808", "8.8.8.8\n", "127.0.0.1",
    ],
)  # fmt: skip
def test_what_is_not_one_public_address_is_refused(acme: Shop, owner: Client, settings: Any, typed: str) -> None:
    settings.LOCAL = False
    Company.objects.filter(pk=acme.company.pk).update(withdrawal_ip="8.8.4.4")

    answer = owner.post(f"{settings_of(acme)}withdrawal-address", {"address": typed})

    if typed == "8.8.8.8\n":  # white space at the end is nobody's mistake
        assert company(acme).withdrawal_ip == "8.8.8.8"
        return
    assert answer.status_code == 200
    assert 'id="id_address_error"' in answer.content.decode()
    assert company(acme).withdrawal_ip == "8.8.4.4"
    assert (AuditEntry.objects.count(), mail.outbox) == (0, [])


def test_an_owner_can_stop_all_withdrawals_by_the_api(acme: Shop, owner: Client) -> None:
    Company.objects.filter(pk=acme.company.pk).update(withdrawal_ip="8.8.4.4")

    owner.post(f"{settings_of(acme)}withdrawal-address", {"address": ""})

    assert company(acme).withdrawal_ip is None
    assert "No address is registered" in owner.get(settings_of(acme)).content.decode()


def test_what_support_set_is_not_said_to_be_ours(acme: Shop, owner: Client) -> None:
    owner.post(f"{settings_of(acme)}withdrawal-address", {"address": "8.8.8.8"})
    Company.objects.filter(pk=acme.company.pk).update(withdrawal_ip="8.8.4.4")

    page = owner.get(settings_of(acme)).content.decode()

    assert "Set by support" in page and "Changed by" not in page


def test_registering_wants_a_fresh_second_factor_and_an_owner(acme: Shop) -> None:
    place = f"{settings_of(acme)}withdrawal-address"
    cautious = signed_in(a_member(acme.company))
    finance = signed_in_twice(a_member(acme.company, Role.FINANCE))

    assert cautious.get(place)["location"] == cautious.post(place, {"address": "8.8.8.8"})["location"]
    assert finance.post(place, {"address": "8.8.8.8"}).status_code == 403
    assert company(acme).withdrawal_ip is None


def test_another_company_is_not_there(acme: Shop, globex: Shop) -> None:
    stranger = signed_in_twice(a_member(globex.company))
    for place in ("", "company", "withdrawal-address", "terms"):
        assert stranger.get(settings_of(acme) + place).status_code == 404
        assert stranger.post(settings_of(acme) + place, DATA | {"address": "8.8.8.8"}).status_code in (404, 405)

    assert (company(acme).withdrawal_ip, company(acme).trade_name) == (None, "Acme")
    assert not RefusedOrigin.objects.exists()


# ── Terms ─────────────────────────────────────────────────────────────────────────────────────────────────────────
def test_it_shows_the_terms_in_force_and_whose_they_are(acme: Shop, globex: Shop, owner: Client) -> None:
    for shop, percentage in ((acme, "1.2500"), (globex, "9.8700")):
        PriceRule.objects.create(
            merchant=shop.sandbox, method="PIX", currency="BRL", percentage=Decimal(percentage), fixed=49
        )

    page = owner.get(f"{settings_of(acme)}terms").content.decode()

    row = page.split('row" class="main text-nowrap">PIX ')[1].split("</tr>")[0]
    assert "1.25%" in row and "R$0.49" in row and "Your price" in row
    assert "9.87" not in page


def test_in_production_it_says_what_is_off_and_how_to_get_it(acme: Shop, owner: Client) -> None:
    general = owner.get(settings_of(acme, "production")).content.decode()
    terms = owner.get(f"{settings_of(acme, 'production')}terms").content.decode()

    assert general.count(">Off</span>") == 4
    assert "Support enables these" in general
    assert ">On</span>" not in terms
    MethodRule.objects.create(
        merchant=acme.production, environment="PRODUCTION", method="PIX", currency="BRL", enabled=True, minimum=100,
        maximum=5000, expires_in_s=60,
    )  # fmt: skip
    terms = owner.get(f"{settings_of(acme, 'production')}terms").content.decode()
    row = terms.split('row" class="main text-nowrap">PIX ')[1].split("</tr>")[0]
    assert ">On</span>" in row and "R$1.00" in row and "R$50.00" in row and "Your limits" in row
