"""How a refund ends, what is announced of it, and where it is shown then."""

import re
from typing import Any

import pytest

from gateway.payments.models import Payment
from gateway.receipts.facts import facts
from gateway.refunds.due import run_due
from ledger.receivables.due import run_due as release_due
from ledger.receivables.models import Receivable
from tests.support.api import Api
from tests.support.cards import book, events, lookup
from tests.support.companies import Shop
from tests.support.pdf import lines_of
from tests.support.refunds import (
    announced,
    ask,
    blocks,
    decided,
    kinds,
    later,
    moment,
    nothing_moves,
    now,
    paid,
    refunded,
    refusal,
    wallet,
)

pytestmark = pytest.mark.django_db

ALMOST_RELEASED = {"days": 30, "seconds": -2}
"""Refunds take two seconds: longer than the receivable has still to wait."""


def test_the_sandbox_completes_a_refund_after_two_seconds(api: Api, acme: Shop) -> None:
    refund = refunded(api, paid(api), amount=50)

    with nothing_moves(acme):
        assert run_due() == 0
    later(acme, seconds=2)
    assert (run_due(), run_due()) == (1, 0)

    done = now(api, refund)
    assert (done["status"], done["blockedAmount"], "failure" in done) == ("COMPLETED", 0, False)
    assert (moment(done["completedAt"]) - moment(done["createdAt"])).total_seconds() == 2
    assert done["updatedAt"] == done["completedAt"]
    assert (wallet(acme), blocks(api, acme)) == ((9850, 0, 0), [])


@pytest.mark.parametrize(
    ("method", "currency"),
    [
        ("PIX", "BRL"), ("BOLETO", "BRL"), ("SPEI", "MXN"), ("BANK_TRANSFER", "ARS"), ("MB_WAY", "EUR"),
        ("PSE", "COP"), ("NEQUI", "COP"), ("BRE_B", "COP"), ("CREDIT_CARD", "BRL"), ("DEBIT_CARD", "BRL"),
    ],
)  # fmt: skip
def test_every_method_gives_back_what_it_took(api: Api, acme: Shop, method: str, currency: str) -> None:
    payment = paid(api, method)
    before, taken = sum(wallet(acme, currency)), book(acme)[f"CLEARING {method} {currency}"]
    refund = refunded(api, payment, amount=10)
    later(acme, seconds=3)
    run_due()

    assert (now(api, refund)["status"], refund["currency"]) == ("COMPLETED", currency)
    assert sum(wallet(acme, currency)) == before - 1000
    assert book(acme)[f"CLEARING {method} {currency}"] == taken + 1000


def test_nobody_elses_time_completes_it(api: Api, acme: Shop, globex: Shop) -> None:
    refund = refunded(api, paid(api), amount=50)

    later(globex, days=1)

    with nothing_moves(acme):
        assert run_due() == 0
    assert now(api, refund)["status"] == "PROCESSING"


@pytest.mark.parametrize("how", ["time", "simulation"])
def test_pix_names_the_return_and_the_others_do_not(api: Api, acme: Shop, how: str) -> None:
    pix, spei = refunded(api, paid(api), amount=50), refunded(api, paid(api, "SPEI"), amount=50)

    if how == "time":
        later(acme, seconds=3)
        run_due()
    else:
        assert [decided(api, one, "COMPLETED").status_code for one in (pix, spei)] == [200, 200]

    assert re.fullmatch(r"D[0-9]{8}[0-9]{12}[A-Za-z0-9]{11}", now(api, pix)["endToEndId"] or "")
    assert now(api, spei)["endToEndId"] is None


def test_a_part_is_announced_in_order_and_each_time_as_it_is_looked_up(api: Api, acme: Shop) -> None:
    payment = paid(api)
    refund = refunded(api, payment, amount=50)
    assert announced(acme, "refund.created")["data"] == refund == now(api, refund)
    later(acme, seconds=3)
    run_due()

    assert kinds(acme) == ["refund.created", "refund.completed", "payment.updated"]
    done = announced(acme, "refund.completed")
    assert (done["data"], done["timestamp"]) == (now(api, refund), done["data"]["completedAt"])
    updated = announced(acme, "payment.updated")
    assert updated["data"] == lookup(api, payment)
    assert (updated["data"]["status"], updated["data"]["refundedAmount"]) == ("PAID", 50)
    assert updated["timestamp"] == done["timestamp"] == updated["data"]["updatedAt"]


@pytest.mark.parametrize("method", ["PIX", "CREDIT_CARD"])
def test_the_last_part_is_announced_as_a_refunded_payment(api: Api, acme: Shop, method: str) -> None:
    paid(api)
    payment = paid(api, method)
    refunded(api, payment, amount=50)
    later(acme, seconds=3)
    run_due()
    refunded(api, payment)
    later(acme, seconds=3)
    run_due()

    assert kinds(acme) == [
        "refund.created", "refund.completed", "payment.updated", "refund.created", "refund.completed",
        "payment.refunded",
    ]  # fmt: skip
    assert announced(acme, "payment.refunded")["data"] == lookup(api, payment)
    assert lookup(api, payment)["status"] == "REFUNDED"


def test_921_fails_and_the_money_is_available_again(api: Api, acme: Shop) -> None:
    payment = paid(api, amount=1500)
    before = wallet(acme)
    refund = refunded(api, payment, amount=921, reference="rf-1")
    later(acme, seconds=3)
    run_due()

    failed = now(api, refund)
    assert (failed["status"], failed["failure"]["code"], failed["completedAt"]) == ("FAILED", "ACQUIRER_REFUSED", None)
    assert failed["failure"]["message"]
    assert (failed["blockedAmount"], wallet(acme), blocks(api, acme)) == (0, before, [])
    assert (kinds(acme), announced(acme, "refund.failed")["data"]) == (["refund.created", "refund.failed"], failed)
    assert (lookup(api, payment)["status"], lookup(api, payment)["refundedAmount"]) == ("PAID", 0)
    assert ask(api, payment, amount=920, reference="rf-1").status_code == 201


@pytest.mark.parametrize("amount", [921, 1921])
def test_921_of_a_card_goes_back_into_its_receivable(api: Api, acme: Shop, amount: int) -> None:
    paid(api)
    payment = paid(api, "CREDIT_CARD", amount=2000)
    before = wallet(acme)
    refunded(api, payment, amount=amount)
    assert wallet(acme) != before
    later(acme, seconds=3)
    run_due()

    kept = Receivable.objects.get(payment_id=payment)
    assert (kept.state, kept.amount, kept.refunded_amount) == ("SCHEDULED", 192_020, 0)
    assert wallet(acme) == before == (14_850, 192_020, 0)


@pytest.mark.parametrize(("amount", "state"), [(921, "RELEASED"), (1921, "CANCELED")])
@pytest.mark.parametrize("released_first", [False, True])
def test_921_after_the_day_of_the_receivable_is_available(
    api: Api, acme: Shop, amount: int, state: str, released_first: bool
) -> None:
    paid(api)
    payment = paid(api, "CREDIT_CARD", amount=2000)
    later(acme, **ALMOST_RELEASED)
    refund = refunded(api, payment, amount=amount)
    later(acme, seconds=3)

    for happens in (release_due, run_due) if released_first else (run_due, release_due):
        happens()

    assert now(api, refund)["status"] == "FAILED"
    assert wallet(acme) == (14_850 + 192_020, 0, 0)
    assert Receivable.objects.get(payment_id=payment).state == state


def test_922_stays_until_it_is_decided(api: Api, acme: Shop) -> None:
    payment = paid(api, amount=2000)
    first, second = refunded(api, payment, amount=922), refunded(api, payment, amount=922)
    later(acme, days=30)
    run_due()
    assert {now(api, one)["status"] for one in (first, second)} == {"PROCESSING"}
    assert [reason for reason, *_ in blocks(api, acme)] == ["REFUND_PROCESSING"] * 2

    done, failed = decided(api, first, "COMPLETED"), decided(api, second, "FAILED")

    assert (done.status_code, done.json()["onpayCode"], done.json()["data"]["status"]) == (200, "ONP200", "COMPLETED")
    assert failed.json()["data"] == now(api, second)
    assert (failed.json()["data"]["status"], wallet(acme)) == ("FAILED", (198_019 - 92_200, 0, 0))
    assert kinds(acme) == ["refund.created"] * 2 + ["refund.completed", "payment.updated", "refund.failed"]


@pytest.mark.parametrize("amount", [921.5, 92.1, 922.01])
def test_only_whole_amounts_are_magic(api: Api, acme: Shop, amount: float) -> None:
    refund = refunded(api, paid(api, amount=1500), amount=amount)
    later(acme, seconds=3)
    run_due()

    assert now(api, refund)["status"] == "COMPLETED"


def receipt(api: Api, payment: str) -> dict[str, Any]:
    return dict(api.get(f"/payments/{payment}/receipt").json()["data"])


def test_the_receipt_lists_what_went_back_and_nothing_else(api: Api, acme: Shop) -> None:
    payment = paid(api, amount=2000)
    done = refunded(api, payment, amount=50)
    refunded(api, payment, amount=921)
    refunded(api, payment, amount=922)
    assert (receipt(api, payment)["refunds"], receipt(api, payment)["refundedAmount"]) == ([], 0)
    later(acme, seconds=3)
    run_due()

    shown = receipt(api, payment)
    completed_at = now(api, done)["completedAt"]
    assert (shown["status"], shown["refundedAmount"]) == ("PAID", 50)
    assert shown["refunds"] == [{"id": done["id"], "amount": 50, "completedAt": completed_at}]
    kept = Payment.objects.select_related("merchant__company").get(pk=payment)
    text = " ".join(lines_of(facts(kept)))
    assert done["id"] in text
    assert "R$ 50,00" in text
    assert text.count("ref_") == 1


def test_a_late_word_changes_no_final_refund(api: Api, acme: Shop) -> None:
    refund = refunded(api, paid(api), amount=50)
    decided(api, refund, "COMPLETED")
    later(acme, days=1)

    with nothing_moves(acme):
        assert run_due() == 0
        assert refusal(decided(api, refund, "FAILED")) == (409, "ONP409_REFUND_STATE")
    assert [one["type"] for one in events(acme)].count("refund.completed") == 1
