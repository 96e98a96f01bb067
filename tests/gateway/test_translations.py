"""Everything that payers read is in every language that we speak, whole, and as the programme says it."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import polib
import pytest
from django.conf import settings
from django.utils import translation

from gateway.staff.kit import names

ROOT = Path(settings.BASE_DIR)
APPS = ("accounts", "webhooks", "ledger", "gateway")
CATALOGUES = sorted((ROOT / "gateway" / "locale").glob("*/LC_MESSAGES/django.po"))
every_catalogue = pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.parts[-3])
_SIMPLE = re.compile(r"""{%-?\s*(?:translate|trans)\s+(?:"([^"]*)"|'([^']*)')([^%]*)%}""")
_CONTEXT = re.compile(r"""\bcontext\s+["']([^"']*)["']""")
_BLOCK = re.compile(r"{%\s*blocktrans(?:late)?\b([^%]*)%}(.*?){%\s*endblocktrans(?:late)?\s*%}", re.DOTALL)
_PLURAL = re.compile(r"{%\s*plural\s*%}")
_PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|%[sd]|{\w*}")
_MARKS = {"_", "gettext", "gettext_lazy", "gettext_noop", "ngettext", "ngettext_lazy"}
_MARKS_WITH_CONTEXT = {"pgettext", "pgettext_lazy", "npgettext", "npgettext_lazy"}
_FAULTS = {"Fault": 2, "wrong": 1}
"""Where the sentence of a fault is among its arguments."""
Said = tuple[str, str]
"""A context, "" for none, and what is said in it."""


def said_in_templates() -> Iterator[Said]:
    """Of a text with a plural the singular, by which it is known."""
    for path in sorted((ROOT / "templates").rglob("*")):
        if path.suffix not in (".html", ".txt"):
            continue
        text = path.read_text()
        yield from ((_context(options), double or single) for double, single, options in _SIMPLE.findall(text))
        for options, block in _BLOCK.findall(text):
            singular = _PLURAL.split(block)[0].replace("%", "%%")
            message = re.sub(r"{{\s*(\w+)\s*}}", r"%(\1)s", singular)
            yield _context(options), " ".join(message.split()) if "trimmed" in options else message


def _context(options: str) -> str:
    found = _CONTEXT.search(options)
    return found[1] if found else ""


def said_in_programmes() -> Iterator[Said]:
    for path in sorted(
        path for name in ("accounts", "webhooks", "ledger", "gateway") for path in (ROOT / name).rglob("*.py")
    ):
        for node in ast.walk(ast.parse(path.read_text())):
            mark = getattr(node.func, "id", "") if isinstance(node, ast.Call) else ""
            if isinstance(node, ast.Call) and mark in _MARKS | _MARKS_WITH_CONTEXT:
                said = node.args[: 2 if mark in _MARKS_WITH_CONTEXT else 1]
                known = [str(one.value) for one in said if isinstance(one, ast.Constant)]
                assert len(known) == len(said), f"{path}:{node.lineno} says what no catalogue can know"
                yield known[0] if len(known) == 2 else "", known[-1]
            elif isinstance(node, ast.Call) and mark in _FAULTS:
                told = node.args[_FAULTS[mark] :][:1]
                yield from (("", str(one.value)) for one in told if isinstance(one, ast.Constant))


@cache
def said_anywhere() -> set[Said]:
    return {*said_in_templates(), *said_in_programmes(), *(("", name) for name in names.NAMES)}


_PLACEHOLDERS = "%(company)s: %(description)s, %(amount)s"
LOAN_WORDS = {
    "API",
    "CSV",
    "Bytes",
    "Endpoint",
    "Endpoint:",
    "Sandbox",
    "Token",
    "URL",
    "Webhooks",
    "endpoint",
    "endpoints",
    "ms",
    "token",
}
"""What people of the trade say in English everywhere."""
EXAMPLES = {"api_key.issued, withdrawal_ip.changed, …", "payment.paid, …"}
LANGUAGES = {"English", "Español", "Português"}
AT_PROVIDERS = {
    "033 Santander, 237 Bradesco, 341 Itaú",
    "Adyen",
    "Client ID",
    "Client key",
    "Client secret",
    "Merchant account",
    "Publishable key",
    "Secret key",
    "Stripe",
}
"""As the provider itself names them."""
NAMES = (
    EXAMPLES
    | LANGUAGES
    | AT_PROVIDERS
    | {
        "Boleto",
        "Bre-B",
        "Nequi",
        "3-D Secure",
        "Windows-1252 (Latin-1)",
        "Argentina",
        "Base",
        "CLABE",
        "CNPJ, RFC, CUIT, NIT or NIF",
        "NIF",
        "Portugal",
        "xid",  # PostgreSQL's number of a transaction
        _PLACEHOLDERS,
    }
)
THE_SAME = {
    "es": LOAN_WORDS
    | NAMES
    | {
        "Colombia",
        "no",
        "Alias",
        "Error",
        "General",
        "No",
        "No:",
        "No.",
        "Provisional",
        "Total",
        "Roles",
        "error",
        "roles",
        "total",
    },
    "pt_BR": LOAN_WORDS
    | NAMES
    | {
        "Alias",
        "Chargeback",
        "Compliance",
        "E-mail",
        "Menu",
        "Spread",
        "Status",
        "Total",
        "Volume",
        "Volumes",
        "downloads",
        "e-mail",
        "e-mails",
        "spread",
        "status",
        "total",
    },
}
"""Words of a language that are also English ones, with the loan words and names of all."""


def said_of(entry: polib.POEntry) -> Said:
    return entry.msgctxt or "", entry.msgid


def texts_of(path: Path) -> Iterator[tuple[str, str]]:
    """What is said and what is told instead; of a text with a plural both forms."""
    for entry in polib.pofile(str(path)):
        if entry.msgid_plural:
            yield from zip((entry.msgid, entry.msgid_plural), entry.msgstr_plural.values(), strict=True)
        else:
            yield entry.msgid, entry.msgstr


def test_there_is_a_catalogue_for_every_language_but_our_own() -> None:
    spoken = {translation.to_locale(code) for code, _ in settings.LANGUAGES} - {"en"}

    assert {path.parts[-3] for path in CATALOGUES} == spoken == {"es", "pt_BR"}


def test_the_words_are_found_where_they_are_said() -> None:
    known = {"Time left", "Pay %(amount)s", "Your bank", "Ten digits that start with 3.", "Paid"}
    assert {("", one) for one in known} | {("verb", "Answer"), ("address", "State")} <= said_anywhere()


@every_catalogue
def test_it_has_all_that_is_said_and_nothing_else(path: Path) -> None:
    entries = [entry for entry in polib.pofile(str(path)) if not entry.obsolete]

    assert sorted(map(said_of, entries)) == sorted(said_anywhere())


@every_catalogue
def test_everything_is_translated_and_no_guess(path: Path) -> None:
    catalogue = polib.pofile(str(path))

    assert catalogue.metadata["Language"] == path.parts[-3]
    assert [entry.msgid for entry in catalogue if not entry.translated() or entry.fuzzy or entry.obsolete] == []
    assert {said for said, told in texts_of(path) if said == told} <= THE_SAME[path.parts[-3]]
    assert catalogue.percent_translated() == 100


@every_catalogue
def test_placeholders_and_punctuation_are_those_of_the_original(path: Path) -> None:
    for said, told in texts_of(path):
        assert sorted(_PLACEHOLDER.findall(told)) == sorted(_PLACEHOLDER.findall(said)), said
        assert (told[-1] == ".") == (said[-1] == "."), said
        assert told == told.strip()
        assert re.search(r"</?[a-z]", told) is None, "no markup"


@every_catalogue
def test_what_runs_is_what_is_written(path: Path) -> None:
    written, runs = (
        {said_of(entry): entry for entry in of(str(file))}
        for of, file in ((polib.pofile, path), (polib.mofile, path.with_suffix(".mo")))
    )

    assert {said: (one.msgstr, one.msgstr_plural) for said, one in runs.items()} == {
        said: (one.msgstr, one.msgstr_plural) for said, one in written.items()
    }
    with translation.override(translation.to_language(path.parts[-3])):
        for (context, said), entry in written.items():
            if entry.msgid_plural:
                assert translation.ngettext(said, entry.msgid_plural, 5) == entry.msgstr_plural[1]
            elif context:
                assert translation.pgettext(context, said) == entry.msgstr
            else:
                assert translation.gettext(said) == entry.msgstr


@every_catalogue
def test_no_word_is_told_apart_by_something_in_parentheses(path: Path) -> None:
    """A word that is the same in both languages belongs to the lists above."""
    padded = {told for said, told in texts_of(path) if told.endswith(")") and not said.endswith(")")}

    assert padded == set()
