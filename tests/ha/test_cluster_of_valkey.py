"""Limits and cache on a cluster of Valkey, whose masters are killed, stand still, or give away what they have."""

import json
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from environ import Env
from pytest_django import Settings
from redis import RedisError
from redis.crc import key_slot

from gateway.api import throttling
from gateway.database import addresses
from gateway.valkey import WAITS_S, ClusterCache
from tests.ha.cluster import KILLS
from tests.ha.cluster_of_valkey import PASSWORD, ClusterOfValkey, Node
from tests.support.servers import where_is

LIMIT = 20
TIMES = max(1, KILLS // 10)
BUSY_S = 1.0
"""What a busy machine may add to a wait."""
_numbers = count()
HITS = f"""
import json, sys
from concurrent.futures import ThreadPoolExecutor
from gateway.api import throttling
asked = json.loads(sys.stdin.readline())
with ThreadPoolExecutor(4) as threads:
    said = threads.map(lambda who: throttling.hit("payments", who).admitted, asked * {LIMIT})
    print(json.dumps([*said]))
"""


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClusterOfValkey]:
    if where_is("redis-server") is None:
        reason = "apt-get install redis-server"
        pytest.fail(reason) if os.environ.get("CI") == "true" else pytest.skip(reason)
    found = ClusterOfValkey(tmp_path_factory.mktemp("cluster"))
    try:
        found.start()
        yield found
    finally:
        found.stop()


@pytest.fixture
def valkey(running: ClusterOfValkey, settings: Settings) -> Iterator[ClusterOfValkey]:
    """All is well before and after each fault."""
    settings.CACHE_URL = f"{address(running)}?client_name=another-{next(_numbers)}"  # each test has a client of its own
    settings.RATE_LIMITS = settings.RATE_LIMITS | {"payments": LIMIT}
    yield running
    running.until(running.is_whole)


def address(valkey: ClusterOfValkey, password: str = PASSWORD) -> str:
    class Given(Env):
        ENVIRON = {"ONPAY_CACHE_URL": valkey.address, "ONPAY_VALKEY_PASSWORD": password}

    return addresses.of_valkey(Given(), "ONPAY_CACHE_URL", "")


def somebody(node: Node | None = None, valkey: ClusterOfValkey | None = None) -> str:
    """Who has not called yet; optionally one whose window is on this master."""
    names = (f"somebody-{number}" for number in _numbers)
    return next(who for who in names if valkey is None or valkey.master_of(window(who)) is node)


def window(who: str) -> str:
    return f"onpay:limit:payments:{who}"


def admitted(who: str, calls: int) -> int:
    return sum(throttling.hit("payments", who).admitted for _ in range(calls))


def slowest(who: str, threads: int, calls: int) -> tuple[float, int]:
    """The longest that one of these calls took, and how many were admitted."""
    took: list[float] = []
    let_in: list[bool] = []

    def call() -> None:
        for _ in range(calls):
            began = time.monotonic()
            let_in.append(throttling.hit("payments", who).admitted)
            took.append(time.monotonic() - began)

    together = [threading.Thread(target=call) for _ in range(threads)]
    for one in together:
        one.start()
    for one in together:
        one.join()
    return max(took), sum(let_in)


def test_a_window_is_exact_over_two_processes(valkey: ClusterOfValkey) -> None:
    people = [somebody(node, valkey) for node in valkey.masters for _ in range(3)]
    env = os.environ | {
        "ONPAY_CACHE_URL": valkey.address,
        "ONPAY_VALKEY_PASSWORD": PASSWORD,
        "ONPAY_RATE_LIMIT_PAYMENTS": str(LIMIT),
        "DJANGO_SETTINGS_MODULE": "gateway.settings",
    }
    both = [
        subprocess.Popen(
            [sys.executable, "-c", HITS], env=env, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        for _ in range(2)
    ]
    for one in both:
        assert one.stdin
        one.stdin.write(f"{json.dumps(people)}\n")
        one.stdin.close()
    let_in: Counter[str] = Counter()
    for one in both:
        assert one.stdout
        said = json.loads(one.stdout.read())
        assert len(said) == LIMIT * len(people)
        let_in.update(who for who, is_admitted in zip(people * LIMIT, said, strict=True) if is_admitted)
        assert one.wait(30) == 0

    assert let_in == dict.fromkeys(people, LIMIT)


def test_a_window_is_exact_while_its_slot_moves_to_another_master(valkey: ClusterOfValkey) -> None:
    here, there = valkey.masters[1:]
    who = somebody(here, valkey)
    slot = key_slot(window(who).encode())
    ended, let_in = threading.Event(), [0, 0]

    def call(number: int) -> None:
        while not ended.is_set():
            let_in[number] += admitted(who, 1)

    calling = [threading.Thread(target=call, args=(number,)) for number in range(len(let_in))]
    for one in calling:
        one.start()
    try:
        for giving, taking in ((here, there), (there, here)):
            valkey.move(slot, giving, taking, meanwhile=lambda: time.sleep(0.05))
            assert taking.asks("CLUSTER", "COUNTKEYSINSLOT", slot) == 1
    finally:
        ended.set()
        for one in calling:
            one.join()

    assert sum(let_in) == LIMIT


@pytest.mark.parametrize("number", [1, 2] * TIMES)
def test_what_a_killed_master_had_admits_everything_and_the_others_count(valkey: ClusterOfValkey, number: int) -> None:
    lost, other = valkey.masters[number], valkey.masters[number - 1]
    of_lost, of_other = somebody(lost, valkey), somebody(other, valkey)
    assert admitted(of_lost, LIMIT + 1) == LIMIT
    lost.kill()
    try:
        took, let_in = slowest(of_lost, threads=4, calls=LIMIT)
        assert let_in == 4 * LIMIT
        assert admitted(of_other, LIMIT + 1) == LIMIT
        assert took < WAITS_S + BUSY_S
        assert not throttling.is_up()
    finally:
        lost.start()

    valkey.until(throttling.is_up)
    assert admitted(of_lost, LIMIT + 1) == LIMIT


@pytest.mark.parametrize("number", [1, 2, 0] * TIMES)
def test_a_master_that_stands_still_is_waited_for_once_in_a_while(valkey: ClusterOfValkey, number: int) -> None:
    still, other = valkey.masters[number], valkey.masters[number - 1]
    of_still, of_other = somebody(still, valkey), somebody(other, valkey)
    assert throttling.is_up()
    with still.standing_still():
        took, let_in = slowest(of_still, threads=8, calls=LIMIT)
        began = time.monotonic()
        assert admitted(of_still, 100) == 100
        rested_s = time.monotonic() - began

        assert admitted(of_other, LIMIT + 1) == LIMIT
    assert WAITS_S * 0.9 < took < WAITS_S + BUSY_S
    assert let_in == 8 * LIMIT
    assert rested_s < BUSY_S


def test_a_cluster_that_stands_still_delays_a_call_as_long_as_one_master(valkey: ClusterOfValkey) -> None:
    assert throttling.is_up()
    with valkey.masters[0].standing_still(), valkey.masters[1].standing_still(), valkey.masters[2].standing_still():
        for node in valkey.masters:
            took, let_in = slowest(somebody(node, valkey), threads=8, calls=5)
            assert let_in == 40
            assert took < WAITS_S + BUSY_S


def test_a_process_that_starts_without_the_cluster_serves_and_counts_once_it_is_there(
    valkey: ClusterOfValkey,
) -> None:
    who = somebody()
    with valkey.masters[0].standing_still(), valkey.masters[1].standing_still(), valkey.masters[2].standing_still():
        took, let_in = slowest(who, threads=8, calls=5)
        assert not throttling.is_up()
    assert let_in == 40
    assert took < WAITS_S + BUSY_S

    valkey.until(throttling.is_up)
    assert admitted(who, LIMIT + 1) == LIMIT


@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_process_that_starts_while_one_master_stands_still_counts_at_the_others(
    valkey: ClusterOfValkey, number: int
) -> None:
    with valkey.masters[number].standing_still():
        valkey.until(lambda: admitted(somebody(valkey.masters[number - 1], valkey), LIMIT + 1) == LIMIT)
        assert admitted(somebody(valkey.masters[number - 2], valkey), LIMIT + 1) == LIMIT
        assert admitted(somebody(valkey.masters[number], valkey), LIMIT + 1) == LIMIT + 1


def test_a_replica_takes_the_place_of_its_master_with_what_was_counted(valkey: ClusterOfValkey) -> None:
    lost, replica = valkey.masters[0], valkey.replica
    who = somebody(lost, valkey)
    assert admitted(who, LIMIT // 2) == LIMIT // 2
    valkey.until(lambda: replica.asks("CLUSTER", "COUNTKEYSINSLOT", key_slot(window(who).encode())) == 1)
    replica.takes_over("yes")
    lost.kill()
    try:
        valkey.until(lambda: replica.role() == "master")
        valkey.until(lambda: not throttling.hit("payments", who).admitted)
        valkey.until(throttling.is_up)
        valkey.replaced()

        assert admitted(somebody(replica, valkey), LIMIT + 1) == LIMIT
    finally:
        replica.takes_over("no")
        lost.start()


def test_what_is_cached_is_on_all_masters(valkey: ClusterOfValkey) -> None:
    cache: Any = ClusterCache(address(valkey), {})
    names = [f"{name}-{somebody()}" for name in range(30)]

    assert all(cache.add(name, 0, 60) for name in names)
    assert not cache.add(names[0], 0, 60)
    assert [cache.incr(name) for name in names] == [1] * 30
    cache.set(names[0], {"times": [1.5]}, 60)
    assert (cache.get(names[0]), cache.get(names[1])) == ({"times": [1.5]}, 1)
    assert cache.delete(names[0])
    assert cache.get(names[0]) is None
    assert all(node.asks("DBSIZE") for node in valkey.masters)


def test_a_cache_whose_master_stands_still_says_so_soon(valkey: ClusterOfValkey) -> None:
    cache: Any = ClusterCache(address(valkey), {})
    still = valkey.masters[2]
    name = next(one for one in (f"kept-{somebody()}" for _ in range(1000)) if valkey.master_of(f":1:{one}") is still)
    began = time.monotonic()
    with still.standing_still():
        for _ in range(5):
            with pytest.raises(RedisError):
                cache.get(name)
    assert time.monotonic() - began < WAITS_S + BUSY_S


def test_a_wrong_password_counts_nothing_and_refuses_nothing(valkey: ClusterOfValkey, settings: Settings) -> None:
    settings.CACHE_URL = address(valkey, password="wrong")
    who = somebody()

    assert admitted(who, 2 * LIMIT) == 2 * LIMIT
    assert not throttling.is_up()
    settings.CACHE_URL = address(valkey)
    assert admitted(who, 2 * LIMIT) == LIMIT
