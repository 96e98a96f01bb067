"""What staff decide: rules with history, companies through the services, keys that are shown once."""

import re
from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.core import mail
from django.test import Client
from django.urls import reverse

from accounts.models import ApiKey, Company, Merchant, User
from gateway.models import MethodRule, PriceRule
from gateway.staff.kit.columns import address
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.forms import form_in
from tests.support.payments import pix
from tests.support.people import PASSWORD, browser_of
from tests.support.proposals import NOTE, action
from tests.support.staff import change, everybodys, support

LIMITS = {
    "minimum": "0.01",
    "maximum": "250000.00",
    "enabled": "on",
    "expires_in_s": "86400",
    "expires_in_min_s": "60",
    "expires_in_max_s": "2592000",
    "refund_window_days": "90",
}


def test_limits_are_typed_as_money_and_hold_at_once(staff: Client, root: User, api: Api) -> None:
    rule = everybodys()
    assert 'value="250000.00"' in staff.get(address(MethodRule, "change", rule.pk)).content.decode()

    assert change(staff, rule, minimum="10.50") == {}

    rule.refresh_from_db()
    assert (rule.minimum, rule.maximum) == (1050, 25_000_000)
    refused = api.post("/payments", pix(amount=10.49))
    assert refused.json()["error"]["code"] == "ONP422_PIX_AMOUNT_TOO_SMALL"
    record = rule.history.latest()
    assert record.history_user == root
    past = staff.get(reverse("admin:gateway_methodrule_history", args=[rule.pk])).content.decode()
    assert "0.01 BRL" in past
    assert "10.50 BRL" in past


@pytest.mark.a_third_a_day
@pytest.mark.parametrize(
    ("members", "field"),
    [
        ({"minimum": "20", "maximum": "10"}, "maximum"),
        ({"minimum": "0"}, "minimum"),
        ({"minimum": "-1"}, "minimum"),
        ({"minimum": "0.001"}, "minimum"),
        ({"minimum": "NaN"}, "minimum"),
        ({"maximum": "1e15"}, "maximum"),
        ({"expires_in_s": "59"}, "expires_in_s"),
        ({"expires_in_min_s": "0"}, "expires_in_min_s"),
        ({"expires_in_max_s": "2147483647"}, "expires_in_max_s"),
        ({"refund_window_days": "-1"}, "refund_window_days"),
        ({"refund_window_days": "732"}, "refund_window_days"),
        ({"expires_in_max_s": ""}, "expires_in_max_s"),
    ],
)
def test_impossible_limits_are_refused_and_change_nothing(staff: Client, members: dict[str, str], field: str) -> None:
    rule = everybodys()
    before = MethodRule.objects.filter(pk=rule.pk).values().get()
    assert list(change(staff, rule, **members)) == [field]
    assert MethodRule.objects.filter(pk=rule.pk).values().get() == before


def test_a_merchant_gets_terms_of_its_own_in_its_own_environment(staff: Client, acme: Shop, api: Api) -> None:
    add = reverse("admin:gateway_methodrule_add")
    chosen = LIMITS | {"merchant": acme.sandbox.pk, "environment": "PRODUCTION", "method": "PIX", "currency": "BRL"}
    refused = staff.post(add, chosen)
    assert list(refused.context["adminform"].form.errors) == ["environment"]
    assert not MethodRule.objects.filter(merchant=acme.sandbox).exists()

    staff.post(add, chosen | {"environment": "SANDBOX", "maximum": "99.99"})
    own = MethodRule.objects.get(merchant=acme.sandbox)
    assert own.maximum == 9999
    assert api.post("/payments", pix(amount=100)).json()["error"]["code"] == "ONP422_PIX_AMOUNT_TOO_LARGE"
    again = staff.post(add, chosen | {"environment": "SANDBOX"})
    assert again.status_code == 200
    assert MethodRule.objects.filter(merchant=acme.sandbox).count() == 1

    gone = staff.post(reverse("admin:gateway_methodrule_delete", args=[own.pk]), {"post": "yes"})
    assert gone.status_code == 302
    assert api.post("/payments", pix(amount=100)).status_code == 201
    assert MethodRule.history.filter(id=own.pk).latest().history_type == "-"


def test_the_rules_for_everybody_stay(staff: Client) -> None:
    rule = everybodys()
    delete = reverse("admin:gateway_methodrule_delete", args=[rule.pk])
    assert staff.post(delete, {"post": "yes"}).status_code == 403
    staff.post(
        reverse("admin:gateway_methodrule_changelist"),
        {"action": "delete_selected", "_selected_action": str(rule.pk), "post": "yes"},
    )
    assert everybodys() == rule


def test_the_past_is_read_and_never_written_back(staff: Client) -> None:
    rule = everybodys()
    change(staff, rule, maximum="5.00")
    before = MethodRule.objects.filter(pk=rule.pk).values().get()
    for person in (staff, browser_of(support("view_methodrule"))):
        past = reverse("admin:gateway_methodrule_simple_history", args=[rule.pk, rule.history.earliest().pk])
        page = person.get(past)
        assert page.status_code == 200
        assert "250,000.00 BRL" in page.content.decode()
        assert person.post(past, LIMITS).status_code == 403
    assert MethodRule.objects.filter(pk=rule.pk).values().get() == before


def test_whoever_may_only_view_changes_nothing(acme: Shop, db: None) -> None:
    person = browser_of(support("view_methodrule", "view_pricerule", "view_company", "view_merchant", "view_apikey"))
    rows = [everybodys(), PriceRule.objects.latest("pk"), acme.company, acme.sandbox]
    for row in rows:
        before = type(row).objects.filter(pk=row.pk).values().get()
        page = person.get(address(type(row), "change", row.pk))
        assert page.status_code == 200
        assert 'name="_save"' not in page.content.decode()
        assert person.post(address(type(row), "change", row.pk), LIMITS).status_code == 403
        assert type(row).objects.filter(pk=row.pk).values().get() == before
    assert "250,000.00 BRL" in person.get(address(MethodRule, "change", everybodys().pk)).content.decode()
    assert person.post(f"{address(Merchant, 'change', acme.sandbox.pk)[:-7]}issue_key/").status_code == 403
    key = ApiKey.objects.filter(merchant=acme.sandbox).get()
    assert person.post(f"{address(ApiKey, 'change', key.pk)[:-7]}revoke/").status_code == 403
    assert ApiKey.objects.filter(merchant=acme.sandbox, revoked_at=None).get() == key


COMPANY = {
    "trade_name": "Initech",
    "legal_name": "Initech LTDA",
    "tax_id": "11.222.333/0001-81",
    "tax_id_type": "CNPJ",
    "country": "br",
    "city": "SAO PAULO",
}


def test_a_company_is_taken_on_and_verified_through_the_services(staff: Client, root: User) -> None:
    staff.post(reverse("admin:accounts_company_add"), COMPANY | {"status": "ACTIVE"})
    company = Company.objects.get()
    assert (company.status, company.verified_at) == ("PENDING_VERIFICATION", None)
    assert (company.tax_id, company.country) == ("11222333000181", "BR")
    assert [merchant.environment for merchant in company.merchants.order_by("pk")] == ["SANDBOX", "PRODUCTION"]

    staff.post(action(company, "verify"))
    company.refresh_from_db()
    assert company.status == "ACTIVE"
    assert company.verified_at is not None
    assert company.history.latest().history_user == root


def test_an_old_page_does_not_undo_what_others_did_meanwhile(staff: Client, acme: Shop) -> None:
    as_shown = form_in(staff.get(address(Company, "change", acme.company.pk)).content)
    staff.post(action(acme.company, "suspend"), NOTE)

    assert change(staff, acme.company, as_shown, city="RECIFE") == {}

    acme.company.refresh_from_db()
    assert (acme.company.status, acme.company.city) == ("SUSPENDED", "RECIFE")


def test_an_issued_key_is_shown_once_and_works_until_it_is_revoked(staff: Client, acme: Shop, address: str) -> None:
    issue = f"/admin/accounts/merchant/{acme.sandbox.pk}/issue_key/"
    known = ApiKey.objects.count()
    assert staff.get(issue).status_code == 200
    assert staff.post(issue, NOTE | {"name": "Shop", "permissions": "everything"}).status_code == 200
    assert ApiKey.objects.count() == known

    told = staff.post(issue, NOTE | {"name": "Shop", "permissions": ["transactions:read"]})
    (key,) = re.findall(r"onp_sandbox_[\w-]{43}", told.content.decode())
    assert "no-store" in told["Cache-Control"]
    assert Api(key, address).get("/payments").status_code == 200
    assert Api(key, address).post("/payments", pix()).status_code == 403
    row = ApiKey.objects.get(name="Shop")
    revoke = f"/admin/accounts/apikey/{row.pk}/revoke/"
    for page in (issue, revoke, "/admin/", f"/admin/accounts/apikey/{row.pk}/change/", "/admin/accounts/apikey/"):
        assert key not in staff.get(page).content.decode()
    assert key not in str(LogEntry.objects.values_list("change_message", "object_repr"))
    assert Api(key, address).get("/payments").status_code == 200

    assert staff.post(revoke).status_code == 302
    assert Api(key, address).get("/payments").status_code == 401
    assert "Revoked" in staff.get(f"/admin/accounts/apikey/{row.pk}/history/").content.decode()


def test_flags_of_a_merchant_are_switched_with_history(staff: Client, acme: Shop) -> None:
    Merchant.objects.filter(pk=acme.sandbox.pk).update(clock_offset=timedelta(days=3))
    changes = {"card_integration_mode": "HOSTED", "conversion_enabled": None, "environment": "PRODUCTION"}
    assert change(staff, acme.sandbox, **changes) == {}
    merchant = Merchant.objects.get(pk=acme.sandbox.pk)
    assert (merchant.withdrawal_enabled, merchant.conversion_enabled) == (True, False)
    assert (merchant.environment, merchant.clock_offset) == ("SANDBOX", timedelta(days=3))
    assert merchant.card_integration_mode == "HOSTED"
    assert merchant.history.latest().history_type == "~"


def test_somebody_who_is_added_chooses_a_password_of_their_own(staff: Client, client: Client) -> None:
    taken = {"password1": PASSWORD, "password2": PASSWORD, "usable_password": "true", "is_staff": "on"}
    answer = staff.post(reverse("admin:accounts_user_add"), {"email": "New@Acme.example"} | taken)
    assert answer.status_code == 302
    new = User.objects.get(email="new@acme.example")
    assert (new.has_usable_password(), new.is_staff) == (False, False)
    client.post("/accounts/password/reset/", {"email": new.email})
    assert [message.to for message in mail.outbox] == [[new.email]]


def test_only_superusers_change_groups_and_nobody_is_deleted(root: User) -> None:
    browser = browser_of(support("view_user", "change_user", "change_group", "view_group"))
    assert browser.get(reverse("admin:auth_group_add")).status_code == 403
    delete = reverse("admin:accounts_user_delete", args=[root.pk])
    assert browser_of(root).post(delete, {"post": "yes"}).status_code == 403
