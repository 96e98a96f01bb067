"""Withdrawals against each other, against their own end and against whoever changes the settings they pass by."""

import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from django.db import connections, transaction
from django.http import HttpResponse
from django.urls import reverse

from accounts.models import Company, Merchant
from gateway.withdrawals import due as withdrawals_due
from gateway.withdrawals import services as withdrawals
from gateway.withdrawals.approvals.identities import Requester
from gateway.withdrawals.gates import WithdrawalDraft
from gateway.withdrawals.models import Withdrawal
from ledger.books.models import Transfer
from ledger.verify import verify
from tests.support.api import Api
from tests.support.cards import book
from tests.support.companies import Shop
from tests.support.conversions import later
from tests.support.forms import form_in
from tests.support.payments import a_payment
from tests.support.people import a_person, signed_in_twice
from tests.support.threads import at_once
from tests.support.withdrawals import ask, decide, kinds, looked_up, register, withdrawn

pytestmark = pytest.mark.django_db(transaction=True)

CREATED, TOO_LITTLE = (201, "ONP201"), (422, "ONP422_INSUFFICIENT_BALANCE")
OTHER_ADDRESS, STATE = (403, "ONP403_IP"), (409, "ONP409_WITHDRAWAL_STATE")
FUNDED = 990_099
"""What is left of ten thousand reais over PIX."""


@pytest.fixture
def caller(transactional_db: None, acme: Shop, address: str) -> Callable[[], Api]:
    """Another process of the backend of acme, which has 9900.99 reais, at each call."""
    register(acme, address)
    a_payment(acme.sandbox, "PAID", "10000.00")
    return lambda: Api(acme.sandbox_key, address)


def outcomes(answers: list[HttpResponse]) -> Counter[tuple[int, str]]:
    return Counter((answer.status_code, answer.json()["onpayCode"]) for answer in answers)


def withdrawing(caller: Callable[[], Api], shop: Shop, amount: float) -> Callable[[], HttpResponse]:
    return lambda: ask(caller(), shop, amount=amount)


def violations() -> list[str]:
    return [str(violation) for violation in verify()]


def test_sixty_four_withdrawals_share_a_balance_that_is_enough_for_some(acme: Shop, caller: Callable[[], Api]) -> None:
    total_debited = int(withdrawn(caller(), acme, amount=500)["totalDebited"] * 100)
    enough_for = FUNDED // total_debited - 1

    answers = at_once(*[withdrawing(caller, acme, 500)] * 64)

    assert outcomes(answers) == {CREATED: enough_for, TOO_LITTLE: 64 - enough_for}
    held = book(acme)
    assert held["BLOCKED PIX BRL"] == (enough_for + 1) * total_debited
    assert held["AVAILABLE PIX BRL"] == FUNDED - held["BLOCKED PIX BRL"] < total_debited
    assert Withdrawal.objects.count() == enough_for + 1
    assert Transfer.objects.filter(kind="withdrawal.held").count() == enough_for + 1
    assert violations() == []


def test_amounts_of_every_size_never_take_more_than_there_is(acme: Shop, caller: Callable[[], Api]) -> None:
    sizes = [7000, 3000, 2000, 1000, 500, 250, 125, 60] * 3

    answers = at_once(*[withdrawing(caller, acme, size) for size in sizes])

    assert set(outcomes(answers)) == {CREATED, TOO_LITTLE}
    accepted = [answer.json()["data"]["totalDebited"] for answer in answers if answer.status_code == 201]
    held = book(acme)
    assert held["BLOCKED PIX BRL"] == round(sum(accepted) * 100) <= FUNDED
    assert held.get("AVAILABLE PIX BRL", 0) + held["BLOCKED PIX BRL"] == FUNDED


def test_one_reference_is_one_withdrawal(acme: Shop, caller: Callable[[], Api]) -> None:
    answers = at_once(*[lambda: ask(caller(), acme, amount=10, reference="wd-one")] * 12)

    assert outcomes(answers) == {CREATED: 1, (409, "ONP409_DUPLICATE_REFERENCE"): 11}
    assert Withdrawal.objects.count() == 1


# ── How one ends ──────────────────────────────────────────────────────────────────────────────────────────────────
def test_completed_and_failed_at_once_are_one_outcome_and_one_posting(acme: Shop, caller: Callable[[], Api]) -> None:
    for number in range(2):
        made = withdrawn(caller(), acme, amount=904)

        ends = ("COMPLETED", "FAILED") * 4
        answers = at_once(*[lambda made=made, end=end: decide(caller(), made, end) for end in ends])

        assert outcomes(answers) == {(200, "ONP200"): 1, STATE: 7}
        status = looked_up(caller(), made)["status"]
        [posted] = Transfer.objects.filter(reference=made["id"]).exclude(kind="withdrawal.held")
        assert posted.kind == f"withdrawal.{status.lower()}"
        assert (len(kinds(acme)), kinds(acme)[-1]) == (number + 1, posted.kind)
        assert "BLOCKED PIX BRL" not in book(acme)
    assert violations() == []


def test_a_completed_one_is_returned_once(acme: Shop, caller: Callable[[], Api]) -> None:
    made = withdrawn(caller(), acme, amount=904)
    decide(caller(), made, "COMPLETED")
    before = book(acme)["AVAILABLE PIX BRL"]

    answers = at_once(*[lambda: decide(caller(), made, "RETURNED")] * 8)

    assert outcomes(answers) == {(200, "ONP200"): 1, STATE: 7}
    assert book(acme)["AVAILABLE PIX BRL"] == before + 90_400
    assert kinds(acme) == ["withdrawal.completed", "withdrawal.returned"]


# ── Workers ───────────────────────────────────────────────────────────────────────────────────────────────────────
def sweeping() -> bool:
    return bool(withdrawals_due.run_due(limit=1))


def workers(act: Callable[[], object]) -> list[object]:
    """What eight of them return, who begin together."""
    start = threading.Barrier(8, timeout=20)

    def one(_: int) -> object:
        try:
            start.wait()
            return act()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as threads:
        return list(threads.map(one, range(8)))


def test_eight_workers_who_pursue_one_withdrawal_send_it_once(acme: Shop, caller: Callable[[], Api]) -> None:
    made = withdrawn(caller(), acme, amount=100)

    spoke = workers(sweeping)

    assert Counter(spoke) == {True: 1, False: 7}
    row = Withdrawal.objects.get(pk=made["id"])
    assert (row.sent_times, row.asked_times, row.status) == (1, 0, "PROCESSING")
    later(acme, seconds=5)
    assert Counter(workers(sweeping)) == {True: 1, False: 7}
    row.refresh_from_db()
    assert (row.sent_times, row.asked_times, row.status) == (1, 1, "COMPLETED")
    assert kinds(acme) == ["withdrawal.completed"]
    assert Transfer.objects.filter(reference=made["id"]).count() == 2


def test_eight_workers_who_look_for_work_end_each_withdrawal_once(acme: Shop, caller: Callable[[], Api]) -> None:
    made = [withdrawn(caller(), acme, amount=100)["id"] for _ in range(6)]

    workers(withdrawals_due.run_due)
    assert set(Withdrawal.objects.values_list("sent_times", "status")) == {(1, "PROCESSING")}
    later(acme, seconds=5)
    workers(withdrawals_due.run_due)

    assert set(Withdrawal.objects.values_list("sent_times", "status")) == {(1, "COMPLETED")}
    assert kinds(acme) == ["withdrawal.completed"] * len(made)
    assert Transfer.objects.filter(kind="withdrawal.completed").count() == len(made)


def test_an_end_by_hand_and_one_by_a_worker_are_one(acme: Shop, caller: Callable[[], Api]) -> None:
    made = withdrawn(caller(), acme, amount=100)
    sweeping()
    later(acme, seconds=5)

    def work() -> HttpResponse:
        sweeping()
        return HttpResponse("{}")

    at_once(*[lambda: decide(caller(), made, "FAILED"), work] * 4)

    status = looked_up(caller(), made)["status"]
    assert kinds(acme) == [f"withdrawal.{status.lower()}"]
    assert Transfer.objects.filter(reference=made["id"]).count() == 2


# ── Settings that change meanwhile ────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("change", "refused"),
    [
        (lambda shop: register(shop, "203.0.113.9"), OTHER_ADDRESS),
        (lambda shop: register(shop, None), OTHER_ADDRESS),
        (
            lambda shop: Company.objects.filter(pk=shop.company.pk).update(status="SUSPENDED"),
            (403, "ONP403_COMPANY_STATUS"),
        ),
        (
            lambda shop: Merchant.objects.filter(pk=shop.sandbox.pk).update(withdrawal_enabled=False),
            (403, "ONP403_WITHDRAWAL_DISABLED"),
        ),
    ],
    ids=["another address", "no address", "suspended", "disabled"],
)
def test_none_is_accepted_after_a_change_of_the_settings_committed(
    acme: Shop, caller: Callable[[], Api], change: Callable[[Shop], object], refused: tuple[int, str]
) -> None:
    asked = threading.Semaphore(0)
    is_over = threading.Event()
    seen = []

    def ask_on() -> list[HttpResponse]:
        answers = []
        try:
            while not is_over.is_set():
                answers.append(ask(caller(), acme, amount=1))
                asked.release()
            answers.append(ask(caller(), acme, amount=1))
        finally:
            connections.close_all()
        return answers

    with ThreadPoolExecutor(4) as threads:
        running = [threads.submit(ask_on) for _ in range(4)]
        for _ in range(12):
            assert asked.acquire(timeout=10)
        with transaction.atomic():
            change(acme)
            seen.append(Withdrawal.objects.count())  # whoever passed the gates before had to commit before
            threading.Event().wait(0.1)
        seen.append(Withdrawal.objects.count())
        for _ in range(8):
            assert asked.acquire(timeout=10)
        is_over.set()
        answers = [answer for one in running for answer in one.result()]

    assert set(outcomes(answers)) == {CREATED, refused}
    assert [*seen, outcomes(answers)[CREATED]] == [Withdrawal.objects.count()] * 3
    assert violations() == []


def test_staff_switch_withdrawals_off_while_one_commits(acme: Shop, caller: Callable[[], Api], settings: Any) -> None:
    """The commit looks at the merchant whom the page is about to change: neither waits for the other for ever."""
    settings.STORAGES = settings.STORAGES | {
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    }
    staff = signed_in_twice(a_person("root@onpay.example", is_staff=True, is_superuser=True))
    page = reverse("admin:accounts_merchant_change", args=[acme.sandbox.pk])
    form = form_in(staff.get(page).content)
    del form["withdrawal_enabled"]
    accepted, finished = threading.Event(), threading.Event()

    def withdraw() -> None:
        try:
            with transaction.atomic():
                withdrawals.create(acme.sandbox, a_wish(acme))
                accepted.set()
                finished.wait(0.5)
        finally:
            connections.close_all()

    def switch_off() -> int:
        try:
            accepted.wait(5)
            return staff.post(page, form).status_code
        finally:
            finished.set()
            connections.close_all()

    with ThreadPoolExecutor(2) as threads:
        withdrawing_now, switching = threads.submit(withdraw), threads.submit(switch_off)
        withdrawing_now.result(10)
        assert switching.result(10) == 302

    acme.sandbox.refresh_from_db()
    assert (acme.sandbox.withdrawal_enabled, Withdrawal.objects.count()) == (False, 1)


def a_wish(shop: Shop) -> WithdrawalDraft:
    destination = {"pixKey": "maria@example.com", "pixKeyType": "EMAIL"}
    wish = WithdrawalDraft(shop.company.id, "PIX", Decimal(10), "BRL", "BRL", "w-1", destination, Requester())
    return replace(wish, is_from_backend=False)
