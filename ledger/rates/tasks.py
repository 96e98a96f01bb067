"""Celery tasks of rates."""

import structlog
from celery import shared_task

from ledger.rates import services as rates
from ledger.rates.comparing import Observed, agreed, observed
from ledger.rates.models import Rate
from ledger.rates.provider import Provider, RatesUnavailable, providers

log = structlog.get_logger()
_SEEN = (Rate.Seen.FIRST, Rate.Seen.SECOND)


@shared_task
def fetch_rates() -> None:
    """Stores what the configured sources agree about, or what the only one says. Without any the last rates expire."""
    first, second = (_asked(source, seen) for source, seen in zip(providers(), _SEEN, strict=True))
    rates.store(agreed(first, second))


def _asked(source: Provider | None, seen: Rate.Seen) -> dict[str, Observed]:
    """What it says, or nothing if it is not configured or says nothing usable."""
    if source is None:
        return {}
    try:
        return observed(source.quotes(), seen)
    except (RatesUnavailable, ValueError) as error:
        log.error("rates.unavailable", source=seen.lower(), reason=str(error))
        return {}


@shared_task
def forget_rates() -> None:
    rates.forget_old()
