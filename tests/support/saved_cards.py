"""Cards that are saved with payments of the sandbox, charged and removed through the API."""

from typing import Any

from tests.support.api import Api
from tests.support.cards import opened, order, outcome


def saved(api: Api, **members: Any) -> Any:
    """The card of a payment that is paid in the fields and saves it, as the list shows it."""
    session = opened(api, savePaymentMethod=True, **members)
    assert outcome(session.pay()) == (200, "PAID")
    [card] = cards(api, session.payment["customer"]["id"])
    return card


def cards(api: Api, customer_id: str) -> Any:
    answer = api.get(f"/customers/{customer_id}/payment-methods")
    assert answer.status_code == 200, answer.content
    return answer.json()["data"]


def charged(api: Api, token: str, **members: Any) -> Any:
    return api.post("/payments", order(**({"paymentMethodToken": token, "returnUrl": None} | members)))


def removed(api: Api, card: Any) -> Any:
    return api.request("DELETE", f"/customers/{card['customerId']}/payment-methods/{card['id']}")
