"""Where rates are fetched: an address that answers `{"base": "USD", "timestamp": 1795176000, "rates": {"BRL": …}}`."""

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


@dataclass(frozen=True, slots=True)
class Quotes:
    """Units of each currency for one unit of a base, and when that was so."""

    rates: Mapping[str, Decimal]
    quoted_at: datetime


class RatesUnavailable(Exception):
    """The provider gave no usable answer; its message says why, without the address, which may hold a secret."""


class Provider(Protocol):
    """Somebody who knows the market."""

    def quotes(self) -> Quotes:
        """What everything is worth now. Raises RatesUnavailable."""


class HttpProvider:
    """Any service whose answer has the members `base`, `rates` and perhaps `timestamp`, in seconds."""

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
    """The provider's own time, never later than ours; ours where it gives none."""
    now = utcnow()
    if timestamp is None:
        return now
    if not _is_number(timestamp):
        raise RatesUnavailable("the answer has a time that is none")
    try:
        return min(now, datetime.fromtimestamp(int(timestamp), UTC))  # type: ignore[call-overload]
    except (ArithmeticError, ValueError, OSError):
        raise RatesUnavailable("the answer has a time that is none") from None


def provider() -> Provider | None:
    """The provider that is set, if there is one."""
    return HttpProvider(settings.RATES_URL) if settings.RATES_URL else None
