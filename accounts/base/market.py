"""The country whose conventions for numbers apply to what a person reads."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from django.utils import translation

LOCALES = {"BR": "pt_BR", "MX": "es_MX", "AR": "es_AR", "CO": "es_CO", "PT": "pt_PT"}
"""The Babel locale of each market. English has one everywhere, so its readers have none of these."""
ELSEWHERE = {"pt": "pt_BR", "es": "es_MX"}
"""Languages that are written as in the market, with their locale outside of all markets: that of their largest one."""
_market: ContextVar[str] = ContextVar("market", default="")


@contextmanager
def in_market(country: str) -> Iterator[None]:
    """In this context amounts are formatted for this country, unless the page is in English."""
    token = _market.set(country)
    try:
        yield
    finally:
        _market.reset(token)


def market() -> str:
    """The country of the context, or ""."""
    return _market.get()


def language() -> str:
    """The reader's language without its region."""
    return (translation.get_language() or "en").partition("-")[0]


def locale() -> str:
    """The Babel locale in which the reader writes numbers."""
    return LOCALES.get(market()) or ELSEWHERE[language()] if language() in ELSEWHERE else "en"
