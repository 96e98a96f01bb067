"""Everything that payers read is in every language that we speak, whole, and as the programme says it."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import polib
import pytest
from django.conf import settings
from django.utils import translation

ROOT = Path(settings.BASE_DIR)
CATALOGUES = sorted((ROOT / "gateway" / "locale").glob("*/LC_MESSAGES/django.po"))
every_catalogue = pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.parts[-3])
_SIMPLE = re.compile(r"""{%-?\s*(?:translate|trans)\s+(?:"([^"]*)"|'([^']*)')[^%]*%}""")
_BLOCK = re.compile(r"{%\s*blocktrans(?:late)?\b([^%]*)%}(.*?){%\s*endblocktrans(?:late)?\s*%}", re.DOTALL)
_PLURAL = re.compile(r"{%\s*plural\s*%}")
_PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|%[sd]|{\w*}")
_MARKS = {"_", "gettext", "gettext_lazy", "gettext_noop", "ngettext", "ngettext_lazy"}


def said_in_templates() -> Iterator[str]:
    """Of a text with a plural the singular, by which it is known."""
    for path in sorted((ROOT / "templates").rglob("*")):
        if path.suffix not in (".html", ".txt"):
            continue
        text = path.read_text()
        yield from (double or single for double, single in _SIMPLE.findall(text))
        for options, block in _BLOCK.findall(text):
            singular = _PLURAL.split(block)[0].replace("%", "%%")
            message = re.sub(r"{{\s*(\w+)\s*}}", r"%(\1)s", singular)
            yield " ".join(message.split()) if "trimmed" in options else message


def said_in_programmes() -> Iterator[str]:
    for path in sorted(path for name in ("accounts", "webhooks", "gateway") for path in (ROOT / name).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in _MARKS:
                first = node.args[0]
                assert isinstance(first, ast.Constant), f"{path}:{node.lineno} says what no catalogue can know"
                yield str(first.value)


SAID = {*said_in_templates(), *said_in_programmes()}


THE_SAME = {"CSV", "Volume"}
"""Words that are the same in another language."""


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
    assert {"Time left", "Pay %(amount)s", "Your bank", "Ten digits that start with 3.", "Paid"} <= SAID


@every_catalogue
def test_it_has_all_that_is_said_and_nothing_else(path: Path) -> None:
    entries = [entry for entry in polib.pofile(str(path)) if not entry.obsolete]

    assert sorted(entry.msgid for entry in entries) == sorted(SAID)


@every_catalogue
def test_everything_is_translated_and_no_guess(path: Path) -> None:
    catalogue = polib.pofile(str(path))

    assert catalogue.metadata["Language"] == path.parts[-3]
    assert [entry.msgid for entry in catalogue if not entry.translated() or entry.fuzzy or entry.obsolete] == []
    assert {said for said, told in texts_of(path) if said == told} <= THE_SAME
    assert catalogue.percent_translated() == 100


@every_catalogue
def test_placeholders_and_punctuation_are_those_of_the_original(path: Path) -> None:
    for said, told in texts_of(path):
        assert sorted(_PLACEHOLDER.findall(told)) == sorted(_PLACEHOLDER.findall(said)), said
        assert (told[-1] == ".") == (said[-1] == "."), said
        assert told == told.strip()
        assert "<" not in told


@every_catalogue
def test_what_runs_is_what_is_written(path: Path) -> None:
    written, runs = (
        {entry.msgid: entry for entry in of(str(file))}
        for of, file in ((polib.pofile, path), (polib.mofile, path.with_suffix(".mo")))
    )

    assert {said: (one.msgstr, one.msgstr_plural) for said, one in runs.items()} == {
        said: (one.msgstr, one.msgstr_plural) for said, one in written.items()
    }
    with translation.override(translation.to_language(path.parts[-3])):
        for said, entry in written.items():
            if entry.msgid_plural:
                assert translation.ngettext(said, entry.msgid_plural, 5) == entry.msgstr_plural[1]
            else:
                assert translation.gettext(said) == entry.msgstr
