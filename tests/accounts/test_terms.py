"""Terms and privacy: accepted with version and time at sign-up, and again after they changed."""

from typing import Any
from urllib.parse import quote

import pytest
from django.core.cache import cache
from django.test import Client

from accounts.models import AuditEntry, Company, User
from tests.support.companies import Shop
from tests.support.pages import words
from tests.support.people import PASSWORD, a_member

pytestmark = pytest.mark.django_db
FOUNDER = {
    "trade_name": "Padaria",
    "legal_name": "Padaria LTDA",
    "country": "BR",
    "tax_id": "11.222.333/0001-81",
    "email": "ana@padaria.example",
    "password1": PASSWORD,
}


def test_nobody_signs_up_without_accepting_them(address: str) -> None:
    cache.clear()
    browser = Client(REMOTE_ADDR=address, headers={"accept-language": "en"})

    refused = browser.post("/accounts/signup/", FOUNDER)

    assert "Please accept them to create your account." in words(refused)
    assert "/dashboard/legal/terms" in refused.content.decode()
    assert not User.objects.exists() and not Company.objects.exists()

    browser.post("/accounts/signup/", FOUNDER | {"terms": "on"})

    person = User.objects.get()
    assert (person.terms_version, person.terms_accepted_at is not None) == ("1", True)
    assert AuditEntry.objects.get(action="terms.accepted").after == {"version": "1"}


def test_a_new_version_is_asked_for_at_the_next_sign_in(acme: Shop, address: str, settings: Any) -> None:
    cache.clear()
    person = a_member(acme.company)
    settings.TERMS_VERSION, settings.TERMS_URL = "2027-01", "https://onpay.example/terms"
    browser = Client(REMOTE_ADDR=address, headers={"accept-language": "en"})
    browser.post("/accounts/login/", {"login": person.email, "password": PASSWORD})
    wanted = f"/dashboard/{acme.company.pk}/sandbox/statement/?currency=BRL"

    question = browser.get(wanted)
    assert question["location"] == f"/dashboard/terms?next={quote(wanted, safe='')}"
    assert "https://onpay.example/terms" in browser.get(question["location"]).content.decode()
    assert b"Privacy notice" in browser.get("/dashboard/legal/privacy").content
    refused = browser.post(question["location"])
    assert "Without your acceptance you cannot continue." in words(refused)
    assert browser.get(wanted).status_code == 302
    person.refresh_from_db()
    assert person.terms_version == "1"

    assert browser.post(question["location"], {"terms": "on"})["location"] == wanted
    assert browser.get(wanted).status_code == 200
    person.refresh_from_db()
    assert person.terms_version == "2027-01"
    assert browser.get("/dashboard/terms?next=https://evil.example/")["location"] == "/dashboard/"
