"""A company goes live with one proposal: prefilled, complete, confirmed by a second person, and never half done."""

import re
from typing import Any

import pytest
from django.test import Client

from accounts.models import AuditEntry, Company, Merchant, Proposal, User
from accounts.proposals.services import is_still_valid
from gateway.methods.models import MethodRule, PriceRule
from gateway.overview.proposals import terms_now
from gateway.payouts.models import PayoutRule
from tests.support.companies import Shop
from tests.support.forms import form_in
from tests.support.payments import a_payment
from tests.support.people import PASSWORD, browser_of
from tests.support.proposals import NOTE, action, confirmed
from tests.support.staff import support

pytestmark = pytest.mark.django_db
PIX = "methods:PIX BRL"


@pytest.fixture(autouse=True)
def plain_static_files(settings: Any) -> None:
    """As they are in the source: nothing was collected."""
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain}


@pytest.fixture
def staff(db: None) -> Client:
    return browser_of(support("view_company", "take_live", "view_proposal"))


@pytest.fixture
def page(acme: Shop) -> str:
    return action(acme.company, "go_live")


def sent(browser: Client, page: str, **changes: str) -> dict[str, str]:
    """The page as it is shown, with a note and these changes."""
    return form_in(browser.get(page).content) | NOTE | changes


def own_rules(shop: Shop) -> tuple[int, int, int]:
    return tuple(kind.objects.filter(merchant=shop.production).count() for kind in (MethodRule, PriceRule, PayoutRule))  # type: ignore[return-value]


def test_one_proposal_takes_a_company_live_once_a_second_person_confirms(staff: Client, page: str, acme: Shop) -> None:
    a_payment(acme.sandbox, "PAID")
    shown = staff.get(page).content.decode()
    assert "No live key" in shown or "Nothing is missing" in shown or "webhook endpoint" in shown
    assert re.search(r'<input[^>]*name="methods:PIX BRL:enabled"[^>]*checked', shown), "the sandbox used it"
    form = sent(staff, page, **{f"{PIX}:minimum": "2", f"{PIX}:percentage": "0.5", "features:advance_enabled": "on"})
    form |= {"rails:PIX BRL:enabled": "on", "rails:PIX BRL:fee_fixed": "1.5"}

    staff.post(page, form)

    proposal = Proposal.objects.get()
    assert (own_rules(acme), proposal.note) == ((0, 0, 0), NOTE["note"])
    assert confirmed(staff, proposal).status_code == 403
    from accounts.models import User
    from tests.support.people import PASSWORD

    assert (
        confirmed(browser_of(User.objects.create_superuser("b@onpay.example", PASSWORD)), proposal).status_code == 200
    )
    now = terms_now(Merchant.objects.get(pk=acme.production.pk))
    assert (
        now["methods"]["PIX BRL"] | {"enabled": True, "minimum": "2", "percentage": "0.5"} == now["methods"]["PIX BRL"]
    )
    assert (now["rails"]["PIX BRL"]["fee_fixed"], now["features"]["advance_enabled"]) == ("1.5", True)
    assert AuditEntry.objects.filter(action="merchant.changed", merchant=acme.production).count() == 1


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({f"{PIX}:enabled": "on", f"{PIX}:minimum": "50", f"{PIX}:maximum": "10"}, "maximum is below"),
        ({f"{PIX}:percentage": "x"}, "Enter a number"),
        ({"note": ""}, "This field is required"),
    ],
)
def test_what_cannot_be_is_said_at_its_field_and_nothing_is_proposed(
    staff: Client, page: str, acme: Shop, changes: dict[str, Any], said: str
) -> None:
    answer = staff.post(page, sent(staff, page, **changes))
    assert said in answer.content.decode()
    assert (Proposal.objects.count(), own_rules(acme)) == (0, (0, 0, 0))


def test_only_a_verified_company_goes_live_and_a_changed_one_is_looked_at_again(
    staff: Client, page: str, acme: Shop
) -> None:
    Company.objects.filter(pk=acme.company.pk).update(status="PENDING_VERIFICATION")
    assert "is not verified" in staff.get(page).content.decode()
    form = sent(staff, page, **{f"{PIX}:enabled": "on"})
    staff.post(page, form)
    assert not Proposal.objects.exists()

    Company.objects.filter(pk=acme.company.pk).update(status="ACTIVE")
    staff.post(page, form)
    PriceRule.objects.filter(merchant=None, method="PIX").update(percentage=7)
    assert not is_still_valid(Proposal.objects.get())
    reader = User.objects.create_user("reader@onpay.example", PASSWORD, is_staff=True)
    assert browser_of(reader).get(page).status_code == 403
