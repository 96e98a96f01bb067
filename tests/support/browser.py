"""A real browser whose pages are watched: they may complain of nothing and call nobody else."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal
from zlib import crc32

from django.test import Client
from playwright.sync_api import ConsoleMessage, Error, Page, Request

NARROW = {"width": 390, "height": 844}
WIDE = {"width": 1280, "height": 900}
LANGUAGES = ("en", "pt-br", "es")
WIDTHS = {"390px": NARROW, "1280px": WIDE}
NOBODY = "/nobody"
"""An empty page of the service: while no test runs the browser is there, and keeps the processes that it has for it."""
SHORT = bool(os.environ.get("SHORT"))


def widths_for(test: str) -> list[str]:
    """Both; with SHORT=1 one of them, always the same one for a test and each for about half of the tests."""
    both = list(WIDTHS)
    return [both[crc32(test.encode()) % len(both)]] if SHORT else both


def theme_of(kind: str, viewport: Any) -> Literal["light", "dark"]:
    """In which a kind of page is looked at in this width: in the other width in the other one."""
    return "dark" if (crc32(kind.encode()) + (viewport == WIDE)) % 2 else "light"


def languages_for(test: str) -> list[str]:
    """All; with SHORT=1 one of them, always the same one for a test."""
    return [LANGUAGES[crc32(test.encode()) // 2 % len(LANGUAGES)]] if SHORT else list(LANGUAGES)


@dataclass
class Watched:
    """A page and what it complained of."""

    page: Page
    origin: str
    complaints: list[str] = field(default_factory=list)
    forgiven: list[str] = field(default_factory=list)

    @contextmanager
    def before(self, viewport: Any) -> Iterator[None]:
        """Somebody with a window of that size opens the page, and leaves it as it was: nothing is known of them."""
        heard: dict[Any, Any] = {"console": self.on_console, "pageerror": self.on_error, "request": self.on_request}
        self.page.set_viewport_size(viewport)
        for event, listener in heard.items():
            self.page.on(event, listener)
        yield
        self.page.evaluate("[localStorage, sessionStorage].map((kept) => kept.clear())")
        self.page.goto(f"{self.origin}{NOBODY}")
        for event, listener in heard.items():
            self.page.remove_listener(event, listener)
        self.page.unroute_all()
        self.page.emulate_media(color_scheme="null", reduced_motion="reduce")
        self.page.context.clear_cookies()
        assert self.complaints == [], self.complaints

    def enters(self, browser: Client) -> None:
        """With the cookies of somebody who has signed in."""
        kept = [{"name": name, "value": one.value, "url": self.origin} for name, one in browser.cookies.items()]
        self.page.context.add_cookies(kept)  # type: ignore[arg-type]

    def go(self, path: str) -> Page:
        self.page.goto(self.origin + path, wait_until="load")
        return self.page

    def overflow(self) -> int:
        """How many pixels the page is wider than its window, once it is drawn: within five seconds."""
        root = "document.documentElement"
        for _ in range(50):
            if not (wider := int(self.page.evaluate(f"{root}.scrollWidth - {root}.clientWidth"))):
                return 0
            self.page.wait_for_timeout(100)
        return wider

    def on_console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not any(part in message.text for part in self.forgiven):
            self.complaints.append(message.text)

    def on_error(self, error: Error) -> None:
        self.complaints.append(str(error))

    def on_request(self, request: Request) -> None:
        if not request.url.startswith((f"{self.origin}/", "data:", "blob:", "chrome")):  # a browser's own reader of PDF
            self.complaints.append(f"asks {request.url}")
