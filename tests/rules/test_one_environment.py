"""A process that serves one environment has no doors of the other, and in production no code that reads numbers."""

from functools import cache

import pytest

from gateway.celery import MONEY, QUEUES, SANDBOX, TIMETABLE
from tests.support.one_environment import ASKED, OF_THE_ADMIN, Process, addresses, process_of

pytestmark = [pytest.mark.a_third_a_day, pytest.mark.django_db]
VAULT = "gateway.vault"
OF_THE_SANDBOX = {
    "api/v2/simulations/balances",
    "api/v2/simulations/chaos",
    "api/v2/simulations/clock",
    "api/v2/simulations/payments/<str:payment_id>",
    "api/v2/simulations/payments/<str:payment_id>/late-money",
    "api/v2/simulations/payments/<str:payment_id>/refund-requests",
    "api/v2/simulations/readiness-checks",
    "api/v2/simulations/readiness-checks/<str:check_id>",
    "api/v2/simulations/readiness-checks/<str:check_id>/finish",
    "api/v2/simulations/refunds/<str:refund_id>",
    "api/v2/simulations/releases",
    "api/v2/simulations/withdrawals/<str:withdrawal_id>",
    "demo/hooks",
    "demo/hooks/broken",
    "demo/mail",
    "demo/shop",
    "demo/shop/payments",
    "demo/shop/payments/<str:payment_id>",
    "demo/shop/payments/<str:payment_id>/end",
    "demo/shop/payments/<str:payment_id>/simulation",
    "sdk/onpay_listen.py",
    "sdk/v1/3ds/<str:challenge_id>",
    "sdk/v1/fields/<str:payment_id>/<str:kind>",
    "sdk/v1/tokens",
}
OF_A_COMPANY = "dashboard/<str:company_id>/<environment:environment>/"
PAGES_OF_THE_SANDBOX = {
    "lab/", "lab/chaos", "lab/chaos/start", "lab/chaos/end", "lab/clock", "lab/plays",
    "lab/readiness/", "lab/readiness/<str:check_id>", "lab/readiness/<str:check_id>/finish", "payments/new",
    "payments/<str:payment_id>/simulate",
    "refunds/ask", "refunds/<str:refund_id>/decide", "withdrawals/<str:withdrawal_id>/simulate",
}  # fmt: skip
READ_AS_IDS = {OF_A_COMPANY + "payments/new", OF_A_COMPANY + "refunds/ask"}
"""Where they are not routed they are taken for the id of a payment or refund, which nobody has."""


@cache
def serving(environments: str) -> Process:
    return process_of(environments)


def missing(process: Process) -> set[str]:
    return addresses().keys() - process.addresses.keys()


def not_found(process: Process) -> set[str]:
    """Of the addresses that it does not route, those that it answers with 404 to both methods."""
    return {one for one in missing(process) if process.statuses.get(addresses()[one]) == [404, 404]}


def loaded(process: Process) -> list[str]:
    return [name for name in process.modules if name == VAULT or name.startswith(f"{VAULT}.")]


def test_production_alone_has_no_door_of_the_sandbox() -> None:
    process = serving("production")

    assert missing(process) == OF_THE_SANDBOX | {OF_A_COMPANY + page for page in PAGES_OF_THE_SANDBOX}
    assert missing(process) - not_found(process) == READ_AS_IDS
    assert process.addresses.keys() <= addresses().keys()


def test_production_alone_never_loads_the_code_that_reads_card_numbers() -> None:
    production, sandbox = serving("production"), serving("sandbox")

    assert {path: production.statuses[path][0] for path in ASKED} == {
        "/docs": 200, "/docs/cards": 200, "/docs/sandbox": 200, "/api/v2/openapi.json": 200, "/api/v2/payments": 401,
        "/sdk/onpay-card.js": 200, "/sdk/v1/session": 401, "/sdk/v1/confirm": 405, "/health/live": 200,
        "/dashboard/": 302, "/admin/login/": 302,
    }  # fmt: skip
    assert loaded(production) == []
    assert loaded(sandbox) == [VAULT, f"{VAULT}.cards", f"{VAULT}.errors", f"{VAULT}.services"]


def test_each_schedules_and_takes_its_own_work_and_everybodys() -> None:
    production, sandbox = serving("production"), serving("sandbox")
    of_the_sandbox = {name for name in TIMETABLE if "sandbox-" in name}
    of_production = {name for name, turn in TIMETABLE.items() if turn.queue == MONEY}

    assert len(of_the_sandbox) == 10
    assert of_production >= {"heartbeat", "sweep-payments", "sweep-suspense", "sweep-provider-messages"}
    assert set(production.scheduled) == set(TIMETABLE) - of_the_sandbox
    assert set(sandbox.scheduled) == set(TIMETABLE) - of_production
    assert set(production.queues) == set(QUEUES) - {SANDBOX}
    assert set(sandbox.queues) == set(QUEUES) - {MONEY}


def test_the_sandbox_alone_has_no_door_of_institutions_of_real_cards_and_of_our_staff() -> None:
    process = serving("sandbox")
    absent = missing(process)

    assert {one for one in absent if not one.startswith("admin/")} == {
        "callbacks/<str:account_id>", "callbacks/<str:account_id>/<path:path>", "accounts/staff/<uidb64>/<token>/",
        "sdk/acquirers/<slug:acquirer>-<str:version>.js", "sdk/v1/3ds/acquirer/<str:payment_id>",
    }  # fmt: skip
    assert {one for one in absent - not_found(process) if not one.startswith("admin/")} == set()
    assert len([one for one in not_found(process) if one.startswith("admin/")]) >= OF_THE_ADMIN
    assert not [one for one in process.addresses if one.startswith("admin/")]
