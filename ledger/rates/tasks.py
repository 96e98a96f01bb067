"""What the timetable asks of rates."""

import structlog
from celery import shared_task

from ledger.rates import services as rates
from ledger.rates.provider import RatesUnavailable, provider

log = structlog.get_logger()


@shared_task
def fetch() -> None:
    """Writes down what the provider says, where one is set. Without an answer the last rates run out by themselves."""
    known = provider()
    if known is None:
        return
    try:
        quotes = known.quotes()
        rates.record(quotes.rates, quotes.quoted_at)
    except (RatesUnavailable, ValueError) as error:
        log.error("rates.unavailable", reason=str(error))


@shared_task
def forget() -> None:
    rates.forget_old()
