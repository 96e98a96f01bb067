"""A production that is not safe does not start, and says why before it is tried."""

import os
import secrets
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.core.checks import Tags, run_checks
from django.core.exceptions import ImproperlyConfigured

from gateway.checks import secrets_cannot_be_guessed, stop_if_unsafe
from tests.support.effort import tries

ROOT = Path(__file__).resolve().parents[2]
FILLED_IN = {
    "ONPAY_SECRET_KEY": secrets.token_urlsafe(48),
    "ONPAY_ENCRYPTION_KEYS": Fernet.generate_key().decode(),
    "ONPAY_BASE_URL": "https://api.onpay.internal",
    "ONPAY_SANDBOX_BASE_URL": "https://sandbox.onpay.internal",
    "ONPAY_SDK_URL": "https://sdk.onpay.internal",
    "ONPAY_TRUSTED_PROXIES": "10.0.0.0/8",
    "ONPAY_EMAIL_URL": "smtp+tls://mail.onpay.internal:587",
    "ONPAY_EMAIL_FROM": "Onpay Gateway <no-reply@onpay.internal>",
}


def of_the_example() -> dict[str, str]:
    """.env.example as an operator copies it: every line."""
    lines = (line.partition("=") for line in (ROOT / ".env.example").read_text().splitlines() if line[:1].isupper())
    return {name: value for name, _, value in lines}


def python(env: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    kept = {name: os.environ[name] for name in ("PATH", "DATABASE_URL", "CELERY_BROKER_URL") if name in os.environ}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=ROOT, env=env | kept, capture_output=True, text=True, check=False)


def check(env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return python(env, "manage.py", "check", "--deploy", "--fail-level", "WARNING")


def test_the_example_alone_is_refused_and_filled_in_it_passes() -> None:
    refused = check(of_the_example() | {"ONPAY_SECRET_KEY": "short"})
    passed = check(of_the_example() | FILLED_IN)

    assert refused.returncode == 1
    for told in (
        "ONPAY_SECRET_KEY",
        "ONPAY_ENCRYPTION_KEYS",
        "ONPAY_TRUSTED_PROXIES",
        "ONPAY_EMAIL_URL",
        "example.com",
    ):
        assert told in refused.stderr
    assert passed.returncode == 0, passed.stderr


def test_the_web_process_refuses_what_the_check_refuses() -> None:
    served = python(of_the_example() | FILLED_IN, "-c", "import gateway.wsgi")
    unsafe = {"ONPAY_TRUSTED_PROXIES": "", "ONPAY_SECRET_KEY": "short"}
    refused = python(of_the_example() | FILLED_IN | unsafe, "-c", "import gateway.wsgi")

    assert served.returncode == 0, served.stderr
    assert "start.role_owns_the_tables" in served.stderr  # the tests' own role is a superuser: said, and no reason
    assert refused.returncode == 1
    assert "ImproperlyConfigured" in refused.stderr
    assert "onpay.E009" in refused.stderr
    assert "onpay.E011" in refused.stderr


@pytest.fixture
def production(settings: Any) -> Any:
    """All that is asked for."""
    settings.LOCAL = False
    settings.SECRET_KEY, settings.ENCRYPTION_KEYS = secrets.token_urlsafe(48), [Fernet.generate_key().decode()]
    settings.SECRET_KEY_FALLBACKS = []
    settings.BASE_URL, settings.SANDBOX_BASE_URL = "https://api.onpay.internal", "https://sandbox.onpay.internal"
    settings.SDK_URL, settings.ALLOWED_HOSTS = "https://sdk.onpay.internal", ["api.onpay.internal"]
    settings.CALLBACKS_URL = "https://callbacks.onpay.internal"
    settings.TRUSTED_PROXIES, settings.HAS_NO_PROXY = ["10.0.0.0/8"], False
    settings.EMAIL_BACKEND, settings.EMAIL_HOST = "django.core.mail.backends.smtp.EmailBackend", "mail.onpay.internal"
    settings.DEFAULT_FROM_EMAIL = "Onpay <no-reply@onpay.internal>"
    settings.RATES_URL, settings.WEBHOOK_TIME_SCALE = "", 1
    settings.ENVIRONMENTS = ["PRODUCTION"]
    return settings


def errors() -> set[str]:
    found = run_checks(tags=[Tags.security], include_deployment_checks=True)
    return {str(message.id) for message in found if message.is_serious()}


def test_a_whole_production_has_no_error(production: Any) -> None:
    assert errors() == set()
    stop_if_unsafe()


@pytest.mark.parametrize(
    ("setting", "value", "error"),
    [
        ("SECRET_KEY", "k8#" * 16, "onpay.E009"),  # 48 characters
        ("SECRET_KEY", "changeme" * 8, "onpay.E009"),
        ("SECRET_KEY", "0123456789" * 6, "onpay.E009"),
        ("SECRET_KEY", "local-only-" + "0" * 50, "onpay.E009"),
        ("SECRET_KEY_FALLBACKS", ["a" * 60], "onpay.E009"),
        ("ENCRYPTION_KEYS", [], "onpay.E002"),
        ("ENCRYPTION_KEYS", ["AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="], "onpay.E010"),
        ("BASE_URL", "http://api.onpay.internal", "onpay.E005"),
        ("TRUSTED_PROXIES", [], "onpay.E011"),
        ("EMAIL_BACKEND", "django.core.mail.backends.console.EmailBackend", "onpay.E012"),
        ("BASE_URL", "https://api.example.com", "onpay.E013"),
        ("SANDBOX_BASE_URL", "https://sandbox.onpay.example", "onpay.E013"),
        ("SDK_URL", "https://example.org", "onpay.E013"),
        ("CALLBACKS_URL", "http://callbacks.onpay.internal", "onpay.E018"),
        ("ALLOWED_HOSTS", ["api.onpay.internal", ".example.com"], "onpay.E013"),
        ("DEFAULT_FROM_EMAIL", "Onpay Gateway <no-reply@example.com>", "onpay.E013"),
        ("DEFAULT_FROM_EMAIL", "no-reply@localhost", "onpay.E013"),
        ("EMAIL_HOST", "mail.example.com", "onpay.E013"),
        ("RATES_URL", "https://rates.example/v1", "onpay.E013"),
        ("RATES_URL", "http://rates.onpay.internal/v1", "onpay.E007"),
        ("RATES_SECOND_URL", "https://rates.example/v1", "onpay.E013"),
        ("RATES_SECOND_URL", "http://rates.onpay.internal/v1", "onpay.E007"),
        ("RATES_MAX_AGE_S", {"ALL": "301"}, "onpay.E025"),
        ("RATES_MAX_AGE_S", {"MXN": "1.5"}, "onpay.E025"),
        ("RATES_MAX_JUMP", {"ALL": "0"}, "onpay.E025"),
        ("RATES_MAX_JUMP", {"ALL": "NaN"}, "onpay.E025"),
        ("RATES_MAX_DIFFERENCE", {"GBP": "0.02"}, "onpay.E025"),
        ("RATES_MAX_DIFFERENCE", {"ALL": "2 %"}, "onpay.E025"),
    ],
)
def test_each_of_them_is_an_error(production: Any, setting: str, value: Any, error: str) -> None:
    setattr(production, setting, value)

    assert errors() == {error}
    with pytest.raises(ImproperlyConfigured, match=error):
        stop_if_unsafe()


@pytest.mark.parametrize("served", ["sandbox", "production", "sandbox, production", "", "test", "production,live"])
def test_a_process_serves_environments_that_exist(served: str) -> None:
    read = "from gateway import settings; print(settings.ENVIRONMENTS)"
    told = python(of_the_example() | FILLED_IN | {"ONPAY_ENVIRONMENTS": served}, "-c", read)

    if served in ("", "test", "production,live"):
        assert "ONPAY_ENVIRONMENTS is sandbox, production, or both" in told.stderr
    else:
        assert told.stdout.strip() == repr(served.upper().split(", "))


def test_a_process_that_serves_both_is_warned_of(production: Any) -> None:
    def warned() -> set[str]:
        return {str(one.id) for one in run_checks(tags=[Tags.security], include_deployment_checks=True)}

    alone = warned()
    production.ENVIRONMENTS = ["SANDBOX", "PRODUCTION"]

    assert warned() - alone == {"onpay.W019"}
    assert errors() == set()


def test_no_proxy_can_be_said(production: Any) -> None:
    production.TRUSTED_PROXIES, production.HAS_NO_PROXY = [], True

    assert errors() == set()


@pytest.mark.parametrize("length", [50, 64])
@pytest.mark.parametrize("letters", ["0123456789abcdef", "0123456789"])
def test_a_random_secret_is_never_refused(production: Any, length: int, letters: str) -> None:
    for _ in range(tries(100, 5000)):
        production.SECRET_KEY = "".join(secrets.choice(letters) for _ in range(length))
        assert secrets_cannot_be_guessed(None) == []


def test_local_mode_is_refused_on_a_public_host(production: Any) -> None:
    production.LOCAL = True
    for host in ("pay.onpay.io", "8.8.8.8", "*", "[2606:4700::1]"):
        production.ALLOWED_HOSTS = ["localhost", host]
        with pytest.raises(ImproperlyConfigured, match=r"onpay\.E008"):
            stop_if_unsafe()

    production.ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]", "shop.localhost", "192.168.1.5", "web"]
    stop_if_unsafe()
    assert "onpay.E003" in errors()
