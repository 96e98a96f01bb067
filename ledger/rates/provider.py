"""Sources of rates: URLs that answer `{"base": "USD", "timestamp": 1795176000, "rates": {"BRL": …}}`."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Protocol

import aiohttp
from django.conf import settings

from accounts.base.clock import utcnow
from accounts.base.wire import NotOneJsonObject, loads

TIMEOUT_S = 10
LARGEST = 256 * 1024
LATEST = 10**11
"""In seconds: later than any time that is meant."""


@dataclass(frozen=True, slots=True)
class Quotes:
    """Units of each currency for one unit of a base, and the time of the quotes."""

    rates: Mapping[str, Decimal]
    quoted_at: datetime


class RatesUnavailable(Exception):
    """The provider returned an invalid response; the message says why, without the URL, which may contain a secret."""


class Provider(Protocol):
    """A source of market rates."""

    def quotes(self) -> Quotes:
        """The current rates. Raises RatesUnavailable."""


class HttpProvider:
    """A service whose response has the members `base`, `rates` and optionally `timestamp`, in seconds."""

    def __init__(self, url: str) -> None:
        self.url = url

    def quotes(self) -> Quotes:
        try:
            answer = loads(asyncio.run(self._fetch()))
        except (aiohttp.ClientError, TimeoutError, OSError, NotOneJsonObject, ValueError) as error:
            raise RatesUnavailable(type(error).__name__) from None
        rates = answer.get("rates")
        if not isinstance(rates, dict) or not isinstance(answer.get("base"), str):
            raise RatesUnavailable("the answer has no base and rates")
        known = {code: Decimal(rate) for code, rate in rates.items() if _is_number(rate)}
        return Quotes({answer["base"]: Decimal(1), **known}, _quoted_at(answer.get("timestamp")))

    async def _fetch(self) -> bytes:
        timeout = aiohttp.ClientTimeout(total=TIMEOUT_S)
        async with (
            aiohttp.ClientSession(timeout=timeout, trust_env=False) as session,
            session.get(self.url, allow_redirects=False) as response,
        ):
            if response.status != 200:
                raise ValueError
            body = await response.content.read(LARGEST + 1)
            while len(body) <= LARGEST and (more := await response.content.read(LARGEST + 1 - len(body))):
                body += more
            if len(body) > LARGEST:
                raise ValueError
            return body


def _is_number(value: object) -> bool:
    return isinstance(value, int | Decimal) and not isinstance(value, bool)


def _quoted_at(timestamp: object) -> datetime:
    """The provider's time, never later than ours; ours if there is none."""
    now = utcnow()
    if timestamp is None:
        return now
    if not isinstance(timestamp, int | Decimal) or not 0 < timestamp < LATEST:
        raise RatesUnavailable("the answer has a time that is none")
    return min(now, datetime.fromtimestamp(int(timestamp), UTC))


def providers() -> tuple[Provider | None, Provider | None]:
    """The first source and the second, which checks it and serves in its place; None where none is configured."""
    first, second = (HttpProvider(url) if url else None for url in (settings.RATES_URL, settings.RATES_SECOND_URL))
    return first, second
