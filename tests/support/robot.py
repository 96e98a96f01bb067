"""A person before a page, who knows nothing of it but what is seen: no ids, no styles, no addresses."""

import re
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from django.utils import translation
from playwright.sync_api import ElementHandle, Page, Response
from playwright.sync_api import TimeoutError as TookTooLong

from ledger.notation import in_market, written
from tests.support.browser import Watched

MOST_CLICKS = 3
PATIENCE_S = 8
READERS_START_WITHIN_MS = 30_000
SEEN = """([wanted, near]) => {
  const rest = text => text.replace(/[\\s\\u00a0]+/g, " ").trim()
  const shows = one => one.checkVisibility({visibilityProperty: true, opacityProperty: true})
  const text = one => {
    const walker = document.createTreeWalker(one, NodeFilter.SHOW_TEXT), parts = []
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const box = node.parentElement.getBoundingClientRect()
      if (box.width > 1 && !node.parentElement.closest(".badge, .material-symbols-outlined")) parts.push(node.data)
    }
    return rest(parts.join(" ")) || rest(one.getAttribute("aria-label") || "")
  }
  const around = one => one.closest("tr, li, article") || one.closest("dl, section, form, .card")
  const inRow = one => !near || rest(around(one)?.innerText || "").includes(near)
  const doors = "a[href], button, summary, input[type=submit], [role=button], [role=tab], [role=menuitem]"
  const found = [...document.querySelectorAll(doors)].filter(one => shows(one) && inRow(one) && text(one) === wanted)
  const places = new Set(), apart = []
  for (const one of found) {
    if (one.href && places.has(one.href)) continue
    places.add(one.href)
    apart.push(one)
  }
  return apart
}"""
"""What can be clicked and shows exactly these words, counts beside them left out; two ways to one place are one."""
WAYS_ON = """() => [...(document.querySelector("main") || document.body).querySelectorAll("a[href], button, summary")]
  .filter(one => one.checkVisibility()).length"""


@dataclass
class Robot:
    """Finds its way by visible words in the language of the page, and counts its clicks.

    Opening the menu of a telephone and typing are not counted; a search, with the choice of what it finds, is one.
    """

    watched: Watched
    language: str = "en"
    clicked: list[str] = field(default_factory=list)
    """What it clicked, in order."""
    refused: list[str] = field(default_factory=list)
    """Pages that were answered with an error."""

    @property
    def page(self) -> Page:
        return self.watched.page

    @contextmanager
    def at_work(self, start: str) -> Any:
        """One job, from the page where the person begins: at most three clicks, and none into a dead end."""
        self.page.on("response", self._on_response)
        try:
            self.watched.go(start)
            self._may_go_on("the start")
            yield self
        finally:
            self.page.remove_listener("response", self._on_response)
        assert len(self.clicked) <= MOST_CLICKS, f"too many clicks: {self.clicked}"

    # ── Words ─────────────────────────────────────────────────────────────────────────────────────────────────────
    def word(self, text: str, context: str = "", **values: Any) -> str:
        """The English text as the page says it."""
        with translation.override(self.language):
            said = translation.pgettext(context, text) if context else translation.gettext(text)
        return plain(said % values if values else said)

    def money(self, amount: str, currency: str = "BRL") -> str:
        with translation.override(self.language), in_market("BR"):
            return plain(written(Decimal(amount), currency))

    def sees(self) -> str:
        """All that can be read on the page now."""
        return plain(self.page.locator("body").inner_text())

    def reads(self, *facts: str) -> None:
        """What the person wanted to know is on the page, at once or in a moment."""
        for fact in facts:
            for _ in range(PATIENCE_S * 10):
                if fact.lower() in self.sees().lower():
                    break
                self.page.wait_for_timeout(100)
            else:
                raise AssertionError(f"{fact!r} cannot be read after {self.clicked}: {self.sees()[:3000]}")

    # ── Hands ─────────────────────────────────────────────────────────────────────────────────────────────────────
    def clicks(self, text: str, near: str = "", context: str = "", **values: Any) -> None:
        """The one link or button that shows this text, in a row or box that also shows `near`."""
        self.clicks_on(self.word(text, context, **values), near)

    def clicks_on(self, shown: str, near: str = "") -> None:
        """As `clicks`, with the text as it is shown."""
        door = self._door(shown, near)
        self.clicked.append(shown)
        door.click()
        self._may_go_on(shown)

    def gets(self, text: str, near: str = "") -> bytes:
        """The file behind the link of this text, in the page's language or as it is: shown or kept by the browser."""
        shown = self.word(text)
        door = self._door(shown, near)
        self.clicked.append(shown)
        with self.page.expect_response(_is_file) as answered:
            door.click()
        return self.page.context.request.get(answered.value.url).body()

    def types(self, label: str, value: str) -> None:
        """Into the one visible field of that label."""
        called = re.compile(rf"^\s*{re.escape(self.word(label))}\s*\*?\s*$", re.IGNORECASE)
        fields = self.page.get_by_label(called).filter(visible=True)
        assert fields.count() == 1, f"{fields.count()} fields are called {label!r}: {self.sees()[:2000]}"
        fields.fill(value)

    def searches(self, text: str) -> None:
        """With the search of the dashboard."""
        self.clicked.append(f"search: {text}")
        box = self.page.get_by_role("searchbox", name=self.word("Search"), exact=True).filter(visible=True)
        assert box.count() == 1, "there is no place to search"
        box.fill(text)
        box.press("Enter")
        self._may_go_on(text)

    def finds(self, text: str, hit: str) -> None:
        """With the search of the staff admin: the one result that shows these words."""
        self.clicked.append(f"search: {text}")
        self.page.keyboard.press("Control+k")
        self.page.get_by_placeholder(self.word("Type to search")).filter(visible=True).last.press_sequentially(text)
        results = self.page.get_by_role("link").filter(visible=True, has_text=hit)
        results.first.wait_for(timeout=PATIENCE_S * 1000)
        assert results.count() == 1, [one.inner_text() for one in results.all()]
        results.click()
        self._may_go_on(text)

    def looks_again(self) -> None:
        """A moment later, at the same page."""
        self.page.reload(wait_until="load")
        self._may_go_on("the page again")

    # ── What it meets ─────────────────────────────────────────────────────────────────────────────────────────────
    def _door(self, shown: str, near: str) -> ElementHandle:
        found = self._doors(shown, near) or (self._opens_the_menu() and self._doors(shown, near)) or []
        where = f" near {near!r}" if near else ""
        assert found, f"nothing to click says {shown!r}{where} after {self.clicked}: {self.sees()[:3000]}"
        assert len(found) == 1, f"{len(found)} places say {shown!r}{where} after {self.clicked}"
        return found[0]

    def _doors(self, shown: str, near: str) -> list[ElementHandle]:
        handle = self.page.evaluate_handle(SEEN, [shown, near])
        elements = (one.as_element() for one in handle.get_properties().values())
        return [one for one in elements if one]

    def _opens_the_menu(self) -> bool:
        """On a telephone the pages, and what can be done with a record, are behind buttons."""
        menus = self.page.locator("label[for=menu]").or_(self.page.get_by_text("more_horiz", exact=True))
        shown = menus.filter(visible=True)
        for menu in shown.all():
            menu.click()
        self.page.wait_for_timeout(200)
        return bool(shown.count())

    def _may_go_on(self, after: str) -> None:
        self.page.wait_for_load_state("load")
        if self.page.locator("iframe").count():  # a click lands beside its button while readers of documents start
            with suppress(TookTooLong):  # on a busy machine one of several readers may never say that it is idle
                self.page.wait_for_load_state("networkidle", timeout=READERS_START_WITHIN_MS)
        assert not self.refused, f"a dead end after {after!r}: {self.refused}"
        assert self.page.evaluate(WAYS_ON), f"no way on after {after!r}: {self.sees()[:1000]}"

    def _on_response(self, answer: Response) -> None:
        if answer.request.is_navigation_request() and answer.status >= 400:
            self.refused.append(f"{answer.status} {answer.url}")


def _is_file(answer: Response) -> bool:
    return (
        answer.request.is_navigation_request() and answer.status == 200 and "html" not in answer.headers["content-type"]
    )


def plain(text: str) -> str:
    """With single spaces, none of them unbreakable."""
    return re.sub(r"\s+", " ", str(text).replace("\xa0", " ").replace("\u202f", " ")).strip()
