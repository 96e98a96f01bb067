"""The guides of /docs say the same in every language, lead nowhere that is not there, and are found."""

import json
import re
from collections import Counter
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.utils import translation

from accounts.base.errors import catalogue
from accounts.base.wire import dumps
from gateway.api.openapi.document import document, operations
from gateway.api.reference.guides import FOLDER, guide, guides
from gateway.api.reference.reproductions import EXPLAINED
from gateway.api.reference.samples import ENDINGS
from gateway.api.reference.samples import FOLDER as SAMPLES
from gateway.api.reference.search import search
from gateway.api.reference.site import CHAPTERS, GENERATED, GUIDES, LANGUAGES, address
from gateway.conversions.scenarios import SCENARIOS as CONVERSIONS
from gateway.methods.card.sandbox_cards import TEST_CARDS
from gateway.methods.scenarios import SCENARIOS as PAYMENTS
from gateway.payouts.scenarios import SCENARIOS as PAYOUTS

KEPT = re.compile(r"\{#[a-z0-9-]+\}|\{%.*?%\}|\{\{.*?\}\}|\]\([^)]*\)")
"""What a translation keeps: anchors, tags, facts, links."""
SHOWN = re.compile(r'\{% sample "([a-z-]+)" "([a-z-]+)" %\}')
SHOWN_IN = {one: re.compile(rf'\{{% sample_in "{one}" "([a-z-]+)" "([a-z-]+)" %\}}') for one in ENDINGS}
PART = re.compile(r"^\s*(?:#|//) \[([a-z-]+)\]$", re.MULTILINE)

NAMED = re.compile(r"(?<![A-Za-z])[a-z]+(?:[A-Z][a-z0-9]*)+")
"""A name as JSON and TypeScript have them: `paidAt`."""


class Page(HTMLParser):
    """Where a page leads, and the places in it."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        if tag == "a" and known.get("href"):
            self.links.append(str(known["href"]))
        if known.get("id"):
            self.ids.append(str(known["id"]))


def written(page: str, language: str) -> str:
    return (FOLDER / language / f"{page}.md").read_text()


@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != "en"])
@pytest.mark.parametrize("page", GUIDES)
def test_a_translation_has_the_same_sections_code_facts_and_links(page: str, language: str) -> None:
    original, translated = written(page, "en"), written(page, language)
    assert KEPT.findall(translated) == KEPT.findall(original)
    code = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
    assert code.findall(translated) == code.findall(original)
    inline = re.compile(r"`[^`\n]+`")
    assert Counter(inline.findall(code.sub("", translated))) == Counter(inline.findall(code.sub("", original)))
    for sign in ("#", "|", "- "):
        lines = [line for line in code.sub("", original).splitlines() if line.startswith(sign)]
        assert len([line for line in code.sub("", translated).splitlines() if line.startswith(sign)]) == len(lines)


def test_every_member_that_a_guide_names_exists() -> None:
    contract = dumps(document()).decode() + (Path(settings.BASE_DIR) / "static/sdk/onpay-card.d.ts").read_text()
    known = set(NAMED.findall(contract))
    for page in GUIDES:
        prose = re.sub(r"^```.*?^```$", "", written(page, "en"), flags=re.DOTALL | re.MULTILINE)
        named = {name for code in re.findall(r"`([^`\n]+)`", prose) for name in NAMED.findall(code)}
        assert not named - known, page


def test_every_file_is_a_page_and_every_part_of_a_sample_is_shown() -> None:
    listed = [one for chapter in CHAPTERS for one in chapter.pages]
    assert len(set(listed)) == len(listed)
    assert set(GENERATED) - {"search"} <= set(listed)
    for language in LANGUAGES:
        assert {file.stem for file in (FOLDER / language).glob("*.md")} == set(GUIDES)


def test_every_part_of_a_sample_is_shown() -> None:
    text = "".join(written(page, "en") for page in GUIDES)
    for language, ending in ENDINGS.items():
        files = {file.stem: file.read_text() for file in SAMPLES.glob(f"*.{ending}") if file.stem != "receiver"}
        shown = {one for one in SHOWN.findall(text) if one[0] in files} | set(SHOWN_IN[language].findall(text))
        assert {(name, part) for name, code in files.items() for part in PART.findall(code)} == shown
        assert files.keys() == {name for name, _ in shown}


def test_the_whole_shop_is_shown_whole() -> None:
    for file in (*SAMPLES.glob("shop.*"), *SAMPLES.glob("shop-check.*")):
        between = re.sub(r"(?ms)^(?:#|//) \[([a-z-]+)\]$.*?^(?:#|//) \[/\1\]$", "", file.read_text())
        assert between.strip() == "", file.name


def test_no_link_of_the_docs_leads_nowhere(client: Client) -> None:
    places = [address(page, language) for language in LANGUAGES for page in (*GUIDES, *GENERATED)]
    pages = {place: Page(client.get(place).content.decode()) for place in places}
    assert all(page.ids and len(set(page.ids)) == len(page.ids) for page in pages.values())
    links = {(here, *link.partition("#")[::2]) for here, page in pages.items() for link in page.links}
    within = {(here, path or here, anchor) for here, path, anchor in links if (path or here) in pages}
    assert not [one for one in within if one[2] and one[2][0] != "/" and one[2] not in pages[one[1]].ids]
    elsewhere = {path for here, path, _ in links if path.startswith("/") and path not in pages}
    assert not [path for path in elsewhere if not is_there(client, path)]


def is_there(client: Client, path: str) -> bool:
    if path.startswith(settings.STATIC_URL):
        return (Path(settings.BASE_DIR) / "static" / path.removeprefix(settings.STATIC_URL)).exists()
    return client.get(path).status_code in (200, 302)


@pytest.mark.parametrize(
    ("query", "language", "first"),
    [
        ("idempotency", "en", "/docs/en/idempotency"),
        ("chargeback", "en", "/docs/en/refunds#chargebacks"),
        ("ONP409_DUPLICATE_REFERENCE", "en", "/docs/en/errors#ONP409_DUPLICATE_REFERENCE"),
        ("accept header of a browser", "en", "/docs/en/errors#ONP406"),
        ("laço sem fim relógio", "pt-br", "/docs/pt-br/errors#ONP409_CLOCK"),
        ("conciliacao", "pt-br", "/docs/pt-br/reconciliation"),
        ("estorno", "pt-br", "/docs/pt-br/refunds"),
        ("chave pix", "pt-br", "/docs/pt-br/keys#address"),
        ("conciliación", "es", "/docs/es/reconciliation"),
    ],
)
def test_what_is_looked_for_is_found_first(query: str, language: str, first: str) -> None:
    assert search(query, language)[0].place.where == first


@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != "en"])
def test_what_pages_take_from_the_code_is_in_their_language(client: Client, language: str) -> None:
    shown = unescape("".join(client.get(address(page, language)).content.decode() for page in ("errors", "sandbox")))
    causes = {text for one in EXPLAINED.values() for text in (one.cause, one.words, one.given.value) if text}
    assert not {text for text in causes if text in shown}
    advice = {refusal.advice for refusal in catalogue() if refusal.advice}
    assert not {text for text in advice if text in shown}
    with translation.override(language):
        assert all(translation.gettext(text) in shown for text in advice)
    tables = "".join(guide(page, language).markdown for page in ("sandbox", "money-out", "cards"))
    plays = (*PAYMENTS, *PAYOUTS, *CONVERSIONS, *TEST_CARDS)
    assert not {one.effect for one in plays if f" {one.effect} |" in tables}


@pytest.mark.parametrize(
    ("asked", "language"),
    [(None, "en"), ("*", "en"), ("pt-BR,pt;q=0.9,en;q=0.8", "pt-BR"), ("es-MX", "es"), ("de,es;q=0.5", "es")],
)
def test_an_address_without_a_language_is_read_in_the_readers(client: Client, asked: str | None, language: str) -> None:
    headers = {"accept-language": asked} if asked else {}
    for page in ("", "/errors", "/quickstart", "/search"):
        answer = client.get(f"/docs{page}", headers=headers)
        assert f'<html lang="{language}">' in answer.content.decode()
        assert "Accept-Language" in answer["Vary"]
    assert '<html lang="en">' in client.get("/docs/en/errors", headers=headers).content.decode()


@pytest.mark.parametrize(
    ("spelled", "there"),
    [
        ("/docs/pt-BR/refunds", "/docs/pt-br/refunds"),
        ("/docs/pt/search?q=pix", "/docs/pt-br/search?q=pix"),
        ("/docs/es-MX", "/docs/es"),
        ("/docs/EN/errors.md", "/docs/en/errors.md"),
        ("/docs/refunds/", "/docs/refunds"),
        ("/docs/", "/docs"),
    ],
)
def test_another_spelling_of_an_address_leads_to_it(client: Client, spelled: str, there: str) -> None:
    answer = client.get(spelled)
    assert (answer.status_code, answer["Location"]) == (301, there)
    for path in ("/docs/de", "/docs/qu/refunds", "/docs/nothing", "/docs/es/nothing", "/docs//evil.example"):
        assert client.get(path).status_code == 404


def test_the_search_takes_anything(client: Client) -> None:
    for query in ("", "((((", "\x00", "<script>alert(1)</script>", "a" * 5000, "% _ \\"):
        answer = client.get("/docs/search", {"q": query})
        assert answer.status_code == 200
        assert b"<script>alert" not in answer.content
    assert search("no such word anywhere", "en") == []


def test_programs_read_the_same(client: Client) -> None:
    text = client.get("/docs/es/refunds.md")
    assert text["content-type"].startswith("text/markdown")
    assert text.content.decode() == guide("refunds", "es").markdown
    for page, said in (("errors", "### ONP409_CLOCK"), ("events", "## payment.paid")):
        generated = client.get(f"/docs/es/{page}.md")
        assert generated["content-type"].startswith("text/markdown")
        assert said in generated.content.decode() and "&#x27;" not in generated.content.decode()
    listed = client.get("/llms.txt").content.decode()
    for page in GUIDES[1:]:
        assert f"{address(page, 'en')}.md)" in listed
    assert "a terminal with curl; everything" in listed
    everything = client.get("/llms-full.txt").content.decode()
    assert all(one.title in everything for one in guides("en"))
    assert not re.search(
        r"onp_(?:live|sandbox)_[A-Za-z0-9_-]{20}|whsec_(?!c2VjcmV0LW9mLXRoZS1leGFtcGxl)[A-Za-z0-9+/=]{20}", everything
    )


def test_a_guide_says_nothing_twice() -> None:
    for language in LANGUAGES:
        titles = [one.title for one in guides(language)]
        assert len(set(titles)) == len(titles)


def test_the_collection_has_every_operation_and_no_key(client: Client) -> None:
    answer = client.get("/docs/onpay.postman_collection.json")
    requests = [one["request"] for folder in answer.json()["item"] for one in folder["item"]]

    def path(request: dict[str, Any]) -> str:
        return "/" + "/".join(re.sub(r"^:(.*)", r"{\1}", segment) for segment in request["url"]["path"])

    made = {(path(one), one["method"].lower()) for one in requests}
    assert made == {(path, method) for path, method, *_ in operations()}
    for one in requests:
        assert [name["key"] for name in one["url"]["variable"]] == re.findall(r"\{(\w+)\}", path(one))
        assert "body" not in one or isinstance(json.loads(one["body"]["raw"]), dict)
    assert [one["value"] for one in answer.json()["variable"] if one["key"] == "apiKey"] == [""]
