"""Everything that payers read is in every language that we speak, whole, and as the programme says it."""

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
_SIMPLE = re.compile(r"""{%\s*(?:translate|trans)\s+(?:"([^"]*)"|'([^']*)')[^%]*%}""")
_BLOCK = re.compile(r"{%\s*blocktrans(?:late)?\b([^%]*)%}(.*?){%\s*endblocktrans(?:late)?\s*%}", re.DOTALL)
_LAZY = re.compile(r"""(?<![\w.])(?:_|gettext|gettext_lazy)\(\s*(?:"([^"]*)"|'([^']*)')""")
_PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|%[sd]|{\w*}")


def said_in_templates() -> Iterator[str]:
    for path in sorted((ROOT / "templates").rglob("*.html")):
        text = path.read_text()
        yield from (double or single for double, single in _SIMPLE.findall(text))
        for options, block in _BLOCK.findall(text):
            message = re.sub(r"{{\s*(\w+)\s*}}", r"%(\1)s", block)
            yield " ".join(message.split()) if "trimmed" in options else message


def said_in_the_checkout() -> Iterator[str]:
    for path in sorted((ROOT / "gateway" / "checkout").rglob("*.py")):
        yield from (double or single for double, single in _LAZY.findall(path.read_text()))


SAID = {*said_in_templates(), *said_in_the_checkout()}


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
    assert [entry.msgid for entry in catalogue if entry.msgid == entry.msgstr] == []
    assert catalogue.percent_translated() == 100


@every_catalogue
def test_placeholders_and_punctuation_are_those_of_the_original(path: Path) -> None:
    for entry in polib.pofile(str(path)):
        assert sorted(_PLACEHOLDER.findall(entry.msgstr)) == sorted(_PLACEHOLDER.findall(entry.msgid)), entry.msgid
        assert (entry.msgstr[-1] == ".") == (entry.msgid[-1] == "."), entry.msgid
        assert entry.msgstr == entry.msgstr.strip()
        assert "<" not in entry.msgstr


@every_catalogue
def test_what_runs_is_what_is_written(path: Path) -> None:
    written = {entry.msgid: entry.msgstr for entry in polib.pofile(str(path))}
    runs = {entry.msgid: entry.msgstr for entry in polib.mofile(str(path.with_suffix(".mo")))}

    assert runs == written
    with translation.override(translation.to_language(path.parts[-3])):
        assert {msgid: translation.gettext(msgid) for msgid in written} == written
