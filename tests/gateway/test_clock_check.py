"""A host whose clock is wrong decides nothing about money: it would release it days early."""

import json
import os
import shutil
import subprocess
import sys
from datetime import timedelta

import pytest
from django.conf import settings

from tests.support import web_server
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.receivables import a_receivable, stand_at
from tests.support.receiver import listening
from tests.support.webhooks import happens, registered

pytestmark = pytest.mark.a_third_a_day

WORKS = """
from django.test import Client
from ledger.receivables.tasks import sweep_receivables
from webhooks.tasks import deliver_webhooks
print("ready:", Client().get("/health/ready").status_code)
sweep_receivables()
deliver_webhooks()
"""


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(not shutil.which("faketime"), reason="needs Debian's faketime")
@pytest.mark.parametrize(("clock", "is_right"), [("+2d", False), ("-2d", False), ("+0", True)])
def test_a_worker_does_nothing_by_a_wrong_clock(acme: Shop, api: Api, clock: str, is_right: bool) -> None:
    receivable = a_receivable(acme.sandbox)
    stand_at(acme.sandbox, receivable.release_at - timedelta(days=1))
    env = os.environ | {"DATABASE_URL": web_server.tested_database(), "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    command = ["faketime", "-f", clock, sys.executable, "manage.py", "shell", "-c", WORKS]

    with listening() as receiver:
        registered(api, receiver.url)
        happens(acme.sandbox)
        done = subprocess.run(command, env=env, cwd=settings.BASE_DIR, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    receivable.refresh_from_db()
    assert receivable.state == "SCHEDULED"
    assert len(receiver.received) == is_right
    assert f"ready: {200 if is_right else 503}" in done.stdout
    lines = [json.loads(line) for line in done.stderr.splitlines() if "clock.differs" in line]
    assert [line["level"] for line in lines] == [] if is_right else ["critical"]
