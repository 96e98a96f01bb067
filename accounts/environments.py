"""The environments that this process serves (ONPAY_ENVIRONMENTS). What it does not serve it refuses at every door."""

from django.conf import settings

from accounts.errors import EnvironmentNotServed
from accounts.models import Environment, Merchant


def served() -> list[Environment]:
    """Those that this process serves, the sandbox first."""
    return [environment for environment in Environment if environment in settings.ENVIRONMENTS]


def serves(environment: str) -> bool:
    return environment in settings.ENVIRONMENTS


def require_served(merchant: Merchant) -> None:
    """Raises ONP403_ENVIRONMENT_NOT_SERVED."""
    if not serves(merchant.environment):
        raise EnvironmentNotServed(merchant.environment)


def base_url(environment: str) -> str:
    """Where the outside world reaches API and dashboard of an environment."""
    return str(settings.SANDBOX_BASE_URL if environment == Environment.SANDBOX else settings.BASE_URL)
