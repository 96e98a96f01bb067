"""What operators type."""

import io
import json

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from accounts.models import ApiKey, Company, Merchant, User
from accounts.permissions import ALL
from accounts.selectors import find_key
from gateway.management.commands.migrate import BEFORE_0_2_0
from tests.support.api import Api


def run(*arguments: str, **options: object) -> str:
    out = io.StringIO()
    call_command(*arguments, stdout=out, **options)
    return out.getvalue()


def test_provision_takes_a_company_on(db: None) -> None:
    told = json.loads(run("provision", "--company", "Acme", "--json"))

    assert list(told) == ["companyId", "sandboxApiKey", "productionApiKey", "email", "password"]
    company = Company.objects.get()
    assert (company.id, company.status) == (told["companyId"], "ACTIVE")
    assert company.verified_at is not None
    for environment in ("sandbox", "production"):
        key = find_key(told[f"{environment}ApiKey"])
        assert key is not None
        assert key.merchant.environment == environment.upper()
        assert sorted(key.permissions) == sorted(ALL)
    assert User.objects.get(email=told["email"]).check_password(told["password"])
    assert Api(told["sandboxApiKey"]).get(f"/companies/{company.id}").json()["data"]["environment"] == "SANDBOX"


def test_provision_sets_what_its_options_name(db: None) -> None:
    run(
        "provision", "--company", "Acme", "--country", "mx", "--withdrawal-ip", "203.0.113.10", "--hosted",
        "--permissions", "payments:write,transactions:read",
    )  # fmt: skip

    company = Company.objects.get()
    assert (company.country, company.withdrawal_ip) == ("MX", "203.0.113.10")
    assert set(Merchant.objects.values_list("card_integration_mode", flat=True)) == {"HOSTED"}
    for key in ApiKey.objects.all():
        assert key.permissions == ["payments:write", "transactions:read"]


@pytest.mark.parametrize(
    "options", [("--permissions", "payments:write,fly"), ("--withdrawal-ip", "10.0.0.0/8"), ("--withdrawal-ip", "x")]
)
def test_provision_refuses_what_it_does_not_know_and_writes_nothing(db: None, options: tuple[str, str]) -> None:
    with pytest.raises(CommandError):
        run("provision", "--company", "Acme", *options)

    assert Company.objects.count() == 0


def test_verify_ledger_proves_the_books(db: None) -> None:
    assert "invariants hold" in run("verify_ledger")


def test_provision_never_prints_a_password_that_does_not_work(db: None) -> None:
    first = json.loads(run("provision", "--company", "Acme", "--email", "ana@acme.example", "--json"))
    second = json.loads(run("provision", "--company", "Acme Dois", "--email", "ana@acme.example", "--json"))

    assert second["password"] is None
    assert User.objects.get(email="ana@acme.example").check_password(first["password"])


def test_a_database_of_before_the_first_version_that_upgrades_is_refused(db: None) -> None:
    recorder = MigrationRecorder(connection)
    recorder.record_applied(*BEFORE_0_2_0)
    before = recorder.applied_migrations().keys()

    with pytest.raises(CommandError, match=r"older than 0\.2\.0"):
        run("migrate")

    assert recorder.applied_migrations().keys() == before
