"""The address of Valkey or of a cluster of it, one that hangs, and a cluster that is not there. `make ha` has one that
is.
"""

import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from allauth.mfa.adapter import get_adapter
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from django.core.cache import cache
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from django.urls import reverse
from environ import Env
from pytest_django import Settings
from redis import Redis, RedisError

from accounts.base.clock import utcnow
from accounts.models import User
from gateway.api import throttling
from gateway.database import addresses
from gateway.local import processes
from gateway.local.valkey import Valkey
from gateway.valkey import RESTS_S, WAITS_S, ClusterCache
from tests.support.network import free_ports
from tests.support.people import PASSWORD, code_of, signed_in_twice, six_minutes_pass

ONE = "gateway.valkey.OneCache"
CLUSTER = "gateway.valkey.ClusterCache"
BUSY_S = 1.0
"""What a busy machine may add to a wait."""


def nowhere() -> str:
    ports = free_ports()
    return f"redis+cluster://127.0.0.1:{next(ports)},127.0.0.1:{next(ports)}"


class Given(Env):
    ENVIRON = {
        "ONE": "redis://valkey:6379/1",
        "SEVERAL": "redis+cluster://valkey1:6379,valkey2:6379",
        "ENCRYPTED": "rediss+cluster://valkey1:6379,valkey2:6379",
        "WITH_ITS_OWN": "redis+cluster://:own@valkey1:6379,valkey2:6379",
        "SOCKET": "unix:///run/valkey.sock?db=1",
        "ONPAY_VALKEY_PASSWORD": "a/b",
    }


@pytest.mark.parametrize(
    ("name", "address", "backend"),
    [
        ("ONE", "redis://:a%2Fb@valkey:6379/1", ONE),
        ("SEVERAL", "redis+cluster://:a%2Fb@valkey1:6379,valkey2:6379", CLUSTER),
        ("ENCRYPTED", "rediss+cluster://:a%2Fb@valkey1:6379,valkey2:6379", CLUSTER),
        ("WITH_ITS_OWN", "redis+cluster://:own@valkey1:6379,valkey2:6379", CLUSTER),
        ("SOCKET", "unix:///run/valkey.sock?db=1", ONE),
    ],
)
def test_an_address_without_a_password_gets_the_configured_one(name: str, address: str, backend: str) -> None:
    found = addresses.of_valkey(Given(), name, "")

    assert found == address
    assert (addresses.cache(found)["BACKEND"], addresses.cache(found)["LOCATION"]) == (backend, address)


@pytest.mark.parametrize("wrong", ["amqp://mq", "redis+cluster://valkey1:6379,valkey2:6379/1", "valkey:6379"])
def test_what_cannot_have_the_limits_is_refused(wrong: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="ONPAY_CACHE_URL"):
        addresses.cache(wrong)


def test_a_cluster_that_is_not_there_refuses_nothing_and_is_waited_for_once(settings: Settings) -> None:
    settings.CACHE_URL = nowhere()
    settings.RATE_LIMITS = settings.RATE_LIMITS | {"payments": 1}
    in_cluster: Any = ClusterCache(settings.CACHE_URL, {})
    began = time.monotonic()

    assert all(throttling.hit("payments", "somebody").admitted for _ in range(200))
    assert not throttling.is_up()
    with pytest.raises(RedisError):
        in_cluster.add("name", 1)
    assert time.monotonic() - began < 2


@pytest.fixture
def valkey(settings: Settings) -> Iterator[Valkey]:
    """One of its own, for the limits and the cache."""
    found = Valkey(Path(tempfile.mkdtemp(prefix="onpay-test-")) / "valkey", durable=False)
    found.start()
    settings.CACHE_URL = found.cache_url
    settings.CACHES = {"default": addresses.cache(found.cache_url)}
    settings.RATE_LIMITS = settings.RATE_LIMITS | {"payments": 2}
    yield found
    found.stop()
    shutil.rmtree(found.folder.parent)


@contextmanager
def hanging(valkey: Valkey) -> Iterator[None]:
    valkey.signal(signal.SIGSTOP)
    try:
        yield
    finally:
        valkey.signal(signal.SIGCONT)


def admitted() -> bool:
    return throttling.hit("payments", "somebody").admitted


def kept() -> bool:
    """Whether the cache has what is put there."""
    try:
        cache.set("name", 1)
        return cache.get("name") == 1
    except RedisError:
        return False


@pytest.mark.parametrize("first", ["limits", "cache"])
def test_one_that_hangs_is_waited_for_once_and_used_again(valkey: Valkey, first: str) -> None:
    assert kept()
    assert [admitted() for _ in range(3)] == [True, True, False]
    ask = {"limits": admitted, "cache": lambda: not kept()}

    with hanging(valkey):
        began = time.monotonic()
        assert ask[first]()
        waited = time.monotonic()
        assert waited - began >= WAITS_S
        assert all(admitted() and not kept() for _ in range(20))
        assert time.monotonic() - waited < WAITS_S, "somebody has waited once more"
    assert processes.wait_until(kept, RESTS_S + BUSY_S)
    assert not admitted()


@pytest.mark.parametrize("lost", ["redis://127.0.0.1:1/1", nowhere()], ids=["one", "cluster"])
def test_nobody_signs_in_while_failures_cannot_be_counted(lost: str, db: None, settings: Settings) -> None:
    settings.CACHES = {"default": addresses.cache(lost)}
    User.objects.create_superuser("ana@example.com", PASSWORD)
    browser = Client(raise_request_exception=False)

    answer = browser.post(reverse("account_login"), {"login": "ana@example.com", "password": PASSWORD})

    assert (answer.status_code, answer["Retry-After"]) == (503, "5")
    assert "_auth_user_id" not in browser.session


@pytest.mark.parametrize("made", ["REPLICAOF 127.0.0.1 1", "CONFIG SET maxmemory 1"], ids=["replica", "full"])
def test_nor_while_it_takes_nothing(valkey: Valkey, made: str, db: None) -> None:
    """It has become a replica of another one, or it is full: that passes, too."""
    User.objects.create_superuser("ana@example.com", PASSWORD)
    browser = Client(raise_request_exception=False)
    with Redis.from_url(valkey.cache_url) as own:
        own.execute_command(*made.split())

    answer = browser.post(reverse("account_login"), {"login": "ana@example.com", "password": PASSWORD})

    assert (answer.status_code, answer["Retry-After"]) == (503, "5")
    assert "_auth_user_id" not in browser.session
    assert all(admitted() for _ in range(3)), "payments are not stopped"


@pytest.mark.parametrize("lost", ["redis://127.0.0.1:1/1", nowhere()], ids=["one", "cluster"])
def test_nor_is_a_second_factor_tried(lost: str, db: None, settings: Settings) -> None:
    user = User.objects.create_superuser("ana@example.com", PASSWORD)
    staff = signed_in_twice(user)
    codes, app = RecoveryCodes.activate(user).get_unused_codes(), Authenticator.objects.get(type="totp")
    secret = get_adapter().decrypt(app.data["secret"])
    browser = Client(raise_request_exception=False)
    browser.post(reverse("account_login"), {"login": user.email, "password": PASSWORD})
    six_minutes_pass(staff)
    staff.raise_request_exception = False
    pages = ((browser, reverse("mfa_authenticate")), (staff, reverse("mfa_reauthenticate")))

    before, settings.CACHES = settings.CACHES, {"default": addresses.cache(lost)}
    for code in ("000000", code_of(secret), codes[0]):
        for client, page in pages:
            answer = client.post(page, {"code": code})
            assert (answer.status_code, answer["Retry-After"]) == (503, "5"), (page, code)

    assert "_auth_user_id" not in browser.session
    assert utcnow().timestamp() - staff.session["step_up"]["mfa"] > 300, "the factor does not count as shown"
    assert RecoveryCodes(Authenticator.objects.get(type="recovery_codes")).get_unused_codes() == codes

    settings.CACHES = before
    assert browser.post(pages[0][1], {"code": codes[0]}).status_code == 302
    assert "_auth_user_id" in browser.session
