"""A form as a browser would send it back."""

from html.parser import HTMLParser


class _Form(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.values: dict[str, str] = {}
        self._select = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "select":
            self._select = given.get("name", "")
        elif tag == "option" and "selected" in given:
            self.values[self._select] = given.get("value", "")
        elif tag == "input" and given.get("name"):
            self._input(given)

    def _input(self, given: dict[str, str]) -> None:
        kind = given.get("type", "text")
        if kind in ("checkbox", "radio"):
            if "checked" in given:
                self.values[given["name"]] = given.get("value", "on")
        elif kind != "submit":
            self.values[given["name"]] = given.get("value", "")


def form_in(page: bytes) -> dict[str, str]:
    """Every value that the page's inputs and selects hold."""
    form = _Form()
    form.feed(page.decode())
    return form.values
