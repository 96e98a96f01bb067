"""Several calls are counted in one round trip, and each is told what is true of itself."""

from collections.abc import Iterator

import pytest
import redis
from django.conf import settings as configured
from pytest_django import Settings
from structlog.testing import capture_logs

from gateway.api import throttling
from tests.support.api import another_address


@pytest.fixture
def valkey() -> Iterator[redis.Redis]:
    with redis.Redis.from_url(configured.CACHE_URL) as client:
        yield client


def left(who: str) -> int:
    return throttling.hit("all", who).remaining


def test_what_valkey_refuses_of_one_call_is_not_read_as_the_answer_to_another(valkey: redis.Redis) -> None:
    most = configured.RATE_LIMITS["all"]
    broken, busy, fresh = (another_address() for _ in range(3))
    for _ in range(5):
        throttling.hit("all", busy)
    valkey.set(f"onpay:limit:all:{broken}", "no list", ex=60)

    with capture_logs() as said:
        told = throttling.hit_each([(["all"], who) for who in (busy, broken, busy)])

    assert [(verdict.admitted, verdict.remaining) for [verdict] in told] == [
        (True, most - 6),
        (True, most),
        (True, most - 7),
    ]
    assert [(line["event"], line["error"]) for line in said] == [("rate_limit.not_counted", "ResponseError")]
    assert [left(fresh), left(fresh), left(busy)] == [most - 1, most - 2, most - 8]


def test_a_script_that_valkey_has_forgotten_counts_each_call_once(valkey: redis.Redis) -> None:
    most = configured.RATE_LIMITS["all"]
    one, other = another_address(), another_address()
    valkey.script_flush()

    told = throttling.hit_each([(["all"], who) for who in (one, other, one)])

    assert [verdict.remaining for [verdict] in told] == [most - 1, most - 1, most - 2]
    assert [left(one), left(other)] == [most - 3, most - 2]


def test_after_a_full_window_the_others_are_not_counted(settings: Settings) -> None:
    limits = settings.RATE_LIMITS
    settings.RATE_LIMITS = limits | {"all": 1}
    who = another_address()

    told = throttling.hit_each([(["all", "payments"], who)] * 2)

    assert [[verdict.admitted for verdict in verdicts] for verdicts in told] == [[True, True], [False]]
    assert throttling.hit("payments", who).remaining == limits["payments"] - 2
