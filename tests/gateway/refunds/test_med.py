"""A PIX is claimed back through MED: blocked at once, answered, decided in seven days, returned in eleven."""

from datetime import timedelta
from typing import Any

import pytest

from gateway.refunds.due import FILL, run_due
from gateway.refunds.models import Refund
from ledger.verify import verify
from tests.support.api import Api
from tests.support.cards import lookup
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.refunds import (
    announced,
    answered,
    blocks,
    claimed,
    decided,
    disputed,
    kinds,
    later,
    moment,
    nothing_moves,
    now,
    paid,
    refunded,
    refusal,
    wallet,
    withdraw_all_but,
)

pytestmark = pytest.mark.django_db

OPENED = ["refund.created", "refund.response_required"]
DEADLINE, STATE = (409, "ONP409_REFUND_RESPONSE_DEADLINE"), (409, "ONP409_REFUND_STATE")


def advance(api: Api, by: str) -> list[str]:
    """What happened while the sandbox clock moved."""
    answer = api.post("/simulations/clock", {"advanceBy": by})
    assert answer.status_code == 200, answer.content
    return [one["type"] for one in answer.json()["data"]["fired"] if one["type"].startswith("refund.")]


def a_claim(api: Api, shop: Shop, *, there: int = 15_000) -> dict[str, Any]:
    """A claim of 150 reais of which so much is there."""
    payment = paid(api)
    paid(api)
    withdraw_all_but(shop, there)
    return claimed(api, payment, claimId="81a15e14-ff7a-4f34-9e01-57172bde7f4a", reasonCode="SCAM")


def ended(api: Api, refund: dict[str, Any]) -> tuple[str, float, float, float]:
    """Status, amount, what was recovered, and what of the payment is refunded, with the books proved."""
    assert list(verify()) == []
    found = now(api, refund)
    of_payment = lookup(api, refund["paymentId"])["refundedAmount"]
    return found["status"], found["amount"], found["recoveredAmount"], of_payment


# ── Opened ────────────────────────────────────────────────────────────────────────────────────────────────────────
def test_a_claim_blocks_at_once_and_tells_its_three_deadlines(api: Api, acme: Shop) -> None:
    refund = a_claim(api, acme)

    opened = moment(refund["createdAt"])
    dues = [moment(refund[name]) - opened for name in ("responseDueAt", "analysisDueAt", "returnDueAt")]
    assert dues == [timedelta(hours=72), timedelta(days=7), timedelta(days=11)]
    assert (refund["disputeKind"], refund["claimId"]) == ("MED", "81a15e14-ff7a-4f34-9e01-57172bde7f4a")
    assert (refund["origin"], refund["status"], refund["reasonCode"]) == ("PAYER", "AWAITING_RESPONSE", "SCAM")
    assert (refund["amount"], refund["claimedAmount"], refund["recoveredAmount"]) == (150, 150, 0)
    assert blocks(api, acme) == [("MED", 150, refund["id"], refund["returnDueAt"])]
    assert [announced(acme, kind)["data"] for kind in OPENED] == [refund, refund]
    assert now(api, refund) == refund
    assert list(verify()) == []


def test_a_claim_without_an_id_gets_one(api: Api) -> None:
    first, second = (claimed(api, paid(api), amount=10) for _ in range(2))

    assert len({first["claimId"], second["claimId"]}) == 2
    assert (first["type"], first["claimedAmount"], first["reasonCode"]) == ("PARTIAL", 10, None)


# ── Answered, decided ─────────────────────────────────────────────────────────────────────────────────────────────
def test_an_accepted_claim_is_returned_in_full(api: Api, acme: Shop) -> None:
    refund = a_claim(api, acme)
    answered(api, refund, "ACCEPT")
    assert blocks(api, acme) == [("MED", 150, refund["id"], refund["returnDueAt"])]

    assert advance(api, "PT3S") == ["refund.answered"]

    assert ended(api, refund) == ("COMPLETED", 150, 150, 150)
    assert lookup(api, refund["paymentId"])["status"] == "REFUNDED"
    assert (wallet(acme)[0], blocks(api, acme)) == (0, [])
    assert kinds(acme) == [*OPENED, "refund.updated", "refund.completed", "payment.refunded"]
    assert announced(acme, "refund.completed")["data"] == now(api, refund)


def test_a_contested_claim_that_support_refuses_ends_the_block_at_once(api: Api, acme: Shop) -> None:
    refund = a_claim(api, acme)
    proof = {"type": "URL", "url": "https://acme.example/proof", "description": "Delivered"}
    under_review = answered(api, refund, "CONTEST", evidence=[proof]).json()["data"]
    assert (under_review["status"], under_review["blockedAmount"]) == ("UNDER_REVIEW", 150)

    decided(api, refund, "REJECTED")

    assert ended(api, refund) == ("REJECTED", 150, 0, 0)
    assert (wallet(acme)[0], blocks(api, acme)) == (15_000, [])
    assert advance(api, "P12D") == []


def test_a_contested_claim_that_support_accepts_is_returned(api: Api, acme: Shop) -> None:
    refund = a_claim(api, acme)
    answered(api, refund, "CONTEST")

    assert decided(api, refund, "PROCESSING").json()["data"]["status"] == "PROCESSING"
    advance(api, "PT3S")

    assert ended(api, refund) == ("COMPLETED", 150, 150, 150)


def test_silence_accepts_nothing_and_leaves_the_decision_to_support(api: Api, acme: Shop) -> None:
    refund = a_claim(api, acme)

    assert advance(api, "PT72H1S") == ["refund.reminded", "refund.lapsed"]

    silent = now(api, refund)
    assert (silent["status"], silent["responses"]) == ("UNDER_REVIEW", [])
    with nothing_moves(acme):
        assert refusal(answered(api, refund, "CONTEST")) == DEADLINE
    decided(api, refund, "REJECTED")
    assert ended(api, refund) == ("REJECTED", 150, 0, 0)


def test_after_silence_the_company_can_still_accept(api: Api, acme: Shop) -> None:
    refund = a_claim(api, acme)
    advance(api, "P4D")

    answered(api, refund, "ACCEPT")
    advance(api, "PT3S")

    assert ended(api, refund) == ("COMPLETED", 150, 150, 150)


@pytest.mark.parametrize("answer", ["CONTEST", None])
def test_without_a_decision_in_seven_days_it_is_accepted(api: Api, acme: Shop, answer: str | None) -> None:
    refund = a_claim(api, acme)
    if answer:
        answered(api, refund, answer)

    fired = advance(api, "P7D")

    assert fired[-1] == "refund.undecided"
    accepted = now(api, refund)
    assert (accepted["status"], accepted["updatedAt"]) == ("PROCESSING", refund["analysisDueAt"])
    assert announced(acme, "refund.updated")["data"] == accepted
    with nothing_moves(acme):
        assert refusal(decided(api, refund, "REJECTED")) == STATE
    advance(api, "PT3S")
    assert ended(api, refund) == ("COMPLETED", 150, 150, 150)


def test_real_time_runs_the_same_clocks(api: Api, acme: Shop) -> None:
    refund = a_claim(api, acme)
    later(acme, days=12)

    while run_due():
        pass

    assert ended(api, refund) == ("COMPLETED", 150, 150, 150)
    assert now(api, refund)["responses"] == []


def test_the_institution_can_withdraw_its_claim(api: Api, acme: Shop) -> None:
    refund = a_claim(api, acme)
    answered(api, refund, "CONTEST")

    decided(api, refund, "CANCELED")

    assert ended(api, refund) == ("CANCELED", 150, 0, 0)
    assert (wallet(acme)[0], blocks(api, acme)) == (15_000, [])


# ── Partial recovery ──────────────────────────────────────────────────────────────────────────────────────────────
def test_what_was_blocked_is_returned_at_the_end_and_the_rest_is_not_owed(api: Api, acme: Shop) -> None:
    refund = a_claim(api, acme, there=4_000)
    assert blocks(api, acme) == [("MED", 40, refund["id"], refund["returnDueAt"])]
    answered(api, refund, "ACCEPT")
    advance(api, "P10D")
    assert (now(api, refund)["status"], now(api, refund)["amount"]) == ("PROCESSING", 150)

    advance(api, "P1D")

    assert ended(api, refund) == ("COMPLETED", 40, 40, 40)
    done = now(api, refund)
    assert (done["claimedAmount"], done["completedAt"], done["type"]) == (150, refund["returnDueAt"], "FULL")
    assert lookup(api, refund["paymentId"])["status"] == "PAID"
    assert kinds(acme)[-2:] == ["refund.completed", "payment.updated"]
    a_payment(acme.sandbox, "PAID", "200.00")
    assert (wallet(acme)[0], blocks(api, acme)) == (19_801, [])
    assert list(verify()) == []


def test_where_nothing_comes_in_the_claim_fails_and_nothing_is_owed(api: Api, acme: Shop) -> None:
    refund = a_claim(api, acme, there=0)

    advance(api, "P11D")

    assert ended(api, refund) == ("FAILED", 150, 0, 0)
    assert now(api, refund)["failure"]["code"] == "INSUFFICIENT_BALANCE"
    a_payment(acme.sandbox, "PAID", "200.00")
    assert (wallet(acme)[0], blocks(api, acme)) == (19_801, [])


def test_money_that_comes_in_on_day_five_is_blocked_and_returned(api: Api, acme: Shop) -> None:
    refund = a_claim(api, acme, there=4_000)
    advance(api, "P5D")

    a_payment(acme.sandbox, "PAID", "50.00")

    assert (now(api, refund)["blockedAmount"], wallet(acme)[0]) == (89.49, 0)
    advance(api, "P6D")
    assert ended(api, refund) == ("COMPLETED", 89.49, 89.49, 89.49)


def test_a_claim_whose_money_is_complete_does_not_wait_for_the_end(api: Api, acme: Shop) -> None:
    refund = a_claim(api, acme, there=4_000)
    advance(api, "P8D")

    a_payment(acme.sandbox, "PAID", "200.00")
    advance(api, "PT3S")

    assert ended(api, refund) == ("COMPLETED", 150, 150, 150)
    assert moment(now(api, refund)["completedAt"]) < moment(refund["returnDueAt"])


@pytest.mark.parametrize("days_with_workers", [8, 0])
def test_money_that_comes_in_on_day_twelve_is_the_companys(api: Api, acme: Shop, days_with_workers: int) -> None:
    refund = a_claim(api, acme, there=4_000)
    advance(api, f"P{days_with_workers}D")
    later(acme, days=12 - days_with_workers)

    a_payment(acme.sandbox, "PAID", "50.00")
    FILL.sweep()

    assert (now(api, refund)["blockedAmount"], wallet(acme)[0]) == (40, 4_949)
    while run_due():
        pass
    assert ended(api, refund) == ("COMPLETED", 40, 40, 40)
    assert wallet(acme)[0] == 4_949


def test_no_withdrawal_passes_a_claim_that_lacks_money(api: Api, acme: Shop) -> None:
    refund = a_claim(api, acme, there=4_000)
    other = paid(api, amount=20)

    with nothing_moves(acme):
        assert refusal(api.post(f"/payments/{other}/refunds", {})) == (422, "ONP422_INSUFFICIENT_BALANCE")

    assert now(api, refund)["blockedAmount"] == 59.79


# ── With others ───────────────────────────────────────────────────────────────────────────────────────────────────
def test_of_a_payment_that_is_partly_refunded_the_rest_is_claimed(api: Api, acme: Shop) -> None:
    payment = paid(api)
    paid(api)
    refunded(api, payment, amount=50)
    advance(api, "PT3S")

    with nothing_moves(acme):
        code = refusal(
            api.post(f"/simulations/payments/{payment}/refund-requests", {"disputeKind": "MED", "amount": 101})
        )
    assert code == (422, "ONP422_REFUND_AMOUNT_EXCEEDED")
    refund = claimed(api, payment)
    assert refund["claimedAmount"] == 100
    answered(api, refund, "ACCEPT")
    advance(api, "PT3S")

    assert ended(api, refund) == ("COMPLETED", 100, 100, 150)
    assert lookup(api, payment)["status"] == "REFUNDED"


def test_what_the_company_is_already_returning_is_not_claimed(api: Api, acme: Shop) -> None:
    payment = paid(api)
    paid(api)
    own = refunded(api, payment, amount=50)

    refund = claimed(api, payment)

    assert (refund["claimedAmount"], refund["type"]) == (100, "FULL")
    with nothing_moves(acme):
        assert refusal(api.post(f"/payments/{payment}/refunds", {"amount": 1})) == (409, "ONP409_REFUND_IN_DISPUTE")
    answered(api, refund, "ACCEPT")
    advance(api, "PT3S")
    assert now(api, own)["status"] == "COMPLETED"
    assert ended(api, refund) == ("COMPLETED", 100, 100, 150)


def test_two_claims_are_not_open_at_once_and_the_second_claims_the_rest(api: Api, acme: Shop) -> None:
    payment = paid(api)
    paid(api)
    first = claimed(api, payment, amount=60)
    for wish in ({"disputeKind": "MED"}, {}):
        with nothing_moves(acme):
            answer = api.post(f"/simulations/payments/{payment}/refund-requests", wish)
        assert refusal(answer) == (409, "ONP409_REFUND_IN_DISPUTE")
    answered(api, first, "ACCEPT")

    second = claimed(api, payment)

    assert (second["claimedAmount"], second["claimId"] != first["claimId"]) == (90, True)
    answered(api, second, "ACCEPT")
    advance(api, "PT3S")
    assert ended(api, first) == ("COMPLETED", 60, 60, 150)
    assert ended(api, second) == ("COMPLETED", 90, 90, 150)


def test_the_same_claim_again_is_the_same_refund_and_of_another_payment_refused(api: Api, acme: Shop) -> None:
    refund, other = a_claim(api, acme), paid(api)
    again = {"disputeKind": "MED", "claimId": refund["claimId"], "reasonCode": "COERCION"}

    with nothing_moves(acme):
        answer = api.post(f"/simulations/payments/{refund['paymentId']}/refund-requests", again)
        assert (answer.status_code, answer.json()["data"]) == (201, refund)
        refused = api.post(f"/simulations/payments/{other}/refund-requests", again)
    assert refusal(refused) == (409, "ONP409_CLAIM_EXISTS")


def test_a_claim_id_of_another_company_is_unknown_here(api: Api, acme: Shop, globex: Shop, address: str) -> None:
    refund = a_claim(api, acme)
    there = Api(globex.sandbox_key, address)

    theirs = claimed(there, paid(there), claimId=refund["claimId"])

    assert theirs["id"] != refund["id"]
    assert refusal(there.get(f"/refunds/{refund['id']}")) == (404, "ONP404_REFUND")
    assert now(api, refund) == refund


# ── Refused ───────────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("method", ["BOLETO", "SPEI", "CREDIT_CARD", "MB_WAY", "NEQUI"])
def test_only_a_pix_is_claimed(api: Api, acme: Shop, method: str) -> None:
    payment = paid(api, method)

    with nothing_moves(acme):
        answer = api.post(f"/simulations/payments/{payment}/refund-requests", {"disputeKind": "MED"})

    assert refusal(answer) == (422, "ONP422_CLAIM_METHOD")


@pytest.mark.parametrize(
    ("members", "field"),
    [
        ({"disputeKind": "med"}, "disputeKind"),
        ({"disputeKind": "CARD"}, "disputeKind"),
        ({"disputeKind": ["MED"]}, "disputeKind"),
        ({"disputeKind": "MED", "claimId": ""}, "claimId"),
        ({"disputeKind": "MED", "claimId": "x" * 65}, "claimId"),
        ({"disputeKind": "MED", "claimId": 7}, "claimId"),
        ({"disputeKind": "MED", "reasonCode": "NOT_RECEIVED"}, "reasonCode"),
        ({"disputeKind": "MED", "responseDueAt": "2099-01-01T00:00:00Z"}, "responseDueAt"),
        ({"claimId": "81a15e14"}, "claimId"),
        ({"reasonCode": "SCAM"}, "reasonCode"),
    ],
)
def test_a_wrong_claim_is_named_and_moves_nothing(api: Api, acme: Shop, members: dict[str, Any], field: str) -> None:
    payment = paid(api)

    with nothing_moves(acme):
        answer = api.post(f"/simulations/payments/{payment}/refund-requests", members)

    assert (refusal(answer), answer.json()["error"]["field"]) == ((400, "ONP400_VALIDATION"), field)


def test_production_and_unpaid_payments_are_not_claimed(api: Api, acme: Shop, address: str) -> None:
    payment = paid(api)
    unpaid = a_payment(acme.sandbox, "PENDING").id
    production = Api(acme.production_key, address)

    with nothing_moves(acme):
        for by, of in ((production, payment), (api, unpaid), (api, "pay_01KAGTW3Q8XJ5V0N2B7R4C9DEF")):
            assert by.post(f"/simulations/payments/{of}/refund-requests", {"disputeKind": "MED"}).status_code >= 400


def test_a_request_outside_of_med_keeps_its_rules(api: Api, acme: Shop) -> None:
    refund = disputed(api, paid(api), amount=10)
    assert blocks(api, acme)[0][0] == "REFUND_DISPUTE"

    advance(api, "PT72H3S")

    assert [one["answeredBy"] for one in now(api, refund)["responses"]] == ["SYSTEM"]
    assert Refund.objects.get().status == "COMPLETED"
