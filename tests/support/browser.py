"""A real browser whose pages are watched: they may complain of nothing and call nobody else."""

import os
from dataclasses import dataclass, field
from zlib import crc32

from playwright.sync_api import ConsoleMessage, Page, Request

NARROW = {"width": 390, "height": 844}
WIDE = {"width": 1280, "height": 900}
WIDTHS = {"390px": NARROW, "1280px": WIDE}
SHORT = bool(os.environ.get("SHORT"))


def widths_for(test: str) -> list[str]:
    """Both; with SHORT=1 one of them, always the same one for a test and each for about half of the tests."""
    both = list(WIDTHS)
    return [both[crc32(test.encode()) % len(both)]] if SHORT else both


@dataclass
class Watched:
    """A page and what it complained of."""

    page: Page
    origin: str
    complaints: list[str] = field(default_factory=list)

    def watch(self) -> None:
        """Listens to the page from now on."""
        self.page.on("console", self.on_console)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", self.on_request)

    def go(self, path: str) -> Page:
        self.page.goto(self.origin + path, wait_until="load")
        return self.page

    def overflow(self) -> int:
        """How many pixels the page is wider than its window."""
        root = "document.documentElement"
        return int(self.page.evaluate(f"{root}.scrollWidth - {root}.clientWidth"))

    def on_console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def on_request(self, request: Request) -> None:
        if not request.url.startswith((f"{self.origin}/", "data:", "blob:")):
            self.complaints.append(f"asks {request.url}")
