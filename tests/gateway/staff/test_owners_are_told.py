"""Whatever staff can change in the admin by a form: none of it moves money or rights past the owners."""

from typing import Any

import pytest
from django.contrib import admin
from django.test import Client, RequestFactory

from accounts.models import Company, Email, Merchant, User
from gateway.models import MethodRule, PayoutRule
from gateway.staff.kit.columns import address as page_at
from tests.support.companies import Shop
from tests.support.forms import form_in
from tests.support.people import a_member

TOLD = {
    "accounts.company": {
        "brand_color", "city", "country", "email", "legal_name", "phone", "tax_id", "tax_id_type", "trade_name",
    },
    "accounts.merchant": {
        "advance_enabled", "card_integration_mode", "card_settlement_currency", "card_tokens_enabled",
        "conversion_enabled", "conversion_spread", "withdrawal_enabled",
    },
}  # fmt: skip
"""Owners of the company get an e-mail."""

FOR_EVERYBODY = {
    "auth.group": {"name", "permissions"},
    "gateway.methodrule": ...,
    "gateway.pricerule": ...,
    "gateway.payoutrule": ...,
}
"""Limits and prices, of everybody or of one merchant, and what kinds of staff may do: in the audit."""

HARMLESS = {"accounts.user": {"first_name", "last_name"}}
ENTERED = {"gateway.refund", "ledger.rate", "ledger.hold", "gateway.pricerule"}
"""Entered through a service and never edited; each has tests of its own."""


def editable(root: User) -> dict[str, set[str]]:
    """The fields that a superuser can edit on the page of a record, by model."""
    request = RequestFactory().get("/admin/")
    request.user = root
    found = {}
    for model, page in admin.site._registry.items():
        record = model()
        if page.has_change_permission(request):
            form = page.get_form(request, record, change=True)
            if fields := set(form.base_fields) - set(page.get_readonly_fields(request, record)):
                found[model._meta.label_lower] = fields
    return found


def test_the_list_of_what_staff_edit_by_forms_is_complete(root: User) -> None:
    known: dict[str, Any] = {**TOLD, **FOR_EVERYBODY, **HARMLESS}
    for label, fields in editable(root).items():
        assert label in known, f"{label}: say here who is told when staff change it"
        assert known[label] is ... or fields == known[label], label


def test_no_form_adds_what_moves_money_or_rights(root: User) -> None:
    request = RequestFactory().get("/admin/")
    request.user = root
    added = {m._meta.label_lower for m, page in admin.site._registry.items() if page.has_add_permission(request)}
    waits_for_a_second_person = {"gateway.provideraccount"}
    harmless = {"accounts.company", "accounts.user", "auth.group", *waits_for_a_second_person, *FOR_EVERYBODY}
    assert added <= harmless | ENTERED


NEW = {
    "brand_color": "#123456", "city": "RECIFE", "country": "MX", "email": "new@acme.example", "legal_name": "Other SA",
    "phone": "+5511999990000", "tax_id": "X1", "tax_id_type": "RFC", "trade_name": "Other", "advance_enabled": "on",
    "card_integration_mode": "HOSTED", "card_settlement_currency": "MXN", "card_tokens_enabled": "on",
    "conversion_enabled": "on", "conversion_spread": "2.5", "withdrawal_enabled": "on",
}  # fmt: skip


@pytest.mark.parametrize("label", TOLD)
def test_owners_are_told_of_every_field(staff: Client, acme: Shop, label: str) -> None:
    owner = a_member(acme.company, email="boss@acme.example")
    record = acme.company if label == "accounts.company" else acme.production
    where = page_at(type(record), "change", record.pk)
    for field in sorted(TOLD[label]):
        known = Email.objects.filter(recipient=owner.email).count()
        sent = form_in(staff.get(where).content) | {field: NEW[field]}
        assert staff.post(where, sent).status_code == 302, field
        assert Email.objects.filter(recipient=owner.email).count() == known + 1, field


def test_of_the_sandbox_nobody_is_told(staff: Client, acme: Shop) -> None:
    where = page_at(Merchant, "change", acme.sandbox.pk)
    staff.post(where, form_in(staff.get(where).content) | {"conversion_spread": "2.5"})
    assert Merchant.objects.get(pk=acme.sandbox.pk).conversion_spread == 2.5
    assert not Email.objects.filter(kind="by_support").exists()
    assert {MethodRule, PayoutRule, Company} <= set(admin.site._registry)
