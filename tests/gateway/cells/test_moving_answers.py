"""A company is moved while an institution has not answered yet: the answer counts where the company lives by then."""

import pytest

from accounts.base.clock import utcnow
from accounts.cells import in_cell_of
from gateway.methods.rail import PaymentOutcome, PaymentResult
from gateway.payments import due as payments_due
from gateway.payments.models import Payment
from gateway.payouts.rail import FailureCode, PayoutOutcome, PayoutResult
from gateway.providers.models import ProviderAccount
from gateway.refunds import due as refunds_due
from gateway.refunds.models import Refund
from gateway.withdrawals import due as withdrawals_due
from gateway.withdrawals.models import Withdrawal
from tests.support import withdrawals as w
from tests.support.api import Api, another_address
from tests.support.lives import ACMES, GLOBEXES, Lives, moved, rows, violations
from tests.support.paying_out import CODE, with_real_money
from tests.support.production import PIX, api_of, live
from tests.support.providers import paid_out_by
from tests.support.scripted_provider import SCRIPT, rewritten

pytestmark = pytest.mark.a_third_a_day

WAITING = PaymentOutcome(PaymentResult.WAITING, CODE)
PAID = PaymentOutcome(PaymentResult.DONE, {"pixEndToEndId": "E1"}, reference="E1")
NOWHERE_WRONG = [[], [], []]


@pytest.fixture(autouse=True)
def bank(lives: Lives) -> None:
    """Answers as each test has written down. Where acme is moved its answers come later."""
    rewritten()


def moves(lives: Lives, cell: str = GLOBEXES) -> None:
    """Before the next answer comes."""
    SCRIPT.meanwhile = lambda: moved(lives.acme, cell)


def test_a_new_payment_is_answered_with_its_code(lives: Lives) -> None:
    live(lives.acme, "bank")
    SCRIPT.answers["instruct"] = [WAITING]
    moves(lives)
    key = "6f1f3d0e-6a4c-4a52-9d0e-111111111111"

    answer = api_of(lives.acme).post("/payments", PIX, key=key)

    assert answer.status_code == 201, answer.content
    assert answer.json()["data"]["status"] == "PENDING" and CODE["pixCopyPaste"] in answer.content.decode()
    assert [what for _, what, _ in SCRIPT.calls if what == "instruct"] == ["instruct"]
    again = api_of(lives.acme).post("/payments", PIX, key=key)
    assert again["Idempotent-Replayed"] == "true" and again.content == answer.content
    assert rows("gateway_payment") == rows("gateway_idempotencykey") == [0, 0, 1]
    assert violations() == NOWHERE_WRONG


def test_a_definite_refusal_of_a_new_payment_is_stored_and_repeated(lives: Lives) -> None:
    live(lives.acme, "bank")
    SCRIPT.answers["instruct"] = [PaymentOutcome(PaymentResult.DECLINED, failure=("NO", "Not today"))]
    moves(lives)
    key = "6f1f3d0e-6a4c-4a52-9d0e-222222222222"
    first, again = (api_of(lives.acme).post("/payments", PIX, key=key) for _ in range(2))
    assert first.content == again.content and first.status_code == again.status_code
    assert rows("gateway_payment WHERE status = 'FAILED'") == rows("gateway_payment") == [0, 0, 1]
    assert violations() == NOWHERE_WRONG


def test_a_payment_that_is_queried_is_paid_once(lives: Lives) -> None:
    live(lives.acme, "bank")
    SCRIPT.answers |= {"instruct": [WAITING], "ask": [PAID]}
    assert api_of(lives.acme).post("/payments", PIX).status_code == 201
    with in_cell_of(lives.acme.production):
        Payment.objects.update(ask_at=utcnow())
        moves(lives)
        payments_due.run_due()

    assert rows("gateway_payment WHERE status = 'PAID'") == [0, 0, 1]
    assert rows("ledger_transfer WHERE kind = 'payment.paid'") == [0, 0, 1]
    assert rows("webhooks_event WHERE type = 'payment.paid'") == [0, 0, 1]
    assert rows("accounts_stuckwork") == [0, 0, 0]
    assert violations() == NOWHERE_WRONG


def test_two_banks_after_each_other_while_it_moves_there_and_back(lives: Lives) -> None:
    live(lives.acme, "bank", "other")
    refused = PaymentOutcome(PaymentResult.NOT_RECEIVED)
    SCRIPT.answers |= {"bank instruct": [refused], "other instruct": [WAITING]}

    def there() -> None:
        moved(lives.acme, GLOBEXES)
        moves(lives, ACMES)

    SCRIPT.meanwhile = there
    answer = api_of(lives.acme).post("/payments", PIX)
    assert answer.status_code == 201, answer.content
    assert [user for user, what, _ in SCRIPT.calls if what == "instruct"] == ["bank", "other"]
    assert rows("gateway_payment") == [0, 1, 0]
    assert violations() == NOWHERE_WRONG


@pytest.mark.parametrize(
    ("told", "status"),
    [
        (PayoutOutcome(PayoutResult.DONE, reference="E7"), "COMPLETED"),
        (PayoutOutcome(PayoutResult.DECLINED, failure=FailureCode.BANK_REJECTED.failure), "FAILED"),
    ],
)
def test_a_withdrawal_is_sent_once_and_its_answer_counts(lives: Lives, told: PayoutOutcome, status: str) -> None:
    api = _with_money(lives)
    SCRIPT.answers |= {"send": [told], "ask payout": [told]}
    withdrawal = w.withdrawn(api, lives.acme)["id"]
    with in_cell_of(lives.acme.production):
        Withdrawal.objects.update(ask_at=utcnow())
        moves(lives)
        withdrawals_due.run_due()

    assert rows(f"gateway_withdrawal WHERE status = '{status}'") == rows("gateway_withdrawal") == [0, 0, 1]
    assert [(what, one) for _, what, one in SCRIPT.calls if one == withdrawal] == [("send", withdrawal)]
    assert rows("accounts_stuckwork") == [0, 0, 0]
    assert violations() == NOWHERE_WRONG


@pytest.mark.parametrize("answered", [PaymentResult.DONE, PaymentResult.DECLINED])
def test_a_refund_is_sent_once_and_its_answer_counts(lives: Lives, answered: PaymentResult) -> None:
    api = _with_money(lives)
    with in_cell_of(lives.acme.production):
        payment = Payment.objects.get().pk
    made = api.post(f"/payments/{payment}/refunds", {"amount": 20.00, "reference": "r-1", "reason": "other"})
    assert made.status_code == 201, made.content
    told = PaymentOutcome(answered, reference="D1", failure=None if answered == "DONE" else ("NO", "No"))
    SCRIPT.answers |= {"refund": [told], "ask refund": [told]}
    with in_cell_of(lives.acme.production):
        Refund.objects.update(ask_at=utcnow())
        moves(lives)
        refunds_due.run_due()

    assert [what for _, what, _ in SCRIPT.calls if "refund" in what] == ["refund"]
    wanted = "COMPLETED" if answered == PaymentResult.DONE else "FAILED"
    assert rows(f"gateway_refund WHERE status = '{wanted}'") == rows("gateway_refund") == [0, 0, 1]
    assert violations() == NOWHERE_WRONG


def _with_money(lives: Lives) -> Api:
    with in_cell_of(lives.acme.production):
        api = with_real_money(lives.acme, another_address())
    paid_out_by(ProviderAccount.objects.get())
    return api
