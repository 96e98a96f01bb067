"""Celery tasks of rates."""

import structlog
from celery import shared_task

from ledger.rates import services as rates
from ledger.rates.provider import RatesUnavailable, provider

log = structlog.get_logger()


@shared_task
def fetch_rates() -> None:
    """Stores the provider's current rates, if one is configured. Without a response the last rates expire."""
    known = provider()
    if known is None:
        return
    try:
        quotes = known.quotes()
        rates.record(quotes.rates, quotes.quoted_at)
    except (RatesUnavailable, ValueError) as error:
        log.error("rates.unavailable", reason=str(error))


@shared_task
def forget_rates() -> None:
    rates.forget_old()
