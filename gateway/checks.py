"""Startup checks: reported by `check --deploy`; the web process refuses to start if they fail."""

import zlib
from base64 import urlsafe_b64decode
from contextlib import suppress
from decimal import Decimal
from email.utils import parseaddr
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

import structlog
from cryptography.fernet import Fernet
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register, run_checks
from django.core.exceptions import ImproperlyConfigured
from django.db import Error as DatabaseError
from django.db import connection

from accounts.environments import served
from gateway.database.protections import unprotected
from ledger.money import DECIMALS
from ledger.rates.guards import EVERY, LONGEST_AGE_S

log = structlog.get_logger()
SECRET_LENGTH, SECRET_SUBSTANCE = 50, 40
"""Minimum length, and minimum compressed size in bytes: fifty random digits have 42."""
KEY_VARIETY = 12
"""Minimum number of different bytes in a 32-byte encryption key: random ones have 24 or more."""
NOT_SENDING = ("console", "dummy", "filebased", "locmem")
EXAMPLES = ("example", "example.com", "example.net", "example.org", "invalid", "test", "localhost")
"""Example names (RFC 2606): the operator has not replaced them."""


def stop_if_unsafe() -> None:
    """Raises ImproperlyConfigured with all errors of `check --deploy`; local mode has fewer checks.

    Called by the entry of every web server.
    """
    found = run_checks(tags=[Tags.security], include_deployment_checks=not settings.LOCAL)
    if errors := [message for message in found if message.is_serious()]:
        raise ImproperlyConfigured("\n".join(str(message) for message in errors))


def warn_about_table_owner() -> None:
    """Logs a warning if the service's role owns tables. Never stops the service, nor does a database that is down."""
    if settings.LOCAL:
        return
    with suppress(DatabaseError):
        for message in the_service_owns_no_table(None, databases=["default"]):
            log.critical("start.role_owns_the_tables", told=message.msg, hint=message.hint)
    connection.close()


@register(Tags.security)
def encryption_keys_are_set(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """Django itself rejects an empty ONPAY_SECRET_KEY."""
    if settings.ENCRYPTION_KEYS and all(map(_is_fernet_key, settings.ENCRYPTION_KEYS)):
        return []
    return [Error("ONPAY_ENCRYPTION_KEYS is not a list of Fernet keys.", id="onpay.E002")]


def _is_fernet_key(text: str) -> bool:
    try:
        Fernet(text)
    except ValueError:
        return False
    return True


@register(Tags.security)
def local_mode_is_for_one_machine(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """Local mode shows every e-mail to everybody and has a well-known secret."""
    public = [host for host in settings.ALLOWED_HOSTS if not _is_of_this_network(host)] if settings.LOCAL else []
    if not public:
        return []
    return [Error(f"ONPAY_LOCAL is for a developer's machine, and {', '.join(public)} is not one.", id="onpay.E008")]


@register(Tags.security)
def error_pages_stay_on_this_machine(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    public = [host for host in settings.ALLOWED_HOSTS if not _is_this_machine(host)] if settings.DEBUG else []
    if not public:
        return []
    return [Error(f"ONPAY_DEBUG shows the code, and {', '.join(public)} is not this machine.", id="onpay.E015")]


def _is_this_machine(host: str) -> bool:
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _is_of_this_network(host: str) -> bool:
    """A name without a dot, a local name, or a private address."""
    try:
        return ip_address(host.strip("[]")).is_private
    except ValueError:
        return host != "*" and ("." not in host or host.endswith(".localhost"))


@register(Tags.security, deploy=True)
def nothing_local_in_production(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    found: list[CheckMessage] = []
    if settings.LOCAL:
        found.append(Error("ONPAY_LOCAL lets sandbox webhooks call loopback addresses.", id="onpay.E003"))
    if settings.WEBHOOK_TIME_SCALE != 1:
        found.append(Error("ONPAY_WEBHOOK_TIME_SCALE shrinks the retry schedule.", id="onpay.E004"))
    if not settings.BASE_URL.startswith("https://"):
        found.append(Error("ONPAY_BASE_URL must be an https:// address.", id="onpay.E005"))
    if not settings.SDK_URL.startswith("https://") or settings.SDK_URL in (
        settings.BASE_URL,
        settings.SANDBOX_BASE_URL,
    ):
        found.append(Error("ONPAY_SDK_URL must be an https:// address with an origin of its own.", id="onpay.E006"))
    if not settings.CALLBACKS_URL.startswith("https://"):
        found.append(Error("ONPAY_CALLBACKS_URL must be an https:// address.", id="onpay.E018"))
    for name, url in {
        "ONPAY_RATES_URL": settings.RATES_URL,
        "ONPAY_RATES_SECOND_URL": settings.RATES_SECOND_URL,
    }.items():
        if url and not url.startswith("https://"):
            found.append(Error(f"ONPAY_{name} must be an https:// address.", id="onpay.E007"))
    return found


@register(Tags.security)
def the_guards_of_rates_are_limits(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """A limit that is none would let every rate through, or no rate at all."""
    named = {
        "ONPAY_RATES_MAX_AGE_S": (settings.RATES_MAX_AGE_S, LONGEST_AGE_S),
        "ONPAY_RATES_MAX_JUMP": (settings.RATES_MAX_JUMP, 1),
        "ONPAY_RATES_MAX_DIFFERENCE": (settings.RATES_MAX_DIFFERENCE, 1),
    }
    return [
        Error(f"{name}: {currency}={limit} is no limit of a currency that we know.", id="onpay.E025")
        for name, (limits, largest) in named.items()
        for currency, limit in limits.items()
        if currency not in {*DECIMALS, EVERY} or not _is_limit(limit, largest, whole=largest > 1)
    ]


def _is_limit(text: str, largest: int, *, whole: bool) -> bool:
    try:
        limit = Decimal(text)
    except ArithmeticError:
        return False
    return limit.is_finite() and 0 < limit <= largest and (not whole or limit == int(limit))


@register(Tags.security, deploy=True)
def the_sandbox_runs_apart(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """Where real money moves no process should load the code that reads card numbers."""
    if len(served()) == 1:
        return []
    return [
        Warning(
            "This process serves the sandbox and production.",
            hint="Run the sandbox in processes of its own: ONPAY_ENVIRONMENTS=sandbox there, production here.",
            id="onpay.W019",
        )
    ]


@register(Tags.security, deploy=True)
def secrets_cannot_be_guessed(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    found: list[CheckMessage] = []
    if any(map(_can_be_guessed, (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS))):
        found.append(
            Error(
                f"ONPAY_SECRET_KEY, and each of its fallbacks, must be at least {SECRET_LENGTH} random characters.",
                hint="python3 -c 'import secrets; print(secrets.token_urlsafe(48))'",
                id="onpay.E009",
            )
        )
    keys = [urlsafe_b64decode(key) for key in settings.ENCRYPTION_KEYS if _is_fernet_key(key)]
    if any(len(set(key)) < KEY_VARIETY for key in keys):
        found.append(Error("ONPAY_ENCRYPTION_KEYS must be random.", id="onpay.E010"))
    return found


def _can_be_guessed(secret: str) -> bool:
    return len(secret) < SECRET_LENGTH or len(zlib.compress(secret.encode(), 9)) < SECRET_SUBSTANCE


@register(Tags.security, deploy=True)
def the_proxy_is_named(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """Without it no forwarded https is trusted, and every request is redirected to itself."""
    if settings.TRUSTED_PROXIES or settings.HAS_NO_PROXY or not settings.BASE_URL.startswith("https://"):
        return []
    return [
        Error(
            "ONPAY_BASE_URL is https, and ONPAY_TRUSTED_PROXIES names no proxy: requests are redirected endlessly.",
            hint="Name the networks of the proxies in front, or say `none` where the web process itself has TLS.",
            id="onpay.E011",
        )
    ]


@register(Tags.security, deploy=True)
def email_is_configured(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    if settings.EMAIL_BACKEND.split(".")[-2] not in NOT_SENDING:
        return []
    return [Error("ONPAY_EMAIL_URL is not set: nobody can sign up, be invited or be warned.", id="onpay.E012")]


@register(Tags.security, deploy=True)
def addresses_are_of_somebody(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """The examples of .env.example must be replaced."""
    sender = parseaddr(settings.DEFAULT_FROM_EMAIL)[1].rpartition("@")[2]
    named = {
        "ONPAY_BASE_URL": [urlsplit(settings.BASE_URL).hostname],
        "ONPAY_SANDBOX_BASE_URL": [urlsplit(settings.SANDBOX_BASE_URL).hostname],
        "ONPAY_SDK_URL": [urlsplit(settings.SDK_URL).hostname],
        "ONPAY_CALLBACKS_URL": [urlsplit(settings.CALLBACKS_URL).hostname],
        "ONPAY_ALLOWED_HOSTS": settings.ALLOWED_HOSTS,
        "ONPAY_EMAIL_FROM": [sender],
        "ONPAY_EMAIL_URL": [settings.EMAIL_HOST] if email_is_configured(None) == [] else [],
        "ONPAY_RATES_URL": [urlsplit(settings.RATES_URL).hostname],
        "ONPAY_RATES_SECOND_URL": [urlsplit(settings.RATES_SECOND_URL).hostname],
    }
    found = [f"{name} ({host})" for name, hosts in named.items() for host in hosts if host and _is_an_example(host)]
    if not found:
        return []
    return [Error(f"Addresses of nobody are still set: {', '.join(found)}.", id="onpay.E013")]


def _is_an_example(host: str) -> bool:
    labels = host.rstrip(".").lower().split(".")
    return labels[-1] in EXAMPLES or ".".join(labels[-2:]) in EXAMPLES


OWNS = """
    SELECT rolsuper OR rolcreaterole OR rolbypassrls
        OR EXISTS (SELECT FROM pg_database WHERE datname = current_database() AND pg_has_role(datdba, 'MEMBER'))
        OR EXISTS (SELECT FROM pg_tables WHERE schemaname = 'public' AND pg_has_role(tableowner, 'MEMBER'))
      FROM pg_roles WHERE rolname = current_user
"""


@register(Tags.database, deploy=True)
def connections_have_time_outs(app_configs: Any, databases: Any = None, **kwargs: Any) -> list[CheckMessage]:
    """Runs only with `check --deploy --database default`."""
    return list(unprotected()) if databases else []


@register(Tags.database, deploy=True)
def the_service_owns_no_table(app_configs: Any, databases: Any = None, **kwargs: Any) -> list[CheckMessage]:
    """A table owner can disable the constraints of the books, and so can anyone who steals its password.

    Runs only with `check --deploy --database default`.
    """
    if not databases:
        return []
    with connection.cursor() as cursor:
        cursor.execute(OWNS)
        (owns,) = cursor.fetchone()
    if not owns:
        return []
    return [
        Error(
            f"The role of DATABASE_URL ({connection.settings_dict['USER']}) owns the tables or is a superuser.",
            hint="Set ONPAY_MIGRATIONS_DATABASE_URL and run `manage.py prepare_database`: see docs/operations.md.",
            id="onpay.E014",
        )
    ]
