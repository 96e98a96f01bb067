"""Refunds against each other, against the day of the money and against its advance: the books are right each time."""

import random
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait

import pytest
from django.db import connections, transaction
from django.http import HttpResponse
from pytest_django import Settings

from accounts.base.errors import Refusal
from accounts.models import User
from gateway.evidence import due as evidence_due
from gateway.evidence.models import AutomaticEvidence
from gateway.refunds import due as refunds_due
from gateway.refunds import services as refunds
from gateway.refunds.lifecycle import RefundAction
from gateway.refunds.models import Refund
from ledger.books.models import Transfer
from ledger.receivables import advances
from ledger.receivables.due import RELEASE
from ledger.receivables.models import Receivable
from ledger.verify import verify
from tests.support.api import Api
from tests.support.cards import lookup, order
from tests.support.companies import Shop
from tests.support.effort import tries
from tests.support.refunds import answered, ask, claimed, decided, disputed, kinds, later, now, paid, refunded, wallet
from tests.support.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)

ROUNDS = tries(30, 1000)
CREATED, EXCEEDED = (201, "ONP201"), (422, "ONP422_REFUND_AMOUNT_EXCEEDED")
STATE = (409, "ONP409_REFUND_STATE")
Call = Callable[[], HttpResponse]


def outcomes(answers: list[HttpResponse]) -> Counter[tuple[int, str]]:
    return Counter((answer.status_code, answer.json()["onpayCode"]) for answer in answers)


def violations() -> list[str]:
    return [str(violation) for violation in verify()]


@pytest.fixture
def caller(transactional_db: None, acme: Shop, address: str) -> Callable[[], Api]:
    """Another process of acme's backend at each call."""
    return lambda: Api(acme.sandbox_key, address)


@pytest.mark.parametrize("method", ["PIX", "CREDIT_CARD"])
def test_of_twenty_refunds_of_a_third_less_than_all_three_are_taken(
    api: Api, acme: Shop, caller: Callable[[], Api], method: str
) -> None:
    paid(api)
    payment = paid(api, method, amount=100)

    answers = at_once(*[lambda: ask(caller(), payment, amount=30)] * 20)

    assert outcomes(answers) == {CREATED: 3, EXCEEDED: 17}
    assert [one.amount for one in Refund.objects.all()] == [3000] * 3
    assert wallet(acme)[2] == 9000
    assert kinds(acme) == ["refund.created"] * 3
    assert violations() == []
    later(acme, seconds=3)
    assert refunds_due.run_due() == 3
    assert lookup(api, payment)["refundedAmount"] == 90


def test_twenty_refunds_share_money_that_is_enough_for_two(api: Api, acme: Shop, caller: Callable[[], Api]) -> None:
    payments = [paid(api, amount=10) for _ in range(20)]  # 9.89 each: 197.80 in all
    other = paid(api, amount=10)
    assert wallet(acme)[0] == 21 * 989

    answers = at_once(*[lambda payment=one: ask(caller(), payment) for one in payments], lambda: ask(caller(), other))

    assert outcomes(answers) == {CREATED: 20, (422, "ONP422_INSUFFICIENT_BALANCE"): 1}
    assert wallet(acme) == (21 * 989 - 20_000, 0, 20_000)


def test_one_reference_is_one_refund(api: Api, caller: Callable[[], Api]) -> None:
    payments = [paid(api) for _ in range(8)]

    answers = at_once(*[lambda payment=one: ask(caller(), payment, amount=1, reference="rf-1") for one in payments])

    assert outcomes(answers) == {CREATED: 1, (409, "ONP409_DUPLICATE_REFERENCE"): 7}
    assert Refund.objects.count() == 1


def test_one_payment_is_disputed_once_and_not_refunded_as_well(api: Api, acme: Shop, caller: Callable[[], Api]) -> None:
    payment = paid(api)
    wish = f"/simulations/payments/{payment}/refund-requests"

    answers = at_once(
        *[lambda: caller().post(wish, {"amount": 100})] * 4, *[lambda: ask(caller(), payment, amount=100)] * 4
    )

    assert outcomes(answers)[CREATED] == 1
    assert wallet(acme) == (4850, 0, 10_000)


def test_completed_and_failed_at_once_are_one_outcome_and_one_posting(
    api: Api, acme: Shop, caller: Callable[[], Api]
) -> None:
    payment = paid(api, amount=2000)
    refund = refunded(api, payment, amount=922)

    answers = at_once(*[lambda to=one: decided(caller(), refund, to) for one in ("COMPLETED", "FAILED") * 4])

    assert outcomes(answers) == {(200, "ONP200"): 1, STATE: 7}
    ended = now(api, refund)["status"]
    posted = Transfer.objects.filter(reference=refund["id"]).exclude(kind="refund.held")
    assert [one.kind for one in posted] == ["refund.completed" if ended == "COMPLETED" else "refund.returned"]
    told = [kind for kind in kinds(acme) if kind != "refund.created"]
    assert told == (["refund.completed", "payment.updated"] if ended == "COMPLETED" else ["refund.failed"])
    assert lookup(api, payment)["refundedAmount"] == (922 if ended == "COMPLETED" else 0)


def test_many_workers_complete_a_refund_once(api: Api, acme: Shop) -> None:
    payments = [paid(api) for _ in range(4)]
    made = [refunded(api, payment, amount=50) for payment in payments]
    later(acme, seconds=3)

    def look() -> HttpResponse:
        refunds_due.run_due()
        return HttpResponse()

    at_once(*[look] * 4)

    assert {now(api, one)["status"] for one in made} == {"COMPLETED"}
    assert Transfer.objects.filter(kind="refund.completed").count() == 4
    assert kinds(acme).count("payment.updated") == 4


def test_answer_and_silence_are_one_answer(api: Api, acme: Shop, caller: Callable[[], Api]) -> None:
    refund = disputed(api, paid(api), amount=50)
    path = f"/refunds/{refund['id']}/responses"

    answers = at_once(
        *[lambda: caller().post(path, {"answer": "ACCEPT"})] * 4,
        *[lambda: caller().post(f"/simulations/refunds/{refund['id']}", {"status": "CANCELED"})] * 4,
    )

    assert sum(count for (status, _), count in outcomes(answers).items() if status < 300) == 1
    assert wallet(acme) == ((9850, 0, 5000) if now(api, refund)["status"] == "PROCESSING" else (14_850, 0, 0))


# ── One receivable, three who want it ─────────────────────────────────────────────────────────────────────────────
class Race:
    """A card payment is given back, advanced and released: all in one moment, and then the refund ends somehow."""

    def __init__(self, shop: Shop, api: Api, decider: User, dice: random.Random) -> None:
        created = api.post("/payments", order(amount=2000, paymentMethodToken="pmt_sandbox_approved"))
        assert created.json()["data"]["status"] == "PAID", created.content
        self.payment = str(created.json()["data"]["id"])
        self.receivable = Receivable.objects.get(payment_id=self.payment)
        self.shop, self.decider, self.dice = shop, decider, dice
        self.minor = dice.choice([1, 92_100, 92_200, 192_020, 200_000])
        self.disputed, self.approved, self.accepted = (dice.random() < share for share in (0.25, 0.5, 0.5))

    def contenders(self) -> list[Callable[[], str]]:
        """In an order of their own each time; a refusal is an outcome, anything else an error of ours."""
        wanted = [self.refund, self.advance, self.release]
        self.dice.shuffle(wanted)
        return [lambda act=one: self.told(act) for one in wanted]

    def told(self, act: Callable[[], None]) -> str:
        try:
            act()
        except Refusal as refusal:
            return f"{act.__name__}: {refusal.code}"
        return f"{act.__name__}: done"

    def refund(self) -> None:
        (refunds.dispute if self.disputed else refunds.create)(self.shop.sandbox, self.payment, amount=self.minor)

    def advance(self) -> None:
        asked = advances.request(self.shop.sandbox, [self.receivable.id], None)
        (advances.approve if self.approved else advances.refuse)(asked.id, self.decider)

    def release(self) -> None:
        RELEASE.run_at_clock(self.shop.sandbox, self.receivable.id)

    def end(self) -> None:
        for refund in Refund.objects.filter(payment_id=self.payment, status="AWAITING_RESPONSE"):
            asked = RefundAction.ACCEPT if self.accepted else RefundAction.WITHDRAW
            refunds.decide(self.shop.sandbox, refund.id, asked)
        later(self.shop, seconds=3)
        refunds_due.run_due()


ENDS = {"COMPLETED", "FAILED", "CANCELED"}


def ended() -> set[str]:
    return set(Refund.objects.values_list("status", flat=True))


def test_refund_advance_and_release_of_one_receivable_leave_the_books_right(
    api: Api, acme: Shop, settings: Settings
) -> None:
    settings.RATE_LIMITS = settings.RATE_LIMITS | {"payments": 10 * ROUNDS, "all": 10 * ROUNDS}
    paid(api, amount=500)
    decider, dice = User.objects.create_user("risk@onpay.example"), random.Random(30)
    seen: Counter[str] = Counter()
    start = threading.Barrier(3, timeout=20)

    def one(contender: Callable[[], str]) -> str:
        start.wait()
        return contender()

    with ThreadPoolExecutor(3, initializer=connections.close_all) as threads:
        for number in range(4 * ROUNDS):
            if number >= ROUNDS and ended() >= ENDS:  # by chance none of the refunds may win that fail
                break
            race = Race(acme, api, decider, dice)
            seen.update(threads.map(one, race.contenders()))
            assert violations() == [], f"round {number}"
            race.end()  # which the next round proves
        list(threads.map(one, [lambda: str(connections.close_all())] * 3))

    assert {"refund: done", "advance: done", "release: done"} <= set(seen)
    assert {"refund: ONP409_RECEIVABLE_RESERVED", "advance: ONP409_RECEIVABLE_STATE"} & set(seen)
    assert ended() >= ENDS
    assert set(Receivable.objects.values_list("state", flat=True)) >= {"RELEASED", "ADVANCED"}


def test_a_claim_that_arrives_many_times_at_once_is_one_refund(api: Api, acme: Shop, caller: Callable[[], Api]) -> None:
    payment, other = paid(api), paid(api)
    claim = {"disputeKind": "MED", "claimId": "81a15e14-ff7a-4f34-9e01-57172bde7f4a"}

    def claims(of: str) -> Call:
        return lambda: caller().post(f"/simulations/payments/{of}/refund-requests", claim)

    answers = at_once(*(claims(payment) for _ in range(6)), *(claims(other) for _ in range(6)))

    assert outcomes(answers) == {CREATED: 6, (409, "ONP409_CLAIM_EXISTS"): 6}
    assert Refund.objects.get().claimed_amount == 15_000
    assert violations() == []


def test_evidence_by_itself_and_a_person_at_the_same_moment_are_one_answer(api: Api, acme: Shop) -> None:
    person = User.objects.create_user("owner@acme.example")
    for _ in range(tries(3, 30)):
        refund = claimed(api, paid(api))
        AutomaticEvidence.objects.get_or_create(merchant=acme.sandbox, defaults={"enabled_by": person})
        later(acme, hours=0.9 * 72, seconds=1)
        evidence_due.run_due()

        at_once(*[lambda: evidence_due.run_due()] * 2, lambda refund=refund: answered(api, refund, "CONTEST"))
        evidence_due.run_due()

        assert [one["answer"] for one in now(api, refund)["responses"]] == ["CONTEST"]


def test_evidence_that_is_turned_off_at_that_moment_is_not_handed_in(api: Api, acme: Shop) -> None:
    refund = claimed(api, paid(api))
    AutomaticEvidence.objects.create(merchant=acme.sandbox, enabled_by=User.objects.create_user("owner@acme.example"))
    later(acme, hours=0.9 * 72, seconds=1)
    evidence_due.run_due()

    with ThreadPoolExecutor(1) as worker:
        with transaction.atomic():
            AutomaticEvidence.objects.all().delete()
            handing_in = worker.submit(_worked)
            wait([handing_in], timeout=0.1)  # it waits until the other has said what is to be done
        handing_in.result()

    assert now(api, refund)["status"] == "AWAITING_RESPONSE"


def _worked() -> None:
    try:
        evidence_due.run_due()
    finally:
        connections.close_all()
