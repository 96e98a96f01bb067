"""Companies compare their providers, and see nothing of others."""

from django.test import Client

from gateway.methods.failures import FAILURE
from gateway.methods.rail import PaymentOutcome, PaymentResult
from gateway.payments.acceptance import DECLINES
from tests.support.companies import Shop
from tests.support.people import a_member, signed_in_twice
from tests.support.production import PIX, api_of, live
from tests.support.scripted_provider import rewritten

PAID = PaymentOutcome(PaymentResult.DONE, {"pixEndToEndId": "E1"}, reference="E1")
FUNDS = PaymentOutcome(PaymentResult.DECLINED, failure=("INSUFFICIENT_FUNDS", "Not enough funds."))


def page_of(browser: Client, shop: Shop, period: str = "", environment: str = "production") -> str:
    answer = browser.get(f"/dashboard/{shop.company.pk}/{environment}/acceptance", {"period": period})
    assert answer.status_code == 200
    return str(answer.content.decode())


def test_a_company_reads_what_its_providers_did_and_why_payments_failed(acme: Shop, globex: Shop) -> None:
    live(globex)
    live(acme, "bank")
    rewritten().answers = {"instruct": [PAID, FUNDS, FUNDS, PAID]}
    for shop, number in ((acme, 1), (acme, 2), (acme, 3), (globex, 4)):
        api_of(shop).post("/payments", PIX | {"reference": f"order-{number}"})
    browser = signed_in_twice(a_member(acme.company, "VIEWER"))

    page = page_of(browser, acme)

    assert "Scripted bank" in page and "33.3" in page
    assert "The card had insufficient funds." in page
    assert "No payments in this period." in page_of(browser, acme, "yesterday")
    assert "Scripted bank" in page_of(browser, acme, "a long time")  # the usual period
    assert "no providers" in page_of(browser, acme, environment="sandbox")
    assert "/production/acceptance" in browser.get(f"/dashboard/{acme.company.pk}/production/").content.decode()
    assert browser.get(f"/dashboard/{globex.company.pk}/production/acceptance").status_code == 404


def test_every_decline_has_a_sentence() -> None:
    assert DECLINES - {"TEST_CARD_UNKNOWN"} <= FAILURE.keys()
