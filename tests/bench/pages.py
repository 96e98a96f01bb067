"""Every page of the dashboard and of staff, as links and forms lead to it, with its lists filtered and searched."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from html.parser import HTMLParser
from urllib.parse import SplitResult, parse_qsl, urlencode, urljoin, urlsplit

from django.contrib import admin
from django.test import Client
from django.urls import Resolver404, resolve, reverse

from accounts.models import Merchant
from gateway.dashboard import urls
from gateway.payments.models import Payment
from gateway.staff.kit.columns import address
from tests.bench.scale import SHORT, scaled

DASHBOARD_QUERIES: dict[str, tuple[dict[str, str], ...]] = {
    "home": ({"period": "90"}, {"period": "month"}),
    "sales": ({"period": "90"}, {"period": "between", "since": "2025-11-24"}, {"period": "90", "in": "USD"}),
    "statement": ({"from": "", "to": ""},),
    "explain": ({"cause": "FEES"},),
    "receivables": ({"month": "2026-11"},),
}
NOT_FOLLOWED = ("format", "csrfmiddlewaretoken")
MARKS = ("after", "before", "e", "p")
EACH = scaled(1, 9)
"""Of the pages without an id every so many."""
OPTIONS = scaled(2, 1)
"""So many choices of a field are tried, the last ones."""


@dataclass
class Texts:
    """What is typed into fields: things that are there, and one that is not."""

    payment: Payment
    fields: dict[str, list[str]] = field(init=False)

    def __post_init__(self) -> None:
        day, name = f"{self.payment.created_at:%Y-%m-%d}", self.payment.payer["name"]
        amount = f"{self.payment.amount / 100:.2f}"
        searches = [self.payment.pk, amount, name, self.payment.reference[:6], "4242", "zzzz nobody", f"{amount} {day}"]
        moments = {"since": f"{day}T00:00", "until": f"{day}T23:59", "created_from": f"{day}T00:00"}
        self.fields = {name: [value] for name, value in moments.items()} | {
            "q": searches[:2] if SHORT else searches,
            "object_id": [self.payment.pk],
            "reference": [self.payment.reference],
            "path_contains": ["/payments"],
            "company": [name],
            "whom": [self.payment.pk],
            "who": ["example"],
            "what": ["payment"],
            "least": [amount],
            "most": [amount],
            "day": [day],
            "origin": ["127.0.0.1"],
            "code": ["ONP400"],
        }

    def of(self, name: str) -> list[str]:
        """Ranges have names of their own: `amount_from`, `created_at_to`."""
        if name in self.fields:
            return self.fields[name]
        if name.endswith(("_at_from", "_at_to", "_on_from", "_on_to", "_since", "_until")) or name in ("from", "to"):
            return [f"{self.payment.created_at:%Y-%m-%d}"]
        return ["150"] if name.endswith(("_from", "_to")) else []


class _Read(HTMLParser):
    """The links of a page, and the fields of forms that only ask: name and choices, None for text."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.links: list[str] = []
        self.fields: dict[tuple[str, str], list[str] | None] = {}
        self._action: str | None = None
        self._select = ""
        self.feed(page.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        elif tag == "form":
            self._action = given.get("action", "") if given.get("method", "get").lower() == "get" else None
        elif self._action is not None:
            self._field(tag, given, self._action)

    def _field(self, tag: str, given: dict[str, str], action: str) -> None:
        name = given.get("name", "")
        if tag == "select":
            self._select = name
        elif tag == "option" or (tag == "input" and given.get("type") in ("checkbox", "radio")):
            values = self.fields.setdefault((action, name or self._select), [])
            if values is not None and given.get("value"):
                values.append(given["value"])
        elif tag == "input" and given.get("type") != "hidden" and name:
            self.fields.setdefault((action, name), None)

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._action = None


@dataclass
class Walk:
    """The pages below a place, each kind once: a kind is a page with the names of what is asked in its address."""

    client: Client
    place: str
    texts: Texts
    oldest: datetime
    found: dict[str, str] = field(default_factory=dict)
    count: Counter[str] = field(default_factory=Counter)

    def go(self, starts: Iterable[str]) -> dict[str, str]:
        """Titles and addresses."""
        waiting = list(starts)
        while waiting:
            where = waiting.pop(0)
            if (title := self._title(where)) and self._is_new(title):
                self.found[title] = ""
                answer = self.client.get(where)
                if answer.status_code == 200 and "html" in answer["Content-Type"]:
                    self.found[title] = where
                    waiting += self._further(where, answer.content)
        return {title: where for title, where in self.found.items() if where}

    def _title(self, where: str) -> str:
        parts = urlsplit(where)
        asked = parse_qsl(parts.query, keep_blank_values=True)
        if not parts.path.startswith(self.place) or any(name in NOT_FOLLOWED for name, _ in asked):
            return ""
        try:
            kind = str(resolve(parts.path).url_name)
        except Resolver404:
            return ""
        told = " ".join(name if name in MARKS else f"{name}={value}" for name, value in asked)
        return f"{kind} {told}".strip()

    def _is_new(self, title: str) -> bool:
        """Of each page and each name that is asked for a few."""
        if title in self.found:
            return False
        kind = " ".join(part.partition("=")[0] for part in title.split(" ") if "=" in part or part == title)
        kind = f"{title.split(' ', maxsplit=1)[0]} {kind}"
        self.count[kind] += 1
        return self.count[kind] <= (len(self.texts.of("q")) if kind.endswith((" q", " s")) else OPTIONS)

    def _further(self, where: str, page: bytes) -> Iterator[str]:
        read, parts = _Read(page), urlsplit(where)
        is_plain = not parts.query
        for link in read.links[:: EACH * EACH]:
            there = urlsplit(urljoin(where, link))
            is_narrower = bool(there.query) and (is_plain or "after" in dict(parse_qsl(there.query)))
            if not there.query or (there.path == parts.path and is_narrower):
                yield there._replace(scheme="", netloc="", fragment="").geturl()
                yield from self._last(there)
        for (action, name), choices in read.fields.items() if is_plain and not SHORT else ():
            values = self.texts.of(name) if choices is None else choices[-OPTIONS:]
            yield from (f"{urljoin(where, action)}?{urlencode({name: value})}" for value in values)

    def _last(self, following: SplitResult) -> Iterator[str]:
        """Where the list ends, from the address of its second page: the mark there is a time and an id."""
        moment, _, rest = dict(parse_qsl(following.query)).get("after", "").partition("~")
        if rest and moment[:2] == "20":
            mark = f"{self.oldest.isoformat()}~{rest}"
            yield f"{following.path}?{urlencode({'after': mark, 'last': ''})}"


def of_company(client: Client, merchant: Merchant, texts: Texts) -> dict[str, str]:
    """The pages of a company."""
    here = {"company_id": merchant.company_id, "environment": merchant.environment.lower()}
    home = reverse("dashboard:home", kwargs=here)
    plain = [page.name for page in urls.company if not page.pattern.converters]
    starts = [reverse(f"dashboard:{name}", kwargs=here) for name in plain]
    starts += [
        f"{reverse(f'dashboard:{name}', kwargs=here)}?{urlencode(query)}"
        for name, queries in DASHBOARD_QUERIES.items()
        for query in queries
    ]
    oldest = Payment.objects.filter(merchant=merchant).order_by("created_at")[10].created_at
    return Walk(client, home, texts, oldest).go([home, *starts[::EACH]])


def of_staff(client: Client, texts: Texts) -> dict[str, str]:
    """The pages of staff: of every model its list, and its newest record."""
    starts = ["/admin/", *(f"/admin/search/?{urlencode({'s': text, 'extended': 1})}" for text in texts.of("q"))]
    for model in admin.site._registry:
        starts.append(address(model, "changelist"))
        newest = model._default_manager.order_by("-pk").first()
        if newest is not None:
            starts.append(address(model, "change", newest.pk))
    return Walk(client, "/admin/", texts, texts.payment.created_at).go(starts[::EACH])
