"""The deliveries that /docs shows are those that are sent: a company to which everything happens, and the record of it.

`UPDATE=1 make test T=tests/gateway/api/test_event_samples.py` records them again.
"""

import json
import os
import re
from typing import Any

from accounts.models import User
from gateway.api.reference.event_samples import RECORDED
from ledger.receivables import advances
from tests.support import refunds
from tests.support.api import Api
from tests.support.approvals import set_rules, the_owner
from tests.support.cards import events
from tests.support.companies import Shop
from tests.support.conversions import converted
from tests.support.payments import pix
from tests.support.receivables import a_receivable
from tests.support.saved_cards import removed, saved
from tests.support.withdrawals import decide, withdrawn
from webhooks.kinds import KINDS


def test_the_deliveries_in_the_docs_have_the_members_that_are_sent(funded: Shop, out: Api) -> None:
    everything_happens(funded, out)

    sent: dict[str, Any] = {}
    for event in events(funded):
        sent.setdefault(event["type"], event)
    assert set(sent) == set(KINDS)
    if os.environ.get("UPDATE"):
        ordered = {kind: shown(sent[kind]) for kind in KINDS}
        RECORDED.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n")
    recorded = json.loads(RECORDED.read_text())
    assert {kind: shape(event) for kind, event in sent.items()} == {
        kind: shape(event) for kind, event in recorded.items()
    }


def everything_happens(shop: Shop, api: Api) -> None:
    payments(shop, api)
    what_comes_back(api)
    money_out(shop, api)
    receivables(shop, api)
    endpoint = api.post("/webhooks", {"url": "https://1.1.1.1/hooks", "events": ["*"]}).json()["data"]
    api.post(f"/webhooks/{endpoint['id']}/tests")


def payments(shop: Shop, api: Api) -> None:
    for outcome in ("PAID", "FAILED", "EXPIRED"):
        created = api.post("/payments", pix()).json()["data"]
        api.post(f"/simulations/payments/{created['id']}", {"status": outcome})
    removed(api, saved(api))


def what_comes_back(api: Api) -> None:
    given_back = refunds.paid(api)
    refunds.refunded(api, given_back, amount=50.00)
    api.post("/simulations/clock", {"advanceBy": "PT5S"})
    refunds.refunded(api, given_back)
    api.post("/simulations/clock", {"advanceBy": "PT5S"})
    refunds.decided(api, refunds.refunded(api, refunds.paid(api)), "FAILED")
    contested = refunds.disputed(api, refunds.paid(api))
    refunds.answered(api, contested, "CONTEST", message="Delivered, and signed for by the payer.")
    refunds.decided(api, contested, "REJECTED")
    refunds.decided(api, refunds.disputed(api, refunds.paid(api)), "CANCELED")


def money_out(shop: Shop, api: Api) -> None:
    converted(api, shop)
    for outcome in ("FAILED", "COMPLETED"):
        decide(api, withdrawn(api, shop), outcome)
    returned = withdrawn(api, shop)
    decide(api, returned, "COMPLETED")
    decide(api, returned, "RETURNED")
    set_rules(shop.sandbox, the_owner(shop), people=1)
    withdrawn(api, shop)


def receivables(shop: Shop, api: Api) -> None:
    staff = User.objects.create_user("staff@onpay.example", "a long password")
    owner = the_owner(shop)
    advances.approve(advances.request(shop.sandbox, [a_receivable(shop.sandbox).pk], owner).id, staff, "Good history.")
    advances.refuse(advances.request(shop.sandbox, [a_receivable(shop.sandbox).pk], owner).id, staff, "Too early.")
    api.post("/simulations/clock", {"advanceBy": "P31D"})


def shape(value: Any) -> Any:
    """Which members there are."""
    if isinstance(value, dict):
        return {name: shape(inner) for name, inner in value.items()}
    return [shape(inner) for inner in value[:1]] if isinstance(value, list) else ...


def shown(event: Any) -> Any:
    """As readers get it: a picture is cut off, and the rest is as it was."""
    text = re.sub(r'("data:image/png;base64,.{12})[^"]*"', r'\1…"', json.dumps(event, ensure_ascii=False))
    return json.loads(text)
