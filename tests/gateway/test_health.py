"""What load balancers and operators ask: by address, over http, and told only to those who run the service."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from accounts import heartbeats
from accounts.base.clock import utcnow
from accounts.models import Heartbeat, User
from gateway.tasks import heartbeat
from tests.support.people import PASSWORD, a_person, signed_in_twice

ALL_UP = {
    "web": True,
    "database": True,
    "clock": True,
    "cache": True,
    "worker": True,
    "dispatcher": True,
    "proof": True,
}
ABROAD = "203.0.113.9"


@pytest.fixture
def production(settings: Any) -> Any:
    """https, one host, nobody in front."""
    settings.LOCAL = False
    settings.ALLOWED_HOSTS = ["api.onpay.internal"]
    settings.SECURE_SSL_REDIRECT = True
    return settings


def cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """The database is away: every new connection fails, as it would."""
    connection.close()
    monkeypatch.setitem(connection.settings_dict, "HOST", "/nowhere")
    monkeypatch.setitem(connection.settings_dict, "OPTIONS", {})


@pytest.mark.parametrize("path", ["/health/live", "/health/ready"])
@pytest.mark.parametrize("host", ["10.0.0.7:8000", "api.onpay.internal", "[::1]", "no such_host"])
def test_probes_answer_any_host_over_http(db: None, production: Any, path: str, host: str) -> None:
    answer = Client().get(path, headers={"host": host})

    assert (answer.status_code, answer.json()) == (200, {"status": "up"})
    assert answer["RequestId"].startswith("req_")


def test_other_addresses_keep_their_host_and_scheme(db: None, production: Any) -> None:
    assert Client().get("/health/", headers={"host": "10.0.0.7"}).status_code == 400
    assert Client().get("/health/", headers={"host": "api.onpay.internal"}).status_code == 301
    assert Client().get("/health/live/", headers={"host": "10.0.0.7"}).status_code == 400


def test_probes_are_only_read(db: None) -> None:
    assert Client().post("/health/live").status_code == 405


def test_live_needs_no_database(production: Any) -> None:
    """Without the fixture of the database a query is an error."""
    assert Client().get("/health/live", headers={"host": "10.0.0.7"}).status_code == 200


@pytest.mark.django_db(transaction=True)
def test_ready_needs_the_database_and_live_does_not(production: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as away:
        cut_off(away)
        ready, live = Client().get("/health/ready"), Client().get("/health/live")
        connection.close()

    assert (ready.status_code, ready.json()) == (503, {"status": "down"})
    assert live.status_code == 200
    assert Client().get("/health/ready").status_code == 200


def test_ready_needs_no_worker(db: None) -> None:
    assert Client().get("/health/ready").status_code == 200
    assert Client().get("/health/").status_code == 503


def test_health_is_green_when_what_is_needed_is_alive(db: None, client: Client) -> None:
    heartbeat()
    heartbeat("SANDBOX")
    heartbeats.beat("dispatcher")
    answer = client.get("/health/")
    assert (answer.status_code, answer.json()) == (200, {"status": "up", "parts": ALL_UP})

    Heartbeat.objects.filter(part="worker").update(beat_at=utcnow() - timedelta(seconds=31))

    answer = client.get("/health/")
    assert (answer.status_code, answer.json()) == (503, {"status": "down", "parts": ALL_UP | {"worker": False}})


def test_health_does_without_a_dispatcher_for_the_worker_delivers(db: None, client: Client) -> None:
    heartbeat()
    heartbeat("SANDBOX")

    answer = client.get("/health/")

    assert (answer.status_code, answer.json()) == (
        200,
        {"status": "up", "parts": ALL_UP | {"dispatcher": False}},
    )


def test_health_says_when_the_cache_is_away(db: None, client: Client, settings: Any) -> None:
    settings.CACHE_URL = "unix:///nowhere/valkey.sock"

    answer = client.get("/health/")

    assert answer.status_code == 503
    assert answer.json()["parts"]["cache"] is False


def test_strangers_are_told_the_status_alone(db: None, settings: Any) -> None:
    settings.LOCAL = False
    settings.HEALTH_TOKEN = ""
    for sent in ({}, {"authorization": "Bearer "}, {"authorization": "Bearer guessed"}):
        answer = Client(REMOTE_ADDR=ABROAD).get("/health/", headers=sent)
        assert (answer.status_code, answer.json()) == (503, {"status": "down"})


def test_the_operators_token_opens_the_parts(db: None, settings: Any) -> None:
    settings.LOCAL = False
    settings.HEALTH_TOKEN = "x7Vb2-operators-token"
    asked = Client(REMOTE_ADDR=ABROAD)

    assert "parts" in asked.get("/health/", headers={"authorization": "Bearer x7Vb2-operators-token"}).json()
    assert "parts" not in asked.get("/health/", headers={"authorization": "Bearer x7Vb2"}).json()
    assert "parts" not in asked.get("/health/", headers={"authorization": "x7Vb2-operators-token"}).json()


def test_whom_a_proxy_on_the_machine_does_not_name_is_a_stranger(db: None, settings: Any) -> None:
    settings.LOCAL, settings.TRUSTED_PROXIES = False, ["127.0.0.1"]
    behind = Client(REMOTE_ADDR="127.0.0.1")

    assert "parts" not in behind.get("/health/").json()
    assert "parts" not in behind.get("/health/", headers={"x-forwarded-for": ABROAD}).json()
    assert "parts" in behind.get("/health/", headers={"x-forwarded-for": "127.0.0.1"}).json()


def test_whoever_is_on_the_machine_or_of_the_staff_sees_the_parts(db: None, settings: Any) -> None:
    settings.LOCAL = False
    staff = signed_in_twice(User.objects.create_superuser("root@onpay.internal", PASSWORD), address=ABROAD)
    member = signed_in_twice(a_person("owner@onpay.internal"), address=ABROAD)

    assert "parts" in Client(REMOTE_ADDR="127.0.0.1").get("/health/").json()
    assert "parts" in staff.get("/health/", REMOTE_ADDR=ABROAD).json()
    assert "parts" not in member.get("/health/", REMOTE_ADDR=ABROAD).json()
