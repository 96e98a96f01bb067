"""What `check --deploy --database default` says about providers. The tables may be those of an earlier version."""

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from django.core.checks import CheckMessage, Tags, Warning, register
from django.db import ProgrammingError

from gateway.overview.readiness import enabled_without_a_route, expiring_accounts, rails_without_a_route


@register(Tags.database, deploy=True)
def enabled_methods_have_a_provider(
    app_configs: Any, databases: Iterable[str] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """What is enabled in production and has no usable route is not offered."""
    found: list[CheckMessage] = []
    with suppress(ProgrammingError):  # `migrate` comes after the check
        found += [
            Warning(
                f"{method} in {currency} is enabled for {company or 'everybody'}, and no provider is connected for it.",
                hint='Set a route ("Providers" in the staff admin), or disable the method.',
                id="onpay.W016",
            )
            for method, currency, company in (enabled_without_a_route() if databases else ())
        ]
    return found


@register(Tags.database, deploy=True)
def enabled_payout_rails_have_a_provider(
    app_configs: Any, databases: Iterable[str] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """Withdrawals over a rail that is enabled in production and has no usable route are refused."""
    found: list[CheckMessage] = []
    with suppress(ProgrammingError):  # as above
        found += [
            Warning(
                f"Withdrawals by {rail} in {currency} are enabled for {company or 'everybody'}, and no provider is "
                "connected for them.",
                hint='Set a route ("Providers" in the staff admin), or disable the rail.',
                id="onpay.W020",
            )
            for rail, currency, company in (rails_without_a_route() if databases else ())
        ]
    return found


@register(Tags.database, deploy=True)
def certificates_of_providers_are_valid(
    app_configs: Any, databases: Iterable[str] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    found: list[CheckMessage] = []
    with suppress(ProgrammingError):
        found += [
            Warning(
                f"The certificate of the provider account {account} is valid until "
                f"{account.certificate_expires_at:%Y-%m-%d}.",
                hint="Get a new one from the provider, and replace the account's credentials in the staff admin.",
                id="onpay.W017",
            )
            for account in (expiring_accounts() if databases else ())
        ]
    return found
