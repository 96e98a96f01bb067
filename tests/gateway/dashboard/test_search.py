"""The search at the top: an id leads to its page, one hit too, and several are shown by kind."""

import pytest
from django.http import HttpResponse
from django.test import Client

from accounts.models import AuditEntry
from accounts.roles import Role
from ledger.holds import services as holds
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.pages import Page, text_of
from tests.support.payments import JOAO, a_payment, pay, pix
from tests.support.people import a_member, signed_in
from tests.support.refunds import paid, refunded
from tests.support.webhooks import happens
from webhooks.models import Delivery, Endpoint

pytestmark = pytest.mark.django_db


def leads_to(answer: HttpResponse) -> str:
    assert answer.status_code == 302
    return str(answer["Location"])


@pytest.mark.parametrize("typed", ["{}", '"{}",', '{{"id": "{}", "status": "PAID"}}', "https://x.example/{}/", " {}\n"])
def test_an_id_leads_to_its_page_whatever_is_around_it(typed: str, acme: Shop, support: Client, page: Page) -> None:
    payment = a_payment(acme.sandbox, "PAID")
    for written in (payment.pk, payment.pk.lower()):
        assert leads_to(support.get(page("search"), {"q": typed.format(written)})) == page("payment", payment.pk)


def test_other_ids_lead_to_what_they_are_about(api: Api, acme: Shop, owner: Client, page: Page) -> None:
    payment = paid(api, "CREDIT_CARD")
    refund = refunded(api, payment, amount=1)["id"]
    receivable = api.get(f"/companies/{acme.company.pk}/balances/releasing").json()["data"][0]["id"]
    receipt = payment.replace("pay_", "rcp_")

    assert leads_to(owner.get(page("search"), {"q": refund})) == page("refund", refund)
    assert leads_to(owner.get(page("search"), {"q": receipt})) == page("payment", payment)
    assert leads_to(owner.get(page("search"), {"q": receivable})) == page("payment", payment)


def test_an_id_of_production_is_found_there(acme: Shop, support: Client, page: Page) -> None:
    payment = a_payment(acme.sandbox, "PAID")
    production = page("search").replace("/sandbox/", "/production/")

    shown = support.get(production, {"q": payment.pk})

    assert "This id belongs to the sandbox" in text_of(shown)
    assert f'href="{page("search")}?q={payment.pk}"' in shown.content.decode()


def test_who_may_not_open_the_page_is_told(acme: Shop, support: Client, page: Page) -> None:
    shown = text_of(support.get(page("search"), {"q": "wdr_01KAGTW3Q8XJ5V0N2B7R4C9DEF"}))

    assert "You have no access to the page of this id." in shown


def test_an_id_of_somebody_else_is_nobodys(acme: Shop, globex: Shop, support: Client, page: Page) -> None:
    theirs = a_payment(globex.sandbox, "PAID")

    found = support.get(page("search"), {"q": theirs.pk}, follow=True)

    assert found.status_code == 404
    assert support.get(page("search"), {"q": theirs.reference}).status_code == 200


def test_one_hit_is_opened(acme: Shop, api: Api, support: Client, page: Page) -> None:
    payment = a_payment(acme.sandbox, "PAID")
    api.post("/payments", pix(reference=f"{payment.reference}0"))
    joao = pay(api, JOAO)

    assert leads_to(support.get(page("search"), {"q": payment.reference})) == page("payment", payment.pk)
    assert leads_to(support.get(page("search"), {"q": "joao"})) == page("customer", joao)
    assert leads_to(support.get(page("search"), {"q": "Refunds and"})) == page("refunds")


def test_several_payments_are_the_list(acme: Shop, support: Client, page: Page) -> None:
    a_payment(acme.sandbox, amount="77.70")
    a_payment(acme.sandbox, amount="77.70")

    assert leads_to(support.get(page("search"), {"q": "77.70"})) == page("payments") + "?q=77.70"


def test_hits_of_several_kinds_are_shown_by_kind(acme: Shop, api: Api, owner: Client, page: Page) -> None:
    payment = paid(api, reference="team-1")
    refunded(api, payment, amount=1, reference="team")
    pay(api, JOAO | {"name": "Team Silva"})

    shown = text_of(owner.get(page("search"), {"q": "team"}))

    for part in ("Pages Team", "Payments Reference", "team-1", "Customers", "Team Silva", "Refunds"):
        assert part in shown


def test_nothing_is_found(acme: Shop, support: Client, page: Page) -> None:
    assert "Nothing was found" in text_of(support.get(page("search"), {"q": "x\0<script>"}))
    assert leads_to(support.get(page("search"), {"q": " "})) == page("payments")


def test_references_of_withdrawals_are_for_those_who_read_money(acme: Shop, page: Page) -> None:
    developer = signed_in(a_member(acme.company, Role.DEVELOPER))

    assert "Withdrawals" not in text_of(developer.get(page("search"), {"q": "wd-77"}))


def test_what_is_beside_records_is_found_by_role(
    acme: Shop, owner: Client, support: Client, stranger: Client, page: Page
) -> None:
    """Events and audit entries about the payments of an amount, and a row of the statement that is about none."""
    made = [a_payment(acme.sandbox, "PAID", amount="77.77") for _ in range(2)]
    AuditEntry.objects.create(company=acme.company, action="payment.simulated", object_id=made[0].pk)
    holds.place(acme.sandbox, "BRL", 7777, "LEGAL_ORDER", note="Court", case_number="1")

    said = text_of(owner.get(page("search"), {"q": "77.77"}))
    assert made[0].reference in said
    assert "Events and deliveries" in said and "payment.paid" in said and "decided a test payment" in said
    assert "Part of the balance" in said and "Blocked" in said
    assert leads_to(support.get(page("search"), {"q": "77.77"})) == page("payments") + "?q=77.77"
    theirs = page("search").replace(acme.company.pk, _company_of(stranger))
    assert "Nothing was found" in text_of(stranger.get(theirs, {"q": "77.77"}))


def test_deliveries_and_audit_entries_are_found_by_id(
    acme: Shop, owner: Client, support: Client, stranger: Client, page: Page
) -> None:
    entry = AuditEntry.objects.create(company=acme.company, action="api_key.issued", object_id="key_1")
    assert "Issued an API key" in text_of(owner.get(page("search"), {"q": entry.pk}, follow=True))
    theirs = page("audit").replace(acme.company.pk, _company_of(stranger))
    assert "key_1" not in text_of(stranger.get(theirs, {"object_id": entry.pk}))

    endpoint = Endpoint.objects.create(
        merchant=acme.sandbox, url="https://example.com/hook", events=["*"], status="INACTIVE", sealed_secret=b"x"
    )
    event = happens(acme.sandbox)
    sent = Delivery.objects.create(event_id=event, endpoint=endpoint, status="FAILED", next_attempt_at=None)
    assert leads_to(owner.get(page("search"), {"q": sent.pk})) == page("delivery", endpoint.pk, sent.pk)
    assert "There is no page" in text_of(support.get(page("search"), {"q": sent.pk}))
    others = page("search").replace(acme.company.pk, _company_of(stranger))
    assert "There is no page" in text_of(stranger.get(others, {"q": sent.pk}))


def _company_of(browser: Client) -> str:
    return str(browser.get("/dashboard/")["Location"].split("/")[2])
