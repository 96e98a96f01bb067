"""Requests wait in memory for their place in the log: in nobody's way, not for ever, and not beyond the process."""

import os
import subprocess
import sys
import time
from datetime import timedelta
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.db import connection
from structlog.testing import capture_logs

from accounts.base import cells
from accounts.base.ids import new_id
from accounts.models import ApiKey
from gateway.requests import retention
from gateway.requests.log import MOST, RequestLog
from gateway.requests.models import ApiRequest
from tests.support.api import Api
from tests.support.cells import not_in_cells
from tests.support.companies import Shop
from tests.support.ranges import kept_for_weeks
from tests.support.requests import unmade_request
from tests.support.webhooks import back_in_time

pytestmark = pytest.mark.django_db


def test_it_is_written_by_itself(api: Api, request_log: ModuleType) -> None:
    answer = api.get("/payments")
    until = time.monotonic() + 10
    while not ApiRequest.objects.filter(pk=answer["RequestId"]).exists():
        assert time.monotonic() < until
        time.sleep(0.05)


def test_while_the_database_is_away_requests_are_answered_and_wait(
    api: Api, request_log: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    request_log.close()
    with monkeypatch.context() as away:
        away.setitem(connection.settings_dict, "HOST", "/nowhere")
        answers = [api.get("/payments") for _ in range(3)]
        assert [answer.status_code for answer in answers] == [200, 200, 200]
        assert not request_log.flush()
        assert not ApiRequest.objects.exists()

    assert request_log.flush()
    assert set(ApiRequest.objects.values_list("pk", flat=True)) == {answer["RequestId"] for answer in answers}


@pytest.mark.parametrize(
    "wrong",
    [
        "default_transaction_read_only=on",
        pytest.param("search_path=nowhere", marks=not_in_cells("a cell is found whatever path the role has")),
    ],
)
def test_under_a_wrong_setting_requests_wait_as_well(
    request_log: ModuleType, monkeypatch: pytest.MonkeyPatch, wrong: str
) -> None:
    queue, ids = RequestLog(), [new_id("req") for _ in range(3)]
    with monkeypatch.context() as meanwhile:
        meanwhile.setitem(connection.settings_dict["OPTIONS"], "options", f"-c {wrong}")
        for one in ids:
            queue.add(unmade_request(id=one))
        assert not queue.flush()

    queue.close()

    assert list(ApiRequest.objects.order_by("pk").values_list("pk", flat=True)) == ids


def test_a_row_that_is_refused_costs_no_other_one(request_log: ModuleType) -> None:
    queue, ids = RequestLog(), [new_id("req") for _ in range(5)]
    with capture_logs() as said:
        for one in ids:
            queue.add(unmade_request(id=one, status=10**6 if one == ids[2] else 200))
        queue.close()

    assert list(ApiRequest.objects.order_by("pk").values_list("pk", flat=True)) == [*ids[:2], *ids[3:]]
    assert [(line["event"], line.get("lost")) for line in said] == [("request_log.lost", ids[2])]


@pytest.mark.parametrize(("body", "number", "kept"), [(b"", MOST + 5, MOST), (b"x" * 2**20, 70, 63)])
def test_too_many_push_out_the_oldest(
    request_log: ModuleType, monkeypatch: pytest.MonkeyPatch, body: bytes, number: int, kept: int
) -> None:
    queue, ids = RequestLog(), [new_id("req") for _ in range(number)]
    with monkeypatch.context() as away:
        away.setitem(connection.settings_dict, "HOST", "/nowhere")
        for one in ids:
            queue.add(unmade_request(id=one, body=body))
        assert not queue.flush()

    queue.close()

    assert list(ApiRequest.objects.order_by("pk").values_list("pk", flat=True)) == ids[-kept:]


ENDS = """
import sys, django; django.setup()
from functools import partial
from multiprocessing import get_context
from django.http import HttpRequest, HttpResponse
from gateway.requests import log
from gateway.requests.facts import facts_of

def keep(request_id):
    request = HttpRequest()
    request.method, request.path, request.META = "GET", "/api/v2/payments", {"REMOTE_ADDR": "10.0.0.1"}
    request.request_id, request.cell, request.merchant_id, request.api_key_id = request_id, sys.argv[4], 1, "key_x"
    log.keep(partial(facts_of, request, HttpResponse(b"{}", content_type="application/json"), 0.1))

keep(sys.argv[1])
forked = get_context("fork").Process(target=keep, args=[sys.argv[2]])
forked.start()
forked.join()
keep(sys.argv[3])
"""


def test_nothing_is_lost_at_the_end_of_a_process_forked_or_not(request_log: ModuleType) -> None:
    address = urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{connection.settings_dict['NAME']}").geturl()
    environment = os.environ | {"DATABASE_URL": address, "DJANGO_SETTINGS_MODULE": "gateway.settings"}
    ids = [new_id("req") for _ in range(3)]

    done = subprocess.run(
        [sys.executable, "-c", ENDS, *ids, cells.current()], cwd=settings.BASE_DIR, env=environment, check=False
    )

    assert done.returncode == 0
    assert list(ApiRequest.objects.order_by("pk").values_list("pk", flat=True)) == ids


# ── Retention ─────────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(("days", "left"), [(30, 2), (7, 1), (0, 1)])
def test_requests_are_forgotten_after_their_days_by_whole_ranges(
    acme: Shop, settings: Any, days: int, left: int
) -> None:
    kept_for_weeks()
    settings.REQUEST_LOG_DAYS = days
    key = ApiKey.objects.get(merchant=acme.sandbox)
    ages = [timedelta(seconds=1), timedelta(days=29.9), *[timedelta(days=36)] * 3]
    ids = [back_in_time(new_id("req"), age) for age in ages]
    ApiRequest.objects.bulk_create(
        ApiRequest(pk=one, merchant=acme.sandbox, api_key=key, status=200, elapsed_ms=1) for one in ids
    )

    assert retention.forget_old() != []
    assert retention.forget_old() == []

    assert set(ApiRequest.objects.values_list("pk", flat=True)) == {*ids[:left]}
