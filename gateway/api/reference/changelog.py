"""CHANGELOG.md as merchants read it: without what concerns operators only, as a page and as an Atom feed."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from django.conf import settings
from django.utils.feedgenerator import Atom1Feed
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

OF_OPERATORS = "For operators:"
_VERSION = re.compile(r"## (\S+)(?: \((\d{4}-\d\d-\d\d)\))?$")
_LINK = re.compile(r"\[([^\]]+)\]\([^)]*\)")


@dataclass(frozen=True, slots=True)
class Release:
    """A version and what merchants notice of it; `date` is None until it is released."""

    version: str
    date: datetime | None
    changes: list[SafeString]

    @property
    def listed(self) -> SafeString:
        return format_html("<ul>{}</ul>", format_html_join("", "<li>{}</li>", ((one,) for one in self.changes)))


@cache
def releases() -> list[Release]:
    """Every version, the newest first."""
    found: list[Release] = []
    for line in (Path(settings.BASE_DIR) / "CHANGELOG.md").read_text().splitlines():
        if heading := _VERSION.fullmatch(line):
            date = datetime.fromisoformat(heading[2]).replace(tzinfo=UTC) if heading[2] else None
            found.append(Release(heading[1], date, []))
        elif line.startswith("- ") and (text := line[2:].partition(OF_OPERATORS)[0].strip()):
            found[-1].changes.append(_html(text))
    return found


def feed() -> str:
    """The released versions as an Atom feed."""
    page = f"{settings.BASE_URL}/docs/changelog"
    atom = Atom1Feed(
        title="Onpay Gateway: changelog", link=page, description="", feed_url=f"{page}.atom", language="en"
    )
    for release in releases():
        if release.date:
            address = f"{page}#{release.version}"
            atom.add_item(
                title=f"Onpay Gateway {release.version}",
                link=address,
                unique_id=address,
                description=release.listed,
                pubdate=release.date,
                updateddate=release.date,
            )
    return str(atom.writeString("utf-8"))


def _html(text: str) -> SafeString:
    """Code between backticks; a link to a file of ours is its words."""
    parts = enumerate(_LINK.sub(r"\1", text).split("`"))
    return format_html_join("", "{}", ((format_html("<code>{}</code>", part) if n % 2 else part,) for n, part in parts))
