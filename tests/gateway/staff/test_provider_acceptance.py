"""Staff compare the provider accounts of all companies."""

from django.test import Client

from gateway.methods.rail import PaymentOutcome, PaymentResult
from tests.support.companies import Shop
from tests.support.people import browser_of
from tests.support.production import PIX, api_of, live
from tests.support.scripted_provider import rewritten
from tests.support.staff import support

PAGE = "/admin/gateway/provideraccount/acceptance/"
PAID = PaymentOutcome(PaymentResult.DONE, {"pixEndToEndId": "E1"}, reference="E1")
FUNDS = PaymentOutcome(PaymentResult.DECLINED, failure=("INSUFFICIENT_FUNDS", "Not enough funds."))


def test_staff_compare_all_accounts(acme: Shop, staff: Client) -> None:
    account = live(acme, "bank")[0]
    rewritten().answers = {"instruct": [PAID, FUNDS]}
    for number in (1, 2):
        api_of(acme).post("/payments", PIX | {"reference": f"order-{number}"})

    answer = staff.get(PAGE, {"days": "30"})

    [table] = answer.context["panel"].tables
    assert [str(cell) for cell in table.rows[0]][:9] == [str(account), "PIX BRL", "2", "1", "1", "0", "0", "0", "50.0%"]
    assert "1: The card had insufficient funds." in answer.content.decode()
    reader = browser_of(support("view_payment"))
    assert reader.get(PAGE).status_code == 403
