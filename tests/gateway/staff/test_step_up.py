"""The second factor before what staff do: nothing that was prepared in a session is carried out by itself."""

import re
from typing import Any

import pytest
from django.test import Client

from accounts.models import AuditEntry, Company, User
from gateway.models import Refund
from gateway.staff.kit.columns import address as page_at
from ledger.models import Hold
from tests.support.companies import Shop
from tests.support.forms import form_in
from tests.support.payments import a_payment
from tests.support.people import set_up, shows_the_factor, signed_in, with_the_session_of
from tests.support.staff import block, do
from tests.support.staff_refunds import NOTE, a_refund

CONFIRM = "/accounts/confirm/"


@pytest.fixture
def secret(root: User) -> str:
    return set_up(root)


@pytest.fixture
def browser(root: User, secret: str) -> Client:
    """A superuser's, who has shown no second factor for a while."""
    return signed_in(root)


def confirmed(browser: Client, shown: Any) -> Any:
    """Presses the button of the page that was shown."""
    forms = re.findall(r'<form method="post" action="([^"]+)">(.*?)</form>', shown.content.decode(), re.DOTALL)
    [where] = [address for address, content in forms if 'name="confirms"' in content]
    return browser.post(where, form_in(shown.content))


def test_a_decision_that_somebody_planted_is_never_carried_out(browser: Client, secret: str, acme: Shop) -> None:
    refund = a_refund(acme.sandbox, "UNDER_REVIEW")
    thief, where = with_the_session_of(browser), do(refund, "for_payer")

    assert thief.post(where, NOTE)["location"].startswith("/accounts/2fa/reauthenticate/")
    for back in (where, CONFIRM):
        shows_the_factor(browser, secret, back)
        browser.get(back)
    assert thief.post(where, NOTE)["location"].startswith("/accounts/2fa/reauthenticate/")

    assert Refund.objects.get().status == "UNDER_REVIEW"
    assert not AuditEntry.objects.exists()


def test_a_change_is_told_in_words_before_it_is_confirmed(browser: Client, secret: str, acme: Shop) -> None:
    where = page_at(Company, "change", acme.company.pk)
    browser.post(where, form_in(browser.get(where).content) | {"trade_name": "Other"}, REMOTE_ADDR="10.6.6.6")
    shows_the_factor(browser, secret, CONFIRM)
    shown = browser.get(CONFIRM)

    for said in ("Change company", "Acme", "Other", acme.company.pk):
        assert said in shown.content.decode()
    assert Company.objects.get(pk=acme.company.pk).trade_name == "Acme"

    confirmed(browser, shown)

    assert Company.objects.get(pk=acme.company.pk).trade_name == "Other"
    [entry] = AuditEntry.objects.all()
    assert entry.address == "10.0.0.1"


def test_what_is_added_is_told_in_words_before_it_is_confirmed(browser: Client, secret: str, acme: Shop) -> None:
    a_payment(acme.sandbox, "PAID")
    where = "/admin/ledger/hold/add/"
    browser.post(where, form_in(browser.get(where).content) | block(acme.sandbox.pk))
    shows_the_factor(browser, secret, CONFIRM)
    shown = browser.get(CONFIRM)

    for said in ("Add hold", "Acme (Sandbox)"):
        assert said in shown.content.decode()
    assert not Hold.objects.filter(reason="LEGAL_ORDER").exists()

    confirmed(browser, shown)

    assert Hold.objects.filter(reason="LEGAL_ORDER").count() == 1
