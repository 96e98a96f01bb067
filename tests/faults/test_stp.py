"""A process is killed at each step of an order to STP and of a deposit: no money is sent, taken or booked twice."""

import os
import signal
from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import product
from multiprocessing import get_context
from typing import Any

import pytest
from django.db import connection, connections
from django.db.models import F

from accounts.models import Merchant
from gateway.methods.spei.clabe import clabe
from gateway.payments import due as payments_due
from gateway.payments.models import Payment
from gateway.providers.models import ProviderAccount
from gateway.withdrawals import due
from gateway.withdrawals.models import Withdrawal
from ledger.books.models import Transfer
from ledger.verify import verify
from tests.support import withdrawals as w
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.production import TIMES, live
from tests.support.providers import connected, paid_out_by
from tests.support.service import KILLS
from tests.support.stp.books import deposit_message
from tests.support.stp.service import ARRIVES, IS_ANSWERED, IS_DONE, Stp, open_stp
from tests.support.stp.telling import create, tell

pytestmark = pytest.mark.django_db(transaction=True)

POINTS, ROUNDS = (ARRIVES, IS_DONE, IS_ANSWERED), max(1, min(KILLS // 20, 50))
BENEFICIARY = clabe(bank="072", city="691", account=449_571_149)
HOUR, LEASED = timedelta(hours=1), ("ask_at", "leased_until")


@pytest.fixture
def nothing_is_wrong_afterwards() -> None:
    """The whole service is not needed here."""


@pytest.fixture
def stp() -> Iterator[Stp]:
    with open_stp() as stp:
        yield stp


@pytest.fixture
def account(acme: Shop, stp: Stp) -> ProviderAccount:
    live(acme)
    account = connected("stp", stp.credentials(), "SPEI", currency="MXN")
    paid_out_by(account, rail="SPEI", currency="MXN")
    return account


def killed(stp: Stp, point: str, path: str, work: Callable[[], object]) -> None:
    """Does the work in a process of its own, which dies when its call of the path is at the point."""
    process = get_context("fork").Process(target=work)

    def kill(now: str, called: str) -> None:
        if (now, called) == (point, path) and process.pid:
            os.kill(process.pid, signal.SIGKILL)

    connections.close_all()
    connection.close_pool()  # a connection must not be shared with the process
    stp.on_call = kill
    process.start()
    process.join(30)
    stp.on_call = lambda now, called: None
    assert process.exitcode == -signal.SIGKILL or (point == IS_ANSWERED and process.exitcode == 0)
    assert path in stp.calls[-1]


def withdrawn(shop: Shop, address: str, number: str) -> Withdrawal:
    asked = {"clabe": BENEFICIARY, "beneficiaryName": "José Núñez", "amount": 10, "currency": "MXN"}
    api = Api(shop.production_key, address)
    answer = api.post("/withdrawals/spei", asked | {"companyId": shop.company.pk, "reference": number})
    assert answer.status_code == 201, answer.json()
    return Withdrawal.objects.get(reference=number)


def hour_by_hour(stp: Stp, withdrawal: Withdrawal) -> None:
    """The sweeps go on until it is completed."""
    for _ in range(6):
        rows = Withdrawal.objects.filter(pk=withdrawal.pk)
        rows.update(sent_at=F("sent_at") - HOUR, **{name: F(name) - HOUR for name in TIMES if name != "expires_at"})
        due.run_due()
        stp.books.settle()
        withdrawal.refresh_from_db()
        if withdrawal.status == "COMPLETED":
            return
    raise AssertionError(withdrawal.status)


def booked(of: str, kind: str) -> int:
    return Transfer.objects.filter(reference=of, kind=kind).count()


def test_an_order_is_sent_once_wherever_its_process_dies(
    acme: Shop, account: ProviderAccount, stp: Stp, address: str
) -> None:
    w.register(acme, address)
    Merchant.objects.filter(pk=acme.production.pk).update(withdrawal_enabled=True)
    _, paid_to = create(acme, amount=90_000.00, reference="pays-in")
    tell(account, deposit_message(stp.books.deposit(paid_to, "90000.00")))
    keys = []

    for number, point in product(range(ROUNDS), POINTS):
        withdrawal = withdrawn(acme, address, f"w-{number}-{point}")
        keys.append(withdrawal.pk.replace("wdr_", "WDR"))
        killed(stp, point, "/registra", due.run_due)
        Withdrawal.objects.filter(pk=withdrawal.pk).update(**{name: F(name) - HOUR for name in LEASED})
        killed(stp, point, "/consOrdEnvRastreo", due.run_due)
        hour_by_hour(stp, withdrawal)
        assert booked(withdrawal.pk, "withdrawal.completed") == 1

    assert [one["claveRastreo"] for one in stp.books.sent] == keys
    assert verify() == []


def test_a_deposit_is_taken_once_wherever_its_process_dies(acme: Shop, account: ProviderAccount, stp: Stp) -> None:
    for number, point in product(range(ROUNDS), POINTS):
        payment, paid_to = create(acme, reference=f"order-{number}-{point}")
        told: dict[str, Any] = deposit_message(stp.books.deposit(paid_to, "150.00"))
        killed(stp, point, "/consOrdenesFech", lambda told=told: tell(account, told))
        tell(account, told)  # STP repeats what was not answered
        Payment.objects.filter(pk=payment.pk).update(**{name: F(name) - HOUR for name in LEASED})
        payments_due.run_due()
        payment.refresh_from_db()
        assert (payment.status, booked(payment.pk, "payment.paid")) == ("PAID", 1)

    assert verify() == []
