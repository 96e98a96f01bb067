"""A payer wants money that is not there: whatever comes into the wallet goes to it first, and nothing gets past it."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from gateway.payments.models import Payment
from gateway.refunds.due import FILL, run_due
from gateway.refunds.models import Refund
from gateway.simulations.examples import WITHDRAWALS
from ledger.books.models import Transfer
from ledger.holds import services as holds
from ledger.holds.models import Hold
from ledger.receivables import advances
from ledger.receivables.models import Receivable, Taking
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.conversions import confirm, quoted
from tests.support.payments import a_payment, pix
from tests.support.refunds import (
    answered,
    ask,
    blocks,
    decided,
    disputed,
    later,
    nothing_moves,
    now,
    paid,
    refunded,
    refusal,
    wallet,
    withdraw_all_but,
)
from tests.support.withdrawals import PAID_IN_BY, RAILS, Rail, fund, register, withdrawn
from tests.support.withdrawals import ask as withdraw

pytestmark = pytest.mark.django_db

TOO_LITTLE = (422, "ONP422_INSUFFICIENT_BALANCE")


def unpaid(api: Api, shop: Shop, amount: int = 1000) -> dict[str, str]:
    """A payer wants money back of which nothing is there."""
    payment = paid(api, amount=amount)
    withdraw_all_but(shop, 0)
    refund = disputed(api, payment)
    assert refund["blockedAmount"] == 0
    return refund


def blocked(api: Api, refund: dict[str, str]) -> float:
    return float(now(api, refund)["blockedAmount"])


# ── Every credit ──────────────────────────────────────────────────────────────────────────────────────────────────
def test_a_payment_goes_to_the_payer_who_waits(api: Api, acme: Shop) -> None:
    refund = unpaid(api, acme)

    a_payment(acme.sandbox, "PAID", "200.00")

    assert (blocked(api, refund), wallet(acme)[0]) == (198.01, 0)
    assert Transfer.objects.filter(kind="refund.filled").count() == 1


def test_money_that_will_be_released_goes_to_the_payer_who_waits(api: Api, acme: Shop) -> None:
    refund = unpaid(api, acme)

    card = paid(api, "CREDIT_CARD")

    assert (blocked(api, refund), wallet(acme)[:2]) == (192.02, (0, 0))
    taken = Receivable.objects.get(payment_id=card)
    assert (taken.state, taken.amount, taken.refunded_amount) == ("CANCELED", 0, 19_202)


def test_what_is_released_late_goes_to_the_payer_who_waits(api: Api, acme: Shop) -> None:
    receivable = Receivable.objects.get(payment_id=paid(api, "CREDIT_CARD"))
    asked = advances.request(acme.sandbox, [receivable.pk], None)
    refund = unpaid(api, acme)
    later(acme, days=31)

    advances.refuse(asked.pk, User.objects.create_user("risk@onpay.example"))  # its day has come meanwhile

    assert Receivable.objects.get(pk=receivable.pk).state == "RELEASED"
    assert (blocked(api, refund), wallet(acme)[:2]) == (192.02, (0, 0))


def test_an_advance_goes_to_the_payer_who_waits(api: Api, acme: Shop) -> None:
    receivable = Receivable.objects.get(payment_id=paid(api, "CREDIT_CARD"))
    asked = advances.request(acme.sandbox, [receivable.pk], None)
    refund = unpaid(api, acme)

    given = advances.approve(asked.pk, User.objects.create_user("risk@onpay.example"))

    assert (round(blocked(api, refund) * 100), wallet(acme)[:2]) == (given.net, (0, 0))


def test_what_a_refused_advance_gives_back_goes_to_the_payer_who_waits(api: Api, acme: Shop) -> None:
    receivable = Receivable.objects.get(payment_id=paid(api, "CREDIT_CARD"))
    asked = advances.request(acme.sandbox, [receivable.pk], None)
    refund = unpaid(api, acme)

    advances.refuse(asked.pk, User.objects.create_user("risk@onpay.example"))

    assert (blocked(api, refund), wallet(acme)[:2]) == (192.02, (0, 0))


def test_a_lifted_block_goes_to_the_payer_who_waits(api: Api, acme: Shop) -> None:
    payment = paid(api, amount=1000)
    block = withdraw_all_but(acme, 0)
    refund = disputed(api, payment)

    holds.lift(block.pk)

    assert (blocked(api, refund), wallet(acme)[0]) == (990.09, 0)


def test_a_conversion_goes_to_the_payer_who_waits(api: Api, acme: Shop) -> None:
    payment = paid(api, "SPEI", amount=2500)
    withdraw_all_but(acme, 0, "MXN")
    refund = disputed(api, payment)
    paid(api, amount=2000)

    token = quoted(api, acme, sourceAmount=100)["quoteToken"]
    assert confirm(api, acme, token).status_code == 201

    assert blocked(api, refund) > 300
    assert wallet(acme, "MXN")[0] == 0


@pytest.mark.parametrize("end", ["FAILED", "RETURNED"])
def test_a_withdrawal_that_comes_back_goes_to_the_payer_who_waits(api: Api, acme: Shop, address: str, end: str) -> None:
    register(acme, address)
    payment = paid(api, amount=2000)
    made = withdrawn(api, acme, amount=904)
    withdraw_all_but(acme, 0)
    refund = disputed(api, payment)
    for status in ("COMPLETED", "RETURNED") if end == "RETURNED" else ("FAILED",):
        assert api.post(f"/simulations/withdrawals/{made['id']}", {"status": status}).status_code == 200

    assert blocked(api, refund) in (904.0, float(made["totalDebited"]))
    assert wallet(acme)[0] == 0


def test_a_refund_that_fails_goes_to_the_payer_who_waits(api: Api, acme: Shop) -> None:
    first, second = paid(api, amount=2000), paid(api, amount=2000)
    given = refunded(api, second, amount=922)
    withdraw_all_but(acme, 0)
    refund = disputed(api, first)

    assert decided(api, given, "FAILED").status_code == 200

    assert (blocked(api, refund), wallet(acme)[0]) == (922, 0)


def test_the_payer_who_asked_first_is_served_first(api: Api, acme: Shop) -> None:
    first, second = paid(api, amount=100), paid(api, amount=100)
    withdraw_all_but(acme, 0)
    early, late = disputed(api, first), disputed(api, second)

    a_payment(acme.sandbox, "PAID", "150.00")

    assert (blocked(api, early), blocked(api, late)) == (100, 48.50)
    a_payment(acme.sandbox, "PAID", "150.00")
    assert (blocked(api, late), wallet(acme)[0]) == (100, 14_850 - 5150)


# ── What a wallet releases ────────────────────────────────────────────────────────────────────────────────────────
def test_a_dispute_blocks_all_that_the_wallet_releases(api: Api, acme: Shop) -> None:
    late, soon = paid(api, "CREDIT_CARD"), paid(api, "DEBIT_CARD")
    payment = paid(api, amount=500)
    withdraw_all_but(acme, 10_000)

    refund = disputed(api, payment, amount=300)

    assert refund["blockedAmount"] == 300
    assert blocks(api, acme)[0][:2] == ("REFUND_DISPUTE", 300)
    assert Receivable.objects.get(payment_id=soon).state == "CANCELED"
    assert Receivable.objects.get(payment_id=late).amount == 19_202 - (20_000 - 19_602)
    assert wallet(acme)[:2] == (0, 19_202 - (20_000 - 19_602))


@pytest.mark.parametrize("outcome", ["REJECTED", "CANCELED"])
def test_what_the_company_keeps_waits_for_its_day_again(api: Api, acme: Shop, outcome: str) -> None:
    card, payment = paid(api, "CREDIT_CARD"), paid(api, amount=1000)
    withdraw_all_but(acme, 0)
    refund = disputed(api, payment)
    assert (refund["blockedAmount"], wallet(acme)[:2]) == (192.02, (0, 0))
    answered(api, refund, "CONTEST")

    assert decided(api, refund, outcome).status_code == 200

    kept = Receivable.objects.get(payment_id=card)
    assert (kept.state, kept.amount, kept.refunded_amount) == ("SCHEDULED", 19_202, 0)
    assert wallet(acme)[:2] == (0, 19_202)
    assert not Taking.objects.exists()


def test_what_the_company_keeps_after_its_day_is_available(api: Api, acme: Shop) -> None:
    payment = paid(api, amount=1000)
    card = paid(api, "DEBIT_CARD")
    withdraw_all_but(acme, 0)
    refund = disputed(api, payment)
    assert refund["blockedAmount"] == 196.02
    answered(api, refund, "CONTEST")
    later(acme, days=2)

    decided(api, refund, "REJECTED")

    assert (wallet(acme)[:2], Receivable.objects.get(payment_id=card).state) == ((19_602, 0), "CANCELED")


def test_a_dispute_that_is_covered_by_what_releases_completes_at_once(api: Api, acme: Shop) -> None:
    payment = paid(api, amount=150)
    paid(api, "CREDIT_CARD")
    withdraw_all_but(acme, 0)
    refund = disputed(api, payment)
    answered(api, refund, "ACCEPT")
    later(acme, seconds=3)

    run_due()

    assert now(api, refund)["status"] == "COMPLETED"
    assert wallet(acme)[:2] == (0, 19_202 - 15_000)


# ── Every debit ───────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("rail", RAILS)
def test_five_payments_and_withdrawals_get_nothing_past_it(api: Api, acme: Shop, address: str, rail: Rail) -> None:
    register(acme, address)
    currency = WITHDRAWALS[rail]["currency"]
    fund(api, currency)
    withdraw_all_but(acme, 0, currency)
    refund = disputed(api, Payment.objects.get().pk)

    answers = []
    for _ in range(5):
        fund(api, currency, PAID_IN_BY[currency][1] // 10)
        with nothing_moves(acme):
            answers.append(refusal(withdraw(api, acme, rail)))

    assert answers == [TOO_LITTLE] * 5
    assert wallet(acme, currency)[0] == 0
    assert blocked(api, refund) * 100 == sum(one.net for one in Payment.objects.order_by("created_at")[1:])


def test_no_conversion_and_no_refund_gets_past_it(api: Api, acme: Shop) -> None:
    refund = unpaid(api, acme)
    other = paid(api, amount=200)

    with nothing_moves(acme):
        assert refusal(confirm(api, acme, quoted(api, acme, sourceAmount=100)["quoteToken"])) == TOO_LITTLE
        assert refusal(ask(api, other, amount=100)) == TOO_LITTLE

    assert blocked(api, refund) == 198.01


@pytest.fixture
def passed_over(api: Api, acme: Shop, address: str) -> dict[str, str]:
    """A refund of 100 that lacks everything beside 198.01 that are available: it was in somebody else's hand."""
    register(acme, address)
    payment = paid(api, amount=1000)
    withdraw_all_but(acme, 0)
    refund = disputed(api, payment, amount=100)
    hold = Hold.objects.filter(refund_id=refund["id"])
    hold.update(amount=1, missing=0)
    a_payment(acme.sandbox, "PAID", "200.00")
    hold.update(amount=0, missing=10_000)
    assert (blocked(api, refund), wallet(acme)[0]) == (0, 19_801)
    return refund


def test_what_was_passed_over_is_filled_before_money_leaves(api: Api, acme: Shop, passed_over: dict[str, str]) -> None:
    assert refusal(withdraw(api, acme, amount=150)) == TOO_LITTLE
    made = withdrawn(api, acme, amount=50)

    assert blocked(api, passed_over) == 100
    assert wallet(acme)[0] == 9801 - made["totalDebited"] * 100


def test_the_sweep_fills_what_was_passed_over(api: Api, acme: Shop, passed_over: dict[str, str]) -> None:
    assert FILL.sweep() == 1

    assert (blocked(api, passed_over), wallet(acme)[0]) == (100, 9801)
    with nothing_moves(acme):
        assert FILL.sweep() == 0


# ── What it costs ─────────────────────────────────────────────────────────────────────────────────────────────────
def test_where_nothing_lacks_a_payment_asks_the_database_for_nothing_more(api: Api, acme: Shop) -> None:
    a_payment(acme.sandbox, "PAID")
    with CaptureQueriesContext(connection) as asked:
        created = api.post("/payments", pix())
    assert not [one["sql"] for one in asked if "ledger_hold" in one["sql"] or "gateway_refund" in one["sql"]]

    with CaptureQueriesContext(connection) as asked:
        api.post(f"/simulations/payments/{created.json()['data']['id']}", {"status": "PAID"})
    statements = [one["sql"] for one in asked]

    assert not [sql for sql in statements if "ledger_hold" in sql or "gateway_refund" in sql]
    assert len([sql for sql in statements if "ledger_uncovered" in sql]) == 1
    assert Refund.objects.count() == 0
