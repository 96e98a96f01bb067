"""Payments of every method, brought as far as a test wants them."""

from typing import Any

import pytest

from gateway.payments.models import Payment
from tests.support.api import Api
from tests.support.orders import Ordered, order


@pytest.fixture
def ordered(api: Api) -> Ordered:
    """`ordered("SPEI", "PAID")` → acme's payment."""

    def create(method: str, status: str = "PENDING", **members: Any) -> Payment:
        created = api.post("/payments", order(method, **members))
        assert created.status_code == 201, created.content
        payment_id = created.json()["data"]["id"]
        if status != "PENDING":
            assert api.post(f"/simulations/payments/{payment_id}", {"status": status}).status_code == 200
        return Payment.objects.select_related("merchant__company").get(pk=payment_id)

    return create
