"""Stripe's own examples of its objects are read: they have the shape that we expect."""

import json
import re
from typing import Any

import pytest
import stripe

from gateway.providers.client import shaped
from gateway.providers.stripe.disputes import report
from gateway.providers.stripe.shapes import Charge, Dispute, Intent, Refund
from tests.support.published import PUBLISHED
from tests.support.stripe.disputes import dispute, file

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


def test_disputes_and_files_of_our_fake_are_those_of_the_library_and_of_the_examples() -> None:
    for ours, published, typed in (
        (dispute("ch_1", 20_000), example("dispute"), stripe.Dispute),
        (file(1, 20), example("file"), stripe.File),
    ):
        assert set(ours) == set(published)
        assert set(ours) <= set(typed.__annotations__)
    declared = str(stripe.Dispute.__annotations__["status"])
    statuses = re.findall(r"[\"'](\w+)[\"']", declared)
    assert len(statuses) == 10
    for status in statuses:
        assert report(shaped(dispute("ch_1", 20_000, status=status), Dispute)).money == "ch_1"
    assert shaped(example("dispute"), Dispute).status == "warning_needs_response"
