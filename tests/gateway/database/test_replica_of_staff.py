"""Pages of staff are read from a replica, but for what they decide and what they write."""

from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from accounts.models import Company, User
from gateway.payments.models import Payment
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.people import PASSWORD, browser_of
from tests.support.proposals import action, proposed
from tests.support.staff_overview import panels
from tests.support.standby import Standby, answered_by, dying_at, rested

pytestmark = [pytest.mark.a_third_a_day, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def staff(standby: Standby) -> Client:
    cache.clear()
    return browser_of(User.objects.create_superuser("root@onpay.example", PASSWORD))


def page_of(record: Any) -> str:
    return reverse(f"admin:{record._meta.app_label}_{record._meta.model_name}_change", args=(record.pk,))


def shown(staff: Client, address: str) -> str:
    page = staff.get(address)
    assert page.status_code == 200, page
    return page.content.decode()


def test_what_staff_only_look_at_is_read_there(staff: Client, acme: Shop) -> None:
    payment = a_payment(acme.sandbox)
    pages = ("/admin/", reverse("admin:gateway_payment_changelist"), page_of(payment), page_of(acme.company))
    for address in (*pages, reverse("admin:gateway_provideraccount_acceptance")):
        assert answered_by(lambda page=address: shown(staff, page)) == "replica", address


def test_staff_see_what_they_just_did(staff: Client, acme: Shop) -> None:
    page, change = page_of(acme.company), f"{page_of(acme.company)}?"
    name = "Acme of tomorrow"
    form = staff.get(page).context["adminform"].form.initial
    values = {field: value for field, value in form.items() if value is not None}

    assert answered_by(lambda: staff.post(change, values | {"trade_name": name, "note": "The owners asked"})) == ""

    assert Company.objects.get(pk=acme.company.pk).trade_name == name
    assert answered_by(lambda: name in shown(staff, page) or pytest.fail("the change is missing")) == "replica"


def test_what_two_people_decide_is_read_on_the_primary(staff: Client, acme: Shop) -> None:
    """The page holds what it shows, which a replica would refuse."""
    asked = proposed(staff, acme.company, "close")
    for address in (page_of(asked), action(asked, "confirm"), action(asked, "turn_down")):
        assert answered_by(lambda page=address: shown(staff, page)) == "", address
    assert answered_by(lambda: shown(staff, reverse("admin:accounts_proposal_changelist"))) == "replica"


def test_a_page_is_answered_though_the_replica_dies_in_the_middle(standby: Standby, staff: Client, acme: Shop) -> None:
    payment = a_payment(acme.sandbox, "PAID")
    with dying_at(standby, Payment._meta.db_table) as died:
        assert answered_by(lambda: payment.pk in shown(staff, page_of(payment)) or pytest.fail("missing")) == "primary"
    assert len(died) == 1


def test_no_panel_of_the_first_page_is_missing_though_the_replica_dies(
    standby: Standby, staff: Client, acme: Shop
) -> None:
    a_payment(acme.sandbox, "PAID")
    for words, title in (("ledger_balance", "Money"), ("webhooks_endpoint", "Failing endpoints")):
        standby.start()
        rested()
        with dying_at(standby, words) as died:
            found = panels(staff)
        assert died, words
        assert "Unavailable" not in {panel.label for panel in found.values()}, title
