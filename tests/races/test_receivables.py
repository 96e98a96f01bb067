"""Release, request, approval and refusal of the same money at once: it becomes available once, whoever wins."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection, connections
from django.db.models import Sum

from accounts.base.errors import Refusal
from accounts.models import Merchant, User
from ledger.models import Advance, Receivable, Transfer
from ledger.receivables import advances
from ledger.receivables import due as receivables_due
from ledger.receivables.errors import AdvanceState, ReceivableState
from ledger.verify import all_invariants, verify
from tests.support.companies import Shop
from tests.support.effort import tries
from tests.support.receivables import a_receivable, book, stand_at
from webhooks.models import Event

pytestmark = pytest.mark.django_db(transaction=True)

ROUNDS = tries(30, 1000)
ASKERS = 5
AFTER_EACH = ("I1", "I6", "I18")
AFTER_SOME = 50
HESITATION_S = 0.005
MOMENT, MOMENTS = timedelta(milliseconds=2), 7
"""Before the day: some of a round happens before it, some after."""

Call = Callable[[], object]


class Crowd:
    """Threads that keep their connections, and begin together."""

    def __init__(self) -> None:
        self.threads = ThreadPoolExecutor(ASKERS)
        self.start = threading.Barrier(ASKERS, timeout=20)

    def at_once(self, calls: list[Call]) -> list[object]:
        """What each returned, or the refusal that it got. Any other error is one."""
        assert len(calls) == ASKERS

        def one(call: Call) -> object:
            self.start.wait()
            try:
                return call()
            except Refusal as refusal:
                return type(refusal)

        return list(self.threads.map(one, calls))


@pytest.fixture
def crowd(transactional_db: None) -> Iterator[Crowd]:
    crowd = Crowd()
    yield crowd
    crowd.at_once([connections.close_all] * ASKERS)
    crowd.threads.shutdown()


def broken(numbers: tuple[str, ...]) -> list[object]:
    """Counterexamples of these invariants."""
    found: list[object] = []
    with connection.cursor() as cursor:
        for known in all_invariants():
            if known.number in numbers:
                for query in known.queries:
                    cursor.execute(query.on())
                    found += [(known.number, row) for row in cursor.fetchall()]
    return found


def round_of(merchant: Merchant, crowd: Crowd, owner: User, staff: User, number: int) -> Counter[str]:
    """One reserved receivable and one free one around their day; who got what they asked for."""
    reserved, free = (a_receivable(merchant, method="DEBIT_CARD") for _ in range(2))
    asked = advances.request(merchant, [reserved.id], owner)
    stand_at(merchant, free.release_at - MOMENT * (number % MOMENTS))
    second: Call = receivables_due.run_due
    if number % 2:
        second = lambda: advances.request(merchant, [free.id], owner)  # noqa: E731

    def both() -> Advance:
        time.sleep(HESITATION_S * (number % 3))  # else the refusal that it needs is never there yet
        return advances.request(merchant, [reserved.id, free.id], owner)

    answers = crowd.at_once(
        [
            lambda: advances.approve(asked.id, staff),
            lambda: advances.refuse(asked.id, staff),
            both,
            second,
            receivables_due.run_due,
        ]
    )

    assert Counter(answer is AdvanceState for answer in answers[:2]) == {True: 1, False: 1}
    assert all(isinstance(answer, Advance | int) or answer is ReceivableState for answer in answers[2:])
    names = ("approved", "refused", "both", "alone", "released")
    got = Counter(name for name, answer in zip(names, answers, strict=True) if isinstance(answer, Advance))
    got["released"] += sum(answer for answer in answers if isinstance(answer, int))
    return got


def test_whoever_wins_the_money_moves_once(acme: Shop, crowd: Crowd) -> None:
    merchant = acme.sandbox
    owner, staff = (User.objects.create_user(f"{name}@onpay.example", "a long password") for name in ("owner", "ana"))
    got: Counter[str] = Counter()
    for number in range(ROUNDS):
        got += round_of(merchant, crowd, owner, staff, number)
        assert broken(AFTER_EACH) == [], number
        if number % AFTER_SOME == 0:
            assert verify() == [], number
    print(f"{ROUNDS} rounds: {dict(got)}")

    for left in Advance.objects.filter(state=Advance.State.UNDER_REVIEW):
        advances.refuse(left.id, staff)
    receivables_due.run_due()
    states = Counter(Receivable.objects.values_list("state", flat=True))
    assert set(states) <= {"ADVANCED", "RELEASED"}
    assert states.total() == 2 * ROUNDS
    assert Transfer.objects.filter(kind__startswith="receivable.").count() == 2 * ROUNDS
    assert Event.objects.filter(type__startswith="advance.").count() == Advance.objects.count()
    held = book(merchant)
    net = Receivable.objects.aggregate(net=Sum("amount"))["net"]
    assert "RELEASING BRL" not in held
    assert held["AVAILABLE BRL"] + held.get("ADVANCE_INCOME BRL", 0) == net


def test_two_workers_at_once_release_everything_exactly_once(acme: Shop, globex: Shop, crowd: Crowd) -> None:
    made = [
        a_receivable(shop.sandbox, "10.00", currency)
        for _ in range(15)
        for shop in (acme, globex)
        for currency in ("BRL", "EUR")
    ]
    for shop in (acme, globex):
        stand_at(shop.sandbox, made[-1].release_at)

    def worker() -> int:
        return receivables_due.run_due(limit=4)

    counts = crowd.at_once([worker, worker, int, int, int])

    assert sum(int(str(count)) for count in counts) == len(made) == 60
    assert set(Receivable.objects.values_list("state", flat=True)) == {"RELEASED"}
    assert Transfer.objects.filter(kind="receivable.released").count() == 60
    for shop in (acme, globex):
        held = book(shop.sandbox)
        assert (held["AVAILABLE BRL"], held["AVAILABLE EUR"], "RELEASING BRL" in held) == (15 * 960, 15 * 960, False)
