"""A company is moved to another cell and back while it sells: nothing is lost or doubled, and nobody else notices."""

import json
import subprocess
import sys
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from http.client import HTTPConnection, HTTPException
from typing import Any

import psycopg
import pytest

from accounts.base.ids import ulid
from tests.support.disk import cannot_be_mounted, small_disk
from tests.support.receiver import Receiver
from tests.support.service import KILLS, ROOT, Service, matching, order, subscribed
from tests.support.tally import survived

CELL = "cell_01"
MOVES = max(2, min(KILLS, 20) // 2 * 2)
"""There and back."""
SELLERS = 8
"""Backends of the company that is moved. The other one has one."""
RATE = 50
"""Payments of the company in a second, while it is moved."""
LONGEST_S = 2.0
EVENTS = ("payment.paid", "withdrawal.completed")
PAST = 60_000
"""Rows that the company has before, beside what it sells: copying them takes a while."""
UNSEEN_S = 0.5
"""So long after a payment its event is listed to whoever asks, to a company that is not moved."""
ROOM = 20 << 20
"""Less than the copies of these rows take."""
_PAST = """
    INSERT INTO gateway_apirequest (id, merchant_id, api_key_id, method, path, query, status, elapsed_ms, user_agent,
                                    is_replay, objects_named, response_body, created_at)
    SELECT %s || lpad(number::text, 8, '0'), merchant.id, (SELECT min(id) FROM accounts_apikey), 'GET', '/', '',
           200, 1, '', false, '{}', repeat(md5(number::text), 20), now()
      FROM accounts_merchant merchant, generate_series(1, %s) AS number
     WHERE merchant.company_id = %s AND merchant.environment = 'SANDBOX'
"""


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
    sold_at: dict[str, float] = field(default_factory=dict)
    unseen_s: float = 0.0
    """So long after a payment, at most, a call began that did not list its event."""
    _own: threading.local = field(default_factory=threading.local)

    def sell(self, number: int) -> None:
        made = self.ask("/api/v2/payments", order(f"{self.prefix}{number}"), 201)
        self.ask(f"/api/v2/simulations/payments/{made['id']}", {"status": "PAID"}, 200)
        self.paid.append(made["id"])
        self.sold_at[made["id"]] = time.monotonic()
        if number % 8 == 0:
            assert self.read(f"/api/v2/payments/{made['id']}")["status"] == "PAID"
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
            status, answer = self._call(method, path, body, key)
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

    def _call(self, method: str, path: str, body: Any, key: str | None) -> tuple[int, Any]:
        """On a connection that each backend keeps; status 0 when no answer came."""
        connection = getattr(self._own, "connection", None)
        if connection is None:
            connection = self._own.connection = HTTPConnection("127.0.0.1", self.service.port, timeout=15)
        headers = {"x-api-key": self.service.demo["sandboxApiKey"], "host": f"localhost:{self.service.port}"}
        headers |= {"content-type": "application/json", "idempotency-key": key} if key else {}
        try:
            connection.request(method, path, json.dumps(body) if body is not None else None, headers)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        except (OSError, HTTPException, ValueError):
            connection.close()
            return 0, {"error": {"retryable": True}, "onpayCode": "none"}

    def rate(self, since: float, until: float) -> float:
        """Payments in a second."""
        return sum(since <= at <= until for at in self.sold_at.values()) / (until - since)

    def events(self, until: threading.Event) -> list[dict[str, Any]]:
        """All of them in the order in which the list tells them, read on from the last one."""
        found: list[dict[str, Any]] = []
        after, missed_at = f"evt_{'0' * 26}", 0.0
        while True:
            is_last, asked_at = until.is_set(), time.monotonic()
            page = self.read(f"/api/v2/events?pageSize=100&after={after}")
            found += page
            for event in page:
                self.unseen_s = max(self.unseen_s, missed_at - self.sold_at.get(event["objectId"], asked_at))
            if len(page) < 100:
                missed_at = asked_at
            if page:
                after = page[-1]["id"]
            elif is_last:
                return found
            else:
                time.sleep(0.05)


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
def selling(mover: Shop, stayer: Shop) -> Iterator[None]:
    """Each with its backends, until the end."""
    over = threading.Event()

    def sell(shop: Shop, seller: int, pause_s: float) -> None:
        number = seller
        while not over.is_set():
            shop.sell(number)
            number += SELLERS
            time.sleep(pause_s)

    with ThreadPoolExecutor(SELLERS + 1) as backends:
        running = [backends.submit(sell, mover, seller, 0) for seller in range(SELLERS)]
        running.append(backends.submit(sell, stayer, 0, 0.1))
        try:
            yield
        finally:
            over.set()
        for one in running:
            one.result()


def test_a_company_sells_while_it_is_moved_and_nobody_else_notices(service: Service, shops: tuple[Shop, Shop]) -> None:
    mover, stayer = shops
    with database(service) as connection:
        connection.execute(_PAST, [f"req_{ulid()[:18]}", PAST, mover.company])
    pauses: list[str] = []
    over = threading.Event()
    with (
        subscribed(mover.service, *EVENTS) as (told_mover, _),
        subscribed(stayer.service, *EVENTS) as (told_stayer, _),
        ThreadPoolExecutor(2) as followers,
    ):
        listed = {shop.company: followers.submit(shop.events, over) for shop in shops}
        try:
            with selling(mover, stayer):
                time.sleep(2)
                began = time.monotonic()
                for number in range(MOVES):
                    said = service.manage("move_cell", mover.company, "public" if number % 2 else CELL)
                    pauses.append(said.splitlines()[-1].partition(": ")[2])
                ended = time.monotonic()
                time.sleep(1)
            for shop, told in ((mover, told_mover), (stayer, told_stayer)):
                wanted = {*shop.paid, *shop.withdrawn}
                service.until(lambda wanted=wanted, told=told: wanted <= {*_told(told)}, 60)
        finally:
            over.set()

    service.manage("verify_ledger")
    assert stayer.refused == {}
    assert mover.longest_s < LONGEST_S
    assert mover.rate(began, ended) >= RATE
    for shop, told in ((mover, told_mover), (stayer, told_stayer)):
        made, had = Counter(shop.paid), Counter(matching(shop.service, shop.prefix))
        heard = Counter(_told(told))
        survived(
            f"payments, payouts and their events, {'moved' if shop is mover else 'beside who was moved'}",
            len(shop.paid) + len(shop.withdrawn),
            faults=MOVES,
            lost=[*(made - had), *({*shop.paid, *shop.withdrawn} - {*heard})],
            doubled=[*(had - made), *(heard - Counter({*shop.paid, *shop.withdrawn}))],
            note=f"{shop.rate(began, ended):.0f} payments a second, longest 503 {shop.longest_s:.2f} s, slowest call "
            f"{shop.slowest_s:.2f} s, events unseen for {shop.unseen_s:.2f} s; refused {dict(shop.refused)}; {pauses}",
        )
        events = listed[shop.company].result()
        assert len(events) == len({event["id"] for event in events}), "an event was listed twice"
        assert sorted(one["objectId"] for one in events if one["type"] == "payment.paid") == sorted(shop.paid)
    assert stayer.unseen_s < UNSEEN_S


def _told(receiver: Receiver) -> list[str]:
    return [json.loads(one.body)["data"]["id"] for one in list(receiver.received)]


@contextmanager
def database(service: Service) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(service.admin_url, autocommit=True) as connection:
        yield connection


def a_move(service: Service, company: str, *options: str) -> subprocess.Popen[str]:
    command = [sys.executable, "manage.py", "move_cell", company, CELL, *options]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    return subprocess.Popen(command, cwd=ROOT, env=service.environment(), text=True, **pipes)  # type: ignore[call-overload]


def cell_of(service: Service, company: str) -> set[str]:
    with database(service) as connection:
        found = connection.execute(
            "SELECT coalesce(cell_id, 'public') FROM accounts_merchant WHERE company_id = %s", [company]
        )
        return {cell for (cell,) in found}


def its_rows(service: Service, company: str) -> list[int]:
    """Payments and keys in `public` and in the cell, as whoever is not in the transaction of a move sees them."""
    mine = f"merchant_id IN (SELECT id FROM public.accounts_merchant WHERE company_id = '{company}')"
    names = [
        f"{schema}.{name}" for name in ("gateway_payment", "gateway_idempotencykey") for schema in ("public", CELL)
    ]
    with database(service) as connection:
        counted = [connection.execute(f"SELECT count(*) FROM {name} WHERE {mine}").fetchone() for name in names]
    return [row[0] for row in counted if row]


def sold(shop: Shop, payments: int) -> None:
    with ThreadPoolExecutor(4) as backends:
        list(backends.map(shop.sell, range(1, payments)))


COPIES = ("LOCK TABLE cell_01.gateway_payment IN EXCLUSIVE MODE", "INSERT INTO cell_01.gateway_payment ")
ENDS = (
    "SELECT FROM public.gateway_payment WHERE id = '{payment}' FOR NO KEY UPDATE",
    "DELETE FROM public.gateway_payment ",
)
"""What holds a move up, and what it does then: it copies, or has taken the last step in which nobody may write."""


@pytest.mark.parametrize("by", ["kill -9", "a lost connection"])
def test_a_move_that_is_ended_in_the_middle_changes_nothing(
    service: Service, shops: tuple[Shop, Shop], by: str
) -> None:
    mover, stayer = shops
    sold(mover, 40)
    for number, (holds, does) in enumerate((COPIES, ENDS), 1):
        before = its_rows(service, mover.company)
        with database(service) as holder, holder.transaction(), database(service) as connection:
            holder.execute(holds.format(payment=mover.paid[0]))
            moving = a_move(service, mover.company, "--settles=0", "--longest-pause=60")
            pid = service.until(partial(_waiting, connection, does), 60)
            if by == "kill -9":
                moving.kill()
                connection.execute("SELECT pg_cancel_backend(%s)", [pid])  # it notices only when it does not wait
            else:
                connection.execute("SELECT pg_terminate_backend(%s)", [pid])
            said, _ = moving.communicate(timeout=60)
            service.until(lambda connection=connection, does=does: not _waiting(connection, does), 30)
        assert " moved from " not in said and moving.returncode != 0
        assert cell_of(service, mover.company) == {"public"}
        assert its_rows(service, mover.company) == before
        mover.sell(1000 + number)
        stayer.sell(number)
    assert stayer.refused == {}
    payments, _, keys, _ = its_rows(service, mover.company)
    assert " moved from public to " in service.manage("move_cell", mover.company, CELL)
    assert its_rows(service, mover.company) == [0, payments, 0, keys]
    service.manage("verify_ledger")


def _waiting(connection: psycopg.Connection[Any], does: str) -> int | None:
    """The session that waits for a lock while it does this."""
    found = connection.execute(
        "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND strpos(query, %s) > 0", [does]
    ).fetchone()
    return int(found[0]) if found else None


def test_of_two_moves_at_once_one_is_done_and_nothing_is_torn(service: Service, shops: tuple[Shop, Shop]) -> None:
    for shop in shops:
        sold(shop, 30)
    for number, companies in enumerate(([shops[0].company] * 2, [shop.company for shop in shops])):
        said = [one.communicate(timeout=120)[0] for one in [a_move(service, company) for company in companies]]
        done, refused = sorted(said, key=lambda one: " moved from " not in one)
        assert " moved from public to " in done
        assert any(why in refused for why in ("Another move is going on", "already")), refused
        for shop in shops:
            (lives,) = cell_of(service, shop.company)
            rows = its_rows(service, shop.company)
            assert [count > 0 for count in rows] == [lives == "public", lives == CELL] * 2
            shop.sell(999 + number)
            if lives == CELL:
                service.manage("move_cell", shop.company, "public")
    service.manage("verify_ledger")


def test_a_move_that_somebody_holds_up_is_given_up_and_tells_so(service: Service, shops: tuple[Shop, Shop]) -> None:
    mover, stayer = shops
    sold(mover, 20)
    with database(service) as connection, connection.transaction():
        connection.execute("SELECT FROM gateway_payment WHERE id = %s FOR NO KEY UPDATE", [mover.paid[0]])
        moving = a_move(service, mover.company, "--settles=0", "--longest-pause=0.5")
        said, _ = moving.communicate(timeout=120)
        stayer.sell(1)
        mover.sell(1000)
    assert moving.returncode == 1 and "Nothing was changed" in said, said
    assert cell_of(service, mover.company) == {"public"}
    assert stayer.refused == {}
    service.manage("move_cell", mover.company, CELL)
    service.manage("verify_ledger")


def test_a_move_for_which_the_disk_has_no_room_changes_nothing(service: Service, shops: tuple[Shop, Shop]) -> None:
    if reason := cannot_be_mounted():
        pytest.skip(reason)
    mover, stayer = shops
    sold(mover, 20)
    with database(service) as connection:
        connection.execute(_PAST, [f"req_{ulid()[:18]}", PAST, mover.company])
    with small_disk(service) as disk:
        before = its_rows(service, mover.company)
        with disk.full(but_for=ROOM):
            said, _ = a_move(service, mover.company, "--settles=0").communicate(timeout=180)
        assert " moved from " not in said
        service.until(service.is_well, 60)
        assert cell_of(service, mover.company) == {"public"}
        assert its_rows(service, mover.company) == before
        mover.sell(1000)
        stayer.sell(1)
        payments, _, keys, _ = its_rows(service, mover.company)
        assert " moved from public to " in service.manage("move_cell", mover.company, CELL)
        assert its_rows(service, mover.company) == [0, payments, 0, keys]
        mover.sell(1001)
        assert Counter(mover.paid) == Counter(matching(mover.service, mover.prefix))
        service.manage("verify_ledger")
    assert "No space left on device" in (service.home / "postgres.log").read_text()
