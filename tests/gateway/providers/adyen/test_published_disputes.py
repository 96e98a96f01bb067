"""Adyen's own examples of its notifications about disputes are read, and ours have no member that they lack."""

import json
from typing import Any

import pytest
from Adyen.services.disputes import DisputesApi

from accounts.base.ids import new_id
from gateway.providers.adyen.credentials import AdyenCredentials
from gateway.providers.adyen.disputes import STEPS, report
from gateway.providers.adyen.shapes import Wrapped
from gateway.providers.client import shaped
from tests.support.adyen.acquirer import Acquirer
from tests.support.adyen.books import Payment, psp
from tests.support.adyen.webhooks import disputed, item, signed
from tests.support.published import PUBLISHED

FILE = PUBLISHED / "adyen-webhooks-v1.json"
needs_file = pytest.mark.skipif(not FILE.exists(), reason="Adyen's examples (ONPAY_PUBLISHED_FILES) are not at hand")


def examples() -> dict[str, Any]:
    """The first notification of each event."""
    told = [one["value"] for one in json.loads(FILE.read_text())["components"]["examples"].values()]
    items = [one["notificationItems"][0] for one in told if "notificationItems" in one]
    return {one["NotificationRequestItem"]["eventCode"]: one for one in items}


@needs_file
def test_the_examples_say_what_is_expected() -> None:
    """There is none of scheme arbitration, nor of an issuer that withdraws."""
    found = {event: example for event, example in examples().items() if event in STEPS}
    assert len(found) == len(STEPS) - 3
    for event, example in found.items():
        told = report(shaped(example, Wrapped).item, None)
        _, state, is_inquiry = STEPS[event]
        assert (told.is_inquiry, told.amount > 0) == (is_inquiry, True)
        is_defendable = example["NotificationRequestItem"].get("additionalData", {}).get("defendable") != "false"
        assert told.state == (state if is_defendable else "deciding")


@needs_file
def test_ours_have_no_member_that_the_published_one_lacks() -> None:
    payment = Payment(psp(), new_id("pay"), {"value": 15000, "currency": "BRL"}, "scheme", {})
    facts = {"chargebackReasonCode": "13.1", "defensePeriodEndsAt": "2026-12-01T00:00:00+01:00", "defendable": "true"}

    ours = signed(item("CHARGEBACK", disputed(payment), additionalData=facts))

    published = examples()["CHARGEBACK"]["NotificationRequestItem"]
    assert set(ours) <= set(published)
    assert set(ours["additionalData"]) <= set(published["additionalData"])


def test_the_calls_go_where_the_official_library_sends_them() -> None:
    given = Acquirer().credentials(client_key="test_KXYTB6X6PVFYBMIMNHTFQW3LV4QBSMYI", base_url=None, reports_url=None)

    assert AdyenCredentials.model_validate(given).disputes == f"{DisputesApi().baseUrl}/"
