"""A payment goes back by half, its payer wants the rest too, and the company keeps it."""

import base64
from typing import Any

from gateway.payments.models import Payment
from gateway.receipts.facts import facts
from gateway.refunds.due import run_due
from gateway.refunds.models import Evidence
from tests.support.api import Api
from tests.support.cards import events, lookup
from tests.support.companies import Shop
from tests.support.pdf import lines_of
from tests.support.refunds import (
    PDF,
    announced,
    answered,
    blocks,
    decided,
    disputed,
    kinds,
    later,
    now,
    paid,
    refunded,
    refusal,
)

PROOF = {"type": "FILE", "fileName": "delivery.pdf", "contentType": "application/pdf", "description": "Signed"}


def balance(api: Api, shop: Shop) -> tuple[float, float, float, float]:
    wallets = api.get(f"/companies/{shop.company.id}/balance").json()["data"]["wallets"]
    wallet = next(one for one in wallets if one["currency"] == "BRL")
    return wallet["available"], wallet["releasing"], wallet["blocked"], wallet["total"]


def blocked_in_all(api: Api, shop: Shop) -> list[dict[str, Any]]:
    return list(api.get(f"/companies/{shop.company.id}/balances/blocked").json()["totals"])


def receipt(api: Api, payment: str) -> tuple[str, float, list[dict[str, Any]]]:
    shown = api.get(f"/payments/{payment}/receipt").json()["data"]
    return shown["status"], shown["refundedAmount"], shown["refunds"]


def test_half_is_given_back_and_the_dispute_of_the_rest_is_won(
    api: Api, acme: Shop, globex_api: Api, globex: Shop
) -> None:
    payment = paid(api, amount=150, reference="order-1042")
    assert balance(api, acme) == (148.50, 0, 0, 148.50)

    half = refunded(api, payment, amount=75, reason="One of two items out of stock", reference="rf-1042")
    assert balance(api, acme) == (73.50, 0, 75, 148.50)
    [(reason, amount, refund_id, _)] = blocks(api, acme)
    assert (reason, amount, refund_id) == ("REFUND_PROCESSING", 75, half["id"])
    assert blocked_in_all(api, acme) == [{"currency": "BRL", "amount": 75}]
    assert receipt(api, payment) == ("PAID", 0, [])
    assert announced(acme, "refund.created")["data"] == half

    later(acme, seconds=2)
    assert run_due() == 1
    done = now(api, half)
    shown = {"id": half["id"], "amount": 75, "completedAt": done["completedAt"]}
    assert done["status"] == "COMPLETED"
    assert balance(api, acme) == (73.50, 0, 0, 73.50)
    assert blocks(api, acme) == []
    assert receipt(api, payment) == ("PAID", 75, [shown])
    assert announced(acme, "refund.completed")["data"] == done
    assert announced(acme, "payment.updated")["data"] == lookup(api, payment)

    # The payer wants the other half. The fee was never given back, and so a part of it is missing.
    dispute = disputed(api, payment, reasonCode="NOT_RECEIVED", payerStatement="Nothing came.")
    assert (dispute["type"], dispute["amount"], dispute["blockedAmount"]) == ("FULL", 75, 73.50)
    assert balance(api, acme) == (0, 0, 73.50, 73.50)
    assert blocks(api, acme) == [("REFUND_DISPUTE", 73.50, dispute["id"], dispute["responseDueAt"])]
    assert refusal(api.post(f"/payments/{payment}/refunds")) == (409, "ONP409_REFUND_IN_DISPUTE")
    assert announced(acme, "refund.response_required")["data"] == dispute
    assert api.get(f"/payments/{payment}/refunds").json()["data"] == [dispute, done]

    proof = PROOF | {"content": base64.b64encode(PDF).decode()}
    contested = answered(api, dispute, "CONTEST", message="Signed by the payer.", evidence=[proof]).json()["data"]
    [response] = contested["responses"]
    assert (contested["status"], response["message"], response["answeredBy"]) == (
        "UNDER_REVIEW",
        "Signed by the payer.",
        "API",
    )
    assert response["evidence"][0] == PROOF | {"id": response["evidence"][0]["id"], "url": None, "size": len(PDF)}
    assert bytes(Evidence.objects.get().content) == PDF
    assert balance(api, acme) == (0, 0, 73.50, 73.50)
    assert blocks(api, acme) == [("REFUND_DISPUTE", 73.50, dispute["id"], None)]
    assert announced(acme, "refund.updated")["data"] == contested

    won = decided(api, dispute, "REJECTED").json()["data"]
    assert (won["status"], won["blockedAmount"], won["responses"]) == ("REJECTED", 0, contested["responses"])
    assert balance(api, acme) == (73.50, 0, 0, 73.50)
    assert (blocks(api, acme), blocked_in_all(api, acme)) == ([], [])
    assert announced(acme, "refund.rejected")["data"] == won == now(api, dispute)
    assert receipt(api, payment) == ("PAID", 75, [shown])
    kept = Payment.objects.select_related("merchant__company").get(pk=payment)
    text = " ".join(lines_of(facts(kept)))
    assert half["id"] in text
    assert "R$ 75,00" in text
    assert dispute["id"] not in text
    assert kinds(acme) == [
        "refund.created", "refund.completed", "payment.updated", "refund.created", "refund.response_required",
        "refund.updated", "refund.rejected",
    ]  # fmt: skip
    assert (lookup(api, payment)["status"], lookup(api, payment)["refundedAmount"]) == ("PAID", 75)

    assert events(globex) == []
    for refund in (half, dispute):
        assert refusal(globex_api.get(f"/refunds/{refund['id']}")) == (404, "ONP404_REFUND")
    assert refusal(globex_api.get(f"/payments/{payment}/refunds")) == (404, "ONP404_PAYMENT")
