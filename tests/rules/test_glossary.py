"""The glossary has every word once, and the words of the other languages are those that pages use."""

import re
from pathlib import Path

import polib
from django.conf import settings

ROOT = Path(settings.BASE_DIR)
ROWS = re.findall(r"^\| \*\*(.+?)\*\* \|(.*)\|$", (ROOT / "docs/glossary.md").read_text(), re.M)


def catalogue(language: str) -> dict[str, str]:
    """msgid in lower case → its translations in lower case, of one or many; without those of another meaning."""
    found = polib.pofile(str(ROOT / "gateway/locale" / language / "LC_MESSAGES/django.po"))
    said: dict[str, str] = {}
    for entry in (one for one in found if not one.msgctxt):
        one = " / ".join([entry.msgstr, *entry.msgstr_plural.values()]).lower()
        said[entry.msgid.lower()] = f"{said.get(entry.msgid.lower(), '')} / {one}"
    return said


def test_every_word_is_defined_once() -> None:
    words = [word.strip() for cell, _ in ROWS for word in cell.split(",")]
    assert len(words) > 80
    assert sorted({word for word in words if words.count(word) > 1}) == []


def test_the_other_languages_use_the_words_of_the_pages() -> None:
    compared, wrong = 0, []
    known = {language: catalogue(language) for language in ("pt_BR", "es")}
    for cell, rest in ROWS:
        cells = [text.strip() for text in rest.split("|")]
        if len(cells) != 3:
            continue
        for language, written in zip(("pt_BR", "es"), cells[1:], strict=True):
            for word, translated in zip(cell.split(", "), written.split(", "), strict=False):
                said = known[language].get(word)
                if said is not None and translated != "–":
                    compared += 1
                    if translated not in said:
                        wrong.append((language, word, translated, said))
    assert wrong == []
    assert compared > 30
