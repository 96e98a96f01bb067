"""Calls over HTTP, and what the generated resources stand on."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from decimal import Decimal
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Generic, Optional, TypeVar, Union

import httpx

from onpay._calls import Call
from onpay._model import Model
from onpay._retries import Limits, Tries
from onpay.errors import ConnectionFailed, OnpayError, error_of

M = TypeVar("M", bound=Model)
PAGE_SIZE = 100


def parsed(content: bytes) -> Any:
    """JSON without floats; None where it is none."""
    try:
        return json.loads(content, parse_float=Decimal)
    except ValueError:
        return None


def failure_of(response: httpx.Response, key: Optional[str]) -> Optional[OnpayError]:
    """The error that an answer is, or None. What is not of this API is one, too."""
    is_pdf = response.headers.get("content-type", "").startswith("application/pdf")
    body = None if is_pdf else parsed(response.content)
    if response.is_success and (is_pdf or (isinstance(body, dict) and "data" in body)):
        return None
    return error_of(response.status_code if not response.is_success else 502, body, response.headers, key)


def within(seconds: float, http: httpx.Client, request: Mapping[str, Any]) -> httpx.Response:
    """The whole answer, or `httpx.ReadTimeout`. `httpx` itself limits each read alone: one that comes byte by byte
    would never be late.
    """
    came: SimpleQueue[Union[httpx.Response, Exception]] = SimpleQueue()

    def wait() -> None:
        try:
            came.put(http.request(**request, timeout=seconds))
        except Exception as error:  # noqa: BLE001  raised where somebody waits for it
            came.put(error)

    Thread(target=copy_context().run, args=[wait], name="onpay", daemon=True).start()
    try:
        answer = came.get(timeout=seconds)
    except Empty:
        raise httpx.ReadTimeout("the answer did not come in time") from None
    if isinstance(answer, Exception):
        raise answer
    return answer


@dataclass(frozen=True)
class Service:
    """Where the API is, and how the caller is known there. An `httpx` client that others use, too, is told neither."""

    url: str
    headers: Mapping[str, str] = field(repr=False)

    def request(self, call: Call) -> dict[str, Any]:
        """The same for every try. A redirect is not followed: the key is for this address alone."""
        return {
            "method": call.method,
            "url": self.url + call.address,
            "headers": {**self.headers, **call.headers()},
            "content": call.content,
            "follow_redirects": False,
        }


class Transport:
    """Sends a call until it is answered, refused, or its time is over."""

    def __init__(self, http: httpx.Client, service: Service, limits: Limits) -> None:
        self.http = http
        self.service = service
        self.limits = limits

    def send(self, call: Call) -> httpx.Response:
        tries = Tries(self.limits, call.timeout, call.deadline, removes=call.removes)
        request = self.service.request(call)
        key = request["headers"].get("idempotency-key")
        while True:
            try:
                response = within(tries.time_of_this_one, self.http, request)
                failure = failure_of(response, key)
                if failure is None or tries.has_removed(failure):
                    return response
            except httpx.RequestError as error:
                failure = ConnectionFailed(type(error).__name__, key)
            pause = tries.pause_after(failure)
            if pause is None:
                raise failure
            time.sleep(pause)


class AsyncTransport:
    """The same for asyncio."""

    def __init__(self, http: httpx.AsyncClient, service: Service, limits: Limits) -> None:
        self.http = http
        self.service = service
        self.limits = limits

    async def send(self, call: Call) -> httpx.Response:
        tries = Tries(self.limits, call.timeout, call.deadline, removes=call.removes)
        request = self.service.request(call)
        key = request["headers"].get("idempotency-key")
        while True:
            seconds = tries.time_of_this_one
            try:
                response = await asyncio.wait_for(self.http.request(**request, timeout=seconds), seconds)
                failure = failure_of(response, key)
                if failure is None or tries.has_removed(failure):
                    return response
            except (httpx.RequestError, asyncio.TimeoutError) as error:
                failure = ConnectionFailed(type(error).__name__, key)
            pause = tries.pause_after(failure)
            if pause is None:
                raise failure
            await asyncio.sleep(pause)


@dataclass(frozen=True)
class Page(Generic[M]):
    """One page of a list. `total_available` counts what matches on all pages."""

    items: list[M]
    page_number: int
    page_size: int
    total_available: int
    totals: list[dict[str, Any]]
    is_last: bool


def page_of(response: httpx.Response, model: type[M], call: Call, number: int) -> "Page[M]":
    body = parsed(response.content)
    about = body["pagination"]
    size, available = about["pageSize"], about["totalAvailable"]
    items = [model.read(one) for one in body["data"]]
    return Page(
        items=items,
        page_number=number,
        page_size=size,
        total_available=available,
        totals=body.get("totals", []),
        is_last=len(items) < size if call.goes_on_after else not items or number * size >= available,
    )


def page_call(call: Call, number: int) -> Call:
    return replace(call, query={"page_size": PAGE_SIZE, **call.query, "page_number": number})


def next_call(call: Call, page: "Page[M]") -> Call:
    """The page that begins after the last item, or has the next number."""
    if call.goes_on_after:
        last = getattr(page.items[-1], call.goes_on_after)
        return page_call(replace(call, query={**call.query, "after": last}), 1)
    return page_call(call, page.page_number + 1)


class Fresh(Generic[M]):
    """Leaves out what was on a page before: by page numbers, objects created meanwhile move the others down."""

    def __init__(self, call: Call) -> None:
        self.goes_on_after = call.goes_on_after
        self.seen: set[str] = set()

    def of(self, page: "Page[M]") -> list[M]:
        if self.goes_on_after:
            return page.items
        ids = [getattr(one, "id", None) for one in page.items]
        fresh = [one for one, name in zip(page.items, ids) if name is None or name not in self.seen]
        self.seen.update(name for name in ids if name is not None)
        return fresh


class Pages(Generic[M]):
    """A list. Iterating asks for page after page; `pages()` gives them one by one."""

    def __init__(self, transport: Transport, call: Call, model: type[M]) -> None:
        self._transport, self._call, self._model = transport, call, model

    def page(self, number: int = 1) -> Page[M]:
        """One page."""
        return self._page(page_call(self._call, number), number)

    def pages(self) -> Iterator[Page[M]]:
        """Page after page, from the `page_number` that was asked for."""
        page = self.page(self._call.query.get("page_number", 1))
        yield page
        while not page.is_last:
            page = self._page(next_call(self._call, page), page.page_number + 1)
            yield page

    def _page(self, call: Call, number: int) -> Page[M]:
        return page_of(self._transport.send(call), self._model, call, number)

    def __iter__(self) -> Iterator[M]:
        fresh: Fresh[M] = Fresh(self._call)
        for page in self.pages():
            yield from fresh.of(page)


class AsyncPages(Generic[M]):
    """A list. `async for` asks for page after page; `pages()` gives them one by one."""

    def __init__(self, transport: AsyncTransport, call: Call, model: type[M]) -> None:
        self._transport, self._call, self._model = transport, call, model

    async def page(self, number: int = 1) -> Page[M]:
        """One page."""
        return await self._page(page_call(self._call, number), number)

    async def pages(self) -> AsyncIterator[Page[M]]:
        """Page after page, from the `page_number` that was asked for."""
        page = await self.page(self._call.query.get("page_number", 1))
        yield page
        while not page.is_last:
            page = await self._page(next_call(self._call, page), page.page_number + 1)
            yield page

    async def _page(self, call: Call, number: int) -> Page[M]:
        return page_of(await self._transport.send(call), self._model, call, number)

    async def __aiter__(self) -> AsyncIterator[M]:
        fresh: Fresh[M] = Fresh(self._call)
        async for page in self.pages():
            for one in fresh.of(page):
                yield one


class Resource:
    """The calls about one kind of object."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def _one(self, call: Call, model: type[M]) -> M:
        return model.read(parsed(self._transport.send(call).content)["data"])

    def _pdf(self, call: Call) -> bytes:
        return self._transport.send(call).content

    def _removed(self, call: Call, model: type[M]) -> M:
        self._transport.send(call)
        return model.read(call.removed)

    def _list(self, call: Call, model: type[M]) -> Pages[M]:
        return Pages(self._transport, call, model)


class AsyncResource:
    """The calls about one kind of object, for asyncio."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def _one(self, call: Call, model: type[M]) -> M:
        return model.read(parsed((await self._transport.send(call)).content)["data"])

    async def _pdf(self, call: Call) -> bytes:
        return (await self._transport.send(call)).content

    async def _removed(self, call: Call, model: type[M]) -> M:
        await self._transport.send(call)
        return model.read(call.removed)

    def _list(self, call: Call, model: type[M]) -> AsyncPages[M]:
        return AsyncPages(self._transport, call, model)
