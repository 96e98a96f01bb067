"""Guides: Markdown in `templates/docs/<language>/<page>.md`, with facts from the code and samples that tests run."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.conf import settings
from django.template import Context, Engine
from django.utils.html import escape
from django.utils.safestring import SafeString
from django.utils.translation import override
from markdown_it import MarkdownIt
from markdown_it.common.utils import unescapeAll
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from gateway.api.reference.facts import FACTS
from gateway.api.reference.site import GUIDES, LANGUAGES

FOLDER = settings.BASE_DIR / "templates" / "docs"
LIBRARIES = "libraries"
TAB = "tab"
"""Marks a block of code as one of several that show the same in another language."""
_ANCHOR = re.compile(r"\s*\{#([a-z0-9-]+)\}$")
_OUR_LINK = re.compile(r"\]\(/docs(?=[)#]|/[a-z-]+[)#])")
_TABS = {"sh": "curl", "python": "Python", "ts": "TypeScript"}


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page that can be linked to. The first of a page has no anchor."""

    anchor: str
    title: str
    text: str
    """What it says, as plain text."""


@dataclass(frozen=True, slots=True)
class Guide:
    """A page in one language."""

    page: str
    language: str
    markdown: str
    html: SafeString
    sections: tuple[Section, ...]

    @property
    def title(self) -> str:
        return self.sections[0].title

    @property
    def summary(self) -> str:
        """Its first paragraph."""
        return self.sections[0].text.partition("\n")[0]


def guide(page: str, language: str) -> Guide:
    """A page of `GUIDES` in a language of `LANGUAGES`. In development each is read again, and so is always the one with
    the libraries, which may be packed while the service runs.
    """
    return _read(page, language) if settings.DEBUG or page == LIBRARIES else _kept(page, language)


def guides(language: str) -> list[Guide]:
    """All of a language, in the order in which they are listed."""
    return [guide(page, language) for page in GUIDES]


def _read(page: str, language: str) -> Guide:
    written = _ENGINE.get_template(f"{language}/{page}.md")
    with override(language):
        facts = FACTS[page]() if page in FACTS else {}
        rendered = written.render(Context(facts | {"base": settings.SANDBOX_BASE_URL}, autoescape=False))
    text = _OUR_LINK.sub(f"](/docs{LANGUAGES[language][1]}", rendered)
    tokens = _MARKDOWN.parse(text)
    _set_anchors(tokens)
    _head_no_columns_with_nothing(tokens)
    html = _MARKDOWN.renderer.render(_with_tabs(tokens), _MARKDOWN.options, {})
    markdown = re.sub(r" tab$", "", text, flags=re.MULTILINE)
    # Our own text, whose Markdown admits no HTML.
    return Guide(page, language, markdown, SafeString(html), tuple(_sections(tokens)))  # nosec B703


_kept: Callable[[str, str], Guide] = cache(_read)
_ENGINE = Engine(dirs=[str(FOLDER)], autoescape=False, builtins=["gateway.api.reference.samples"])


# ── Markdown ──────────────────────────────────────────────────────────────────────────────────────────────────────
def _set_anchors(tokens: list[Token]) -> None:
    """Headings end with their anchor, which is the same in every language: `## Verificar {#verify}`."""
    for number, token in enumerate(tokens):
        if token.type != "heading_open":
            continue
        inline = tokens[number + 1]
        if found := _ANCHOR.search(inline.content):
            token.attrSet("id", found[1])
            for child in reversed(inline.children or []):
                if child.type == "text":
                    child.content = _ANCHOR.sub("", child.content)
                    break


def _head_no_columns_with_nothing(tokens: list[Token]) -> None:
    """An empty cell above a column is no heading of it."""
    for opened, inline, closed in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if opened.type == "th_open" and not inline.content:
            opened.tag = closed.tag = "td"


def _with_tabs(tokens: list[Token]) -> list[Token]:
    """Puts blocks of code that follow each other and are marked as tabs into one, of which a reader chooses one."""
    found: list[Token] = []
    for token in tokens:
        if token.type == "fence" and token.info.endswith(f" {TAB}"):
            if not (found and found[-1].type == "tabs"):
                found.append(Token("tabs", "", 0, children=[]))
            found[-1].children.append(token)  # type: ignore[union-attr]
        else:
            found.append(token)
    return found


def _sections(tokens: list[Token]) -> list[Section]:
    found: list[tuple[str, str, list[str]]] = []
    for number, token in enumerate(tokens):
        content = _plain(token)
        if token.type == "inline" and tokens[number - 1].type == "heading_open":
            found.append((str(tokens[number - 1].attrGet("id") or ""), content, []))
        elif content:
            found[-1][2].append(content)
    return [Section(anchor, title, "\n".join(texts)) for anchor, title, texts in found]


def _plain(token: Token) -> str:
    if token.type == "fence":
        return token.content.strip()
    kept = (
        child.content or " " for child in token.children or [] if child.type in ("text", "code_inline", "softbreak")
    )
    return " ".join("".join(kept).split()) if token.type == "inline" else ""


def _code(content: str, language: str) -> str:
    """Coloured by classes, which the style sheet knows."""
    try:
        inside = highlight(content.rstrip(), get_lexer_by_name(language), HtmlFormatter(nowrap=True))
    except ClassNotFound:
        inside = escape(content.rstrip())
    return f'<pre tabindex="0"><code>{inside.rstrip()}</code></pre>\n'


def _fence(self: RendererHTML, tokens: list[Token], index: int, options: OptionsDict, env: Any) -> str:
    return _code(tokens[index].content, unescapeAll(tokens[index].info).partition(" ")[0] or "text")


def _tabs(self: RendererHTML, tokens: list[Token], index: int, options: OptionsDict, env: Any) -> str:
    group = f"tabs-{index}"
    parts, named = [], []
    for number, token in enumerate(tokens[index].children or []):
        language = token.info.partition(" ")[0]
        chosen = "" if number else " checked"
        named.append(_TABS[language])
        mark = f'id="{group}-{number}" data-language="{language}"'
        parts.append(
            f'<input type="radio" name="{group}" {mark}{chosen}><label for="{group}-{number}">{_TABS[language]}</label>'
            f"<div>{_code(token.content, language)}</div>"
        )
    return f'<div class="tabs" role="group" aria-label="{" · ".join(named)}">{"".join(parts)}</div>\n'


def _table(self: RendererHTML, tokens: list[Token], index: int, options: OptionsDict, env: Any) -> str:
    return '<div class="wide" tabindex="0"><table>\n'


def _table_end(self: RendererHTML, tokens: list[Token], index: int, options: OptionsDict, env: Any) -> str:
    return "</table></div>\n"


_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")
for _type, _rule in (("fence", _fence), ("tabs", _tabs), ("table_open", _table), ("table_close", _table_end)):
    _MARKDOWN.add_render_rule(_type, _rule)
