"""A lived-in service: the demo company and one of everything, all of it many times, and a long list of payments."""

import json
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.db import connection

from accounts.base.clock import utcnow
from accounts.models import Company, Merchant, User
from gateway.celery import app
from gateway.demo.calls import make_calls
from gateway.local import home
from gateway.sales.services import sum_up
from ledger.closings.services import close_days
from tests.bench import history, stage
from tests.bench.multiplied import multiply
from tests.bench.scale import scaled
from tests.support import scripted_provider
from tests.support.companies import a_shop
from tests.support.staff import ROOT, _world
from webhooks import services as webhooks
from webhooks.models import Attempt, Delivery, Endpoint
from webhooks.services import Filter

TIMES = scaled(100, 3)
PAYMENTS = scaled(100_000, 2_000)
ROUNDS_OF_CALLS = scaled(25, 1)


@dataclass(frozen=True)
class Lived:
    """The company, its owner, and somebody of the staff who may see everything."""

    merchant: Merchant
    owner: User
    staff: User


def live() -> Lived:
    """The demo's data times a hundred, beside another hundred thousand payments of the same company."""
    _settle()
    _world(a_shop("Acme"), a_shop("Globex"))
    call_command("demo")
    made = _made()
    company = Company.objects.get(pk=made["companyId"])
    sandbox = company.merchants.get(environment="SANDBOX")
    for _ in range(ROUNDS_OF_CALLS):
        make_calls(made["sandboxApiKey"], company.pk)
    _tell(sandbox)
    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = 0")
    multiply(TIMES)
    neighbours = [a_shop(f"Neighbour {number}").sandbox for number in range(history.NEIGHBOURS)]
    history.fill(sandbox, neighbours, PAYMENTS)
    sum_up()
    close_days()
    stage.settle()
    with connection.cursor() as cursor:
        cursor.execute("RESET statement_timeout")
    return _lived()


def lived_again() -> Lived:
    """What the last run left, brought up to the migrations of now."""
    _settle()
    call_command("migrate", verbosity=0)
    return _lived()


def _settle() -> None:
    settings.REQUEST_LOG_DAYS = 30
    settings.ALLOWED_HOSTS.append("testserver")
    settings.PROVIDER_MODULES = [*settings.PROVIDER_MODULES, scripted_provider.MODULE]
    settings.DEMO_DAYS = scaled(settings.DEMO_DAYS, 12)
    app.conf.task_always_eager = True


def _made() -> Any:
    """What the demo wrote down of its company."""
    return json.loads((home.folder() / "demo.json").read_text())


def _lived() -> Lived:
    made = _made()
    merchant = Merchant.objects.get(company=made["companyId"], environment="SANDBOX")
    owner, staff = (User.objects.get(email=email) for email in (made["dashboard"]["email"], ROOT))
    return Lived(merchant, owner, staff)


def _tell(merchant: Merchant) -> None:
    """Its endpoints are sent everything; one of them answers."""
    good, broken = Endpoint.objects.filter(merchant=merchant).order_by("url")
    for endpoint in (good, broken):
        webhooks.replay(merchant, endpoint.pk, Filter(), dry_run=False)
    now = utcnow()
    sent = Delivery.objects.filter(endpoint=good)
    sent.update(status="DELIVERED", attempts=1, next_attempt_at=None, http_status=200, delivered_at=now)
    Attempt.objects.bulk_create(
        Attempt(delivery_id=pk, number=1, started_at=now, elapsed_ms=12, http_status=200, excerpt="OK")
        for pk in sent.values_list("pk", flat=True)
    )
    Delivery.objects.filter(endpoint=broken).update(
        status="FAILED", attempts=8, next_attempt_at=None, http_status=500, error="HTTP_500"
    )
