"""Stripe's own examples of its objects are read: they have the shape that we expect."""

import json
from typing import Any

import pytest

from gateway.providers.client import shaped
from gateway.providers.stripe.shapes import Charge, Intent, Refund
from tests.support.published import PUBLISHED

FILE = PUBLISHED / "stripe-fixtures3.json"
pytestmark = pytest.mark.skipif(not FILE.exists(), reason="Stripe's examples (ONPAY_PUBLISHED_FILES) are not at hand")


def example(name: str) -> Any:
    return json.loads(FILE.read_text())["resources"][name]


def test_the_examples_have_the_shape_that_is_read() -> None:
    intent, charge, refund = (
        shaped(example(name), shape)
        for name, shape in (("payment_intent", Intent), ("charge", Charge), ("refund", Refund))
    )

    assert (intent.status, intent.amount, intent.currency) == ("requires_payment_method", 1099, "usd")
    assert charge.payment_method_details and charge.payment_method_details.card
    assert charge.payment_method_details.card.funding == "credit"
    assert (refund.status, refund.amount) == ("succeeded", 100)


def test_a_charge_and_a_payment_method_name_the_card_of_their_intent() -> None:
    by_charge = shaped(example("payment_intent") | {"latest_charge": example("charge")}, Intent)
    by_method = shaped(example("payment_intent") | {"payment_method": example("payment_method")}, Intent)

    assert by_charge.card and by_method.card
    assert (by_charge.charge, by_charge.card.brand) == (example("charge")["id"], "visa")
