"""The two clients."""

import os
import re
from typing import Optional
from urllib.parse import urlsplit

import httpx
from typing_extensions import Self

from onpay._generated.async_resources import AsyncResources
from onpay._generated.resources import Resources
from onpay._generated.version import __version__
from onpay._retries import Limits
from onpay._transport import AsyncTransport, Service, Transport

LOOPBACK = ("localhost", "127.0.0.1", "::1")
KEY = re.compile(r"onp_(sandbox|live)_[A-Za-z0-9_-]+")


def _service(api_key: Optional[str], base_url: Optional[str]) -> Service:
    """A key never leaves over an open line."""
    key = (api_key or os.environ.get("ONPAY_API_KEY", "")).strip()
    url = base_url or os.environ.get("ONPAY_BASE_URL", "")
    if not KEY.fullmatch(key):
        raise ValueError("api_key (or ONPAY_API_KEY) must be a key that begins with onp_sandbox_ or onp_live_")
    parts = urlsplit(url)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in LOOPBACK):
        raise ValueError("base_url (or ONPAY_BASE_URL) must be https, or http on this machine")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise ValueError("base_url (or ONPAY_BASE_URL) must be an address without credentials, query and fragment")
    return Service(url.rstrip("/"), {"x-api-key": key, "user-agent": f"onpay-python/{__version__}"})


class Onpay(Resources):
    """The API, with one attribute for each kind of object: `client.payments.create(...)`.

    A POST gets an idempotency key by itself, kept while it is tried again. What the service calls retryable is tried
    again: `retries` times, within `deadline` seconds of the whole call. One client serves all threads.
    """

    def __init__(
        self,
        api_key: Optional[str] = None,
        base_url: Optional[str] = None,
        *,
        timeout: float = 30,
        deadline: float = 60,
        retries: int = 4,
        http: Optional[httpx.Client] = None,
    ) -> None:
        self._service = _service(api_key, base_url)
        self._http, self._is_own = http or httpx.Client(), http is None
        super().__init__(Transport(self._http, self._service, Limits(timeout, deadline, retries)))

    def __repr__(self) -> str:
        return f"Onpay({self._service.url!r})"

    def close(self) -> None:
        """Closes the connections; an `http` of yours stays open."""
        if self._is_own:
            self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncOnpay(AsyncResources):
    """The same for asyncio: every call is awaited, lists are read with `async for`."""

    def __init__(
        self,
        api_key: Optional[str] = None,
        base_url: Optional[str] = None,
        *,
        timeout: float = 30,
        deadline: float = 60,
        retries: int = 4,
        http: Optional[httpx.AsyncClient] = None,
    ) -> None:
        self._service = _service(api_key, base_url)
        self._http, self._is_own = http or httpx.AsyncClient(), http is None
        super().__init__(AsyncTransport(self._http, self._service, Limits(timeout, deadline, retries)))

    def __repr__(self) -> str:
        return f"AsyncOnpay({self._service.url!r})"

    async def close(self) -> None:
        """Closes the connections; an `http` of yours stays open."""
        if self._is_own:
            await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
