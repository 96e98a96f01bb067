"""Retired words stay out of code, documents and translations: docs/glossary.md has the terms in their place."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import polib
import pytest
from django.conf import settings

ROOT = Path(settings.BASE_DIR)
RETIRED = {
    "outside party": "provider",
    "sandbox double": "sandbox simulator",
    "deed": "action",
    "deeds": "actions",
    "wish": "draft",
    "wishes": "drafts",
    "taken on": "onboarded",
    "sign of life": "heartbeat",
    "signs of life": "heartbeats",
    "for ever": "permanently",
    "anew": "again",
}
_FOUND = re.compile(r"(?<![A-Za-z])(?:" + "|".join(map(re.escape, RETIRED)) + r")(?![A-Za-z])", re.IGNORECASE)
FOLDERS = ("accounts", "webhooks", "ledger", "gateway", "templates", "docs")


def test_no_retired_word_is_used_in_code_templates_and_documents() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-z", *FOLDERS], cwd=ROOT, capture_output=True, check=True, text=True
    ).stdout.split("\0")
    read = [ROOT / name for name in listed if name.endswith((".py", ".html", ".txt", ".md"))]

    found = [
        f"{path.relative_to(ROOT)}:{number}: say {RETIRED[word.group().lower()]}"
        for path in read
        if path.exists()
        for number, line in enumerate(path.read_text().splitlines(), 1)
        for word in _FOUND.finditer(line)
    ]

    assert len(read) > 500 and not found, "\n".join(found)


NOT_SAID = {
    "es": {
        r"\breclamos?\b": "reclamación",
        r"(?<![\d.])\d{1,3}(?:\.\d{3})+(?![\d.])": "5,000, as in Mexico",
        r"(?<![\d,])\d+,\d{1,2}(?![\d,])": "5.50, as in Mexico",
        r"\b(?:tú|tu|tus|puedes|debes|tienes|quieres|necesitas)\b": "usted",
    },
    "pt-br": {
        r"(?<![\d,])\d{1,3}(?:,\d{3})+(?![\d,])": "5.000",
        r"\b(?:teu|tua|podes|deves|tens)\b": "você",
    },
}
"""Of what translations say one thing in two ways, the one that they do not use, and the one that they do."""


def _translated(language: str) -> Iterator[tuple[str, str]]:
    """Everything that people read in a language: the catalogue, and the guides without their code."""
    locale = "pt_BR" if language == "pt-br" else language
    for entry in polib.pofile(str(ROOT / "gateway/locale" / locale / "LC_MESSAGES/django.po")):
        yield entry.msgid, " ".join([entry.msgstr, *entry.msgstr_plural.values()])
    for page in sorted((ROOT / "templates/docs" / language).glob("*.md")):
        yield page.name, re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(), flags=re.DOTALL)


@pytest.mark.parametrize("language", NOT_SAID)
def test_translations_say_one_thing_in_one_way(language: str) -> None:
    found = [
        f"{where}: {word.group()}: say {instead}"
        for where, text in _translated(language)
        for form, instead in NOT_SAID[language].items()
        for word in re.finditer(form, text, re.IGNORECASE)
    ]

    assert not found, "\n".join(found)
