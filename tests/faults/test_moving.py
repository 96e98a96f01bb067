"""A company is moved to another cell and back while it sells: nothing is lost or doubled, and nobody else notices."""

import json
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from tests.support.receiver import Receiver
from tests.support.service import KILLS, Service, matching, order, subscribed
from tests.support.tally import survived

CELL = "cell_01"
MOVES = max(2, min(KILLS, 20) // 2 * 2)
"""There and back."""
SELLERS = 3
LONGEST_S = 2.0
EVENTS = ("payment.paid", "withdrawal.completed")


@dataclass
class Shop:
    """A company that sells, and what it was answered."""

    service: Service
    company: str
    prefix: str = field(default_factory=lambda: f"move-{uuid.uuid4().hex[:8]}-")
    paid: list[str] = field(default_factory=list)
    withdrawn: list[str] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    longest_s: float = 0.0
    """From a refusal that can be repeated until the same call is answered."""
    slowest_s: float = 0.0

    def sell(self, number: int) -> None:
        made = self.ask("/api/v2/payments", order(f"{self.prefix}{number}"), 201)
        self.ask(f"/api/v2/simulations/payments/{made['id']}", {"status": "PAID"}, 200)
        self.paid.append(made["id"])
        assert self.read(f"/api/v2/payments/{made['id']}")["status"] == "PAID"
        if number % 4 == 0:
            self.withdrawn.append(self.ask("/api/v2/withdrawals/pix", self._payout(number), 201)["id"])

    def _payout(self, number: int) -> dict[str, Any]:
        to = {"pixKey": "financeiro@lojaexemplo.com.br", "pixKeyType": "EMAIL"}
        return to | {
            "companyId": self.company,
            "amount": 5.00,
            "currency": "BRL",
            "reference": f"{self.prefix}{number}",
        }

    def ask(self, path: str, body: dict[str, Any], expected: int) -> Any:
        return self._insisted("POST", path, body, str(uuid.uuid4()), expected)

    def read(self, path: str) -> Any:
        return self._insisted("GET", path, None, None, 200)

    def _insisted(self, method: str, path: str, body: Any, key: str | None, expected: int) -> Any:
        began, refused_at = time.monotonic(), None
        while True:
            status, answer = self.service.call(method, path, body, key)
            now = time.monotonic()
            if status == expected:
                break
            assert answer.get("error", {}).get("retryable"), (method, path, status, answer)
            self.refused[f"{status} {answer['onpayCode']}"] += 1
            refused_at = refused_at or now
            assert now < began + 30, (method, path, status, answer)
            time.sleep(0.05)
        self.slowest_s = max(self.slowest_s, now - began)
        self.longest_s = max(self.longest_s, now - (refused_at or now))
        return answer["data"]

    def events(self, until: threading.Event) -> list[dict[str, Any]]:
        """All of them in the order in which the list tells them, read on from the last one."""
        found: list[dict[str, Any]] = []
        after = f"evt_{'0' * 26}"
        while True:
            is_last = until.is_set()
            page = self.read(f"/api/v2/events?pageSize=100&after={after}")
            found += page
            if page:
                after = page[-1]["id"]
            elif is_last:
                return found
            time.sleep(0.2)


@pytest.fixture
def shops(service: Service) -> tuple[Shop, Shop]:
    """One that is moved, and one that is not."""
    known = service.manage("shell", "-v", "0", "-c", "from accounts.models import Cell; print(Cell.objects.all())")
    if CELL not in known:
        service.manage("add_cell", CELL)
    service.manage("shell", "-v", "0", "-c", "from accounts.models import Cell; Cell.objects.update(is_open=False)")
    return _a_shop(service, "Mover"), _a_shop(service, "Stayer")


def _a_shop(service: Service, name: str) -> Shop:
    made = json.loads(service.manage("provision", "--company", name, "--withdrawal-ip", "127.0.0.1", "--json"))
    service.manage(
        "shell",
        "-v",
        "0",
        "-c",
        f"from accounts.models import Merchant; "
        f"Merchant.objects.filter(company_id='{made['companyId']}').update(withdrawal_enabled=True)",
    )
    return Shop(replace(service, demo={"sandboxApiKey": made["sandboxApiKey"]}), made["companyId"])


@contextmanager
def selling(*shops: Shop) -> Iterator[None]:
    """Each with several backends, until the end."""
    over = threading.Event()

    def sell(shop: Shop, seller: int) -> None:
        number = seller
        while not over.is_set():
            shop.sell(number)
            number += SELLERS

    with ThreadPoolExecutor(SELLERS * len(shops)) as backends:
        running = [backends.submit(sell, shop, seller) for shop in shops for seller in range(SELLERS)]
        try:
            yield
        finally:
            over.set()
        for one in running:
            one.result()


def test_a_company_sells_while_it_is_moved_and_nobody_else_notices(service: Service, shops: tuple[Shop, Shop]) -> None:
    mover, stayer = shops
    pauses: list[str] = []
    over = threading.Event()
    with (
        subscribed(mover.service, *EVENTS) as (told_mover, _),
        subscribed(stayer.service, *EVENTS) as (told_stayer, _),
        ThreadPoolExecutor(1) as reader,
    ):
        listed = reader.submit(mover.events, over)
        try:
            with selling(mover, stayer):
                time.sleep(2)
                for number in range(MOVES):
                    said = service.manage("move_cell", mover.company, "public" if number % 2 else CELL)
                    pauses.append(said.splitlines()[-1])
                time.sleep(1)
            for shop, told in ((mover, told_mover), (stayer, told_stayer)):
                wanted = {*shop.paid, *shop.withdrawn}
                service.until(lambda wanted=wanted, told=told: wanted <= {*_told(told)}, 60)
        finally:
            over.set()
        events = listed.result()

    service.manage("verify_ledger")
    assert stayer.refused == {}
    assert mover.longest_s < LONGEST_S
    order_of = [event["id"] for event in events]
    for shop, told in ((mover, told_mover), (stayer, told_stayer)):
        made, had = Counter(shop.paid), Counter(matching(shop.service, shop.prefix))
        heard = Counter(_told(told))
        survived(
            f"payments, payouts and their events, {'moved' if shop is mover else 'beside who was moved'}",
            len(shop.paid) + len(shop.withdrawn),
            faults=MOVES,
            lost=[*(made - had), *({*shop.paid, *shop.withdrawn} - {*heard})],
            doubled=[*(had - made), *(heard - Counter({*shop.paid, *shop.withdrawn}))],
            note=f"longest 503 {shop.longest_s:.2f} s, slowest call {shop.slowest_s:.2f} s; {pauses}",
        )
    assert len(order_of) == len({*order_of}), "an event was listed twice"
    listed_paid = [event["objectId"] for event in events if event["type"] == "payment.paid"]
    assert sorted(listed_paid) == sorted(mover.paid)


def _told(receiver: Receiver) -> list[str]:
    return [json.loads(one.body)["data"]["id"] for one in list(receiver.received)]
